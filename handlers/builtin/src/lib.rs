//! The handlers that come with hookgate: guards, rewriters and observers that need no script, no
//! service and no model.
//!
//! | name in a config | type | role | what it does |
//! |---|---|---|---|
//! | `audit` | [`Audit`] | observe | writes each step to the log of the program |
//! | `log` | [`LogFileWriter`] | observe | writes each step as a line of JSON to a file |
//! | `deny` | [`Deny`] | guard | denies, with a reason |
//! | `ask` | [`AskUser`] | guard | lets the user decide |
//! | `require` | [`Require`] | guard | denies unless the session has a mark |
//! | `limit` | [`Limit`] | guard | asks, denies or halts after so many calls, tokens, so much money or time |
//! | `max_iterations` | [`MaxIterations`] | guard | stops a session that goes on for too long |
//! | `repeated_denials` | [`RepeatedDenials`] | guard | asks, denies or halts when a denied action is tried again |
//! | `note_denials` | [`NoteDenials`] | observe | remembers what is denied, for `repeated_denials` |
//! | `protect_config` | [`ProtectConfig`] | guard | denies changes of the hooks, by any tool |
//! | `rewrite` | [`Rewrite`] | rewrite | replaces text or program words in one argument of a tool |
//! | `answer` | [`FixedAnswer`] | rewrite | gives a fixed result instead of running the step |
//! | `redact_secrets` | [`RedactSecrets`] | rewrite | replaces secrets |
//! | `limit_large_tool_results` | [`LimitLargeToolResults`] | rewrite | cuts the middle out of long results |
//! | `elide_repeated_tool_results` | [`ElideRepeatedToolResults`] | rewrite | replaces a repeated result by a note |
//! | `add_context` | [`AddContext`] | guard | adds a text or a template for the model |
//! | `add_date` | [`AddDate`] | guard | adds today's date |
//! | `add_environment_info` | [`AddEnvironmentInfo`] | guard | adds the folder, the system and the shell |
//! | `add_user_info` | [`AddUserInfo`] | guard | adds the names of the user and of the machine |
//! | `add_directory_listing` | [`AddDirectoryListing`] | guard | adds the names in the folder of the session |
//! | `add_prompt_files` | [`AddPromptFiles`] | guard | adds instruction files such as AGENTS.md |
//! | `skill_manifest` | [`SkillManifest`] | guard | tells the model which skills there are, and which of them a prompt is about |
//! | `goal_gate` | [`GoalGate`] | guard | tells the model its goal, and denies that it stops before |
//! | `safer_shell` | [`SaferShell`] | guard | says what class a call is of |
//! | `http_post` | the kind `http` of the host | observe | posts a text of its own to a service |
//! | `add_git_status` | `AddGitStatus` | guard | adds the branch and the changed files |
//! | `add_git_diff` | `AddGitDiff` | guard | adds the changes since the last commit |
//! | `add_recent_commits` | `AddRecentCommits` | guard | adds the latest commits |
//! | `snapshot` | `TakeSnapshot` | guard | keeps the files in git, so that changes can be undone |
//!
//! The last four need the program git and the feature `git` of this crate. They wait for it as
//! asynchronous handlers, and so does `http_post` for its service. All others answer at once, in the thread of the dispatch, and one without an
//! opinion about a step does not allocate for it, unless its page says that it reads the whole step.
//! Which steps a builtin meets is the business of its hook: the matcher decides *whether*, the builtin
//! decides *what*. `require`, `protect_config`, `repeated_denials`, `note_denials`, `safer_shell`,
//! `http_post` and a mark of `goal_gate` need a part of the [`Host`].
//!
//! # In a config
//! A builtin is found by its name; the other keys are its settings, which its type describes. A key
//! that a builtin does not know is an error of the config. [`BUILTINS`] describes all of them as data:
//! reference pages and the JSON Schema are made from it.
//!
//! ```toml
//! [[hook]]
//! id = "no-force-push"
//! event = "pre_tool_use"
//! tool = "Bash"
//! input = { "/command" = { regex = "push.*--force" } }
//! builtin = { name = "deny", reason = "push without --force" }
//! ```
//!
//! ```
//! use std::path::Path;
//!
//! use hookgate_builtin::{Host, builtin};
//! use hookgate_contract::BuildContext;
//! use hookgate_contract::settings::{Node, Settings};
//!
//! let deny = builtin("deny").unwrap();
//! let node = Node::from_json(&serde_json::json!({"resaon": "push without --force"}));
//! let mut settings = Settings::new(&node);
//! let context = BuildContext::new(Path::new("."), 1024);
//! assert!(deny.build(&mut settings, &context, &Host::new()).is_none());
//! let errors: Vec<_> = settings.finish().iter().map(ToString::to_string).collect();
//! assert_eq!(errors, ["`reason` is missing", "unknown key `resaon`; did you mean `reason`?"]);
//! ```
//!
//! # In code
//! Each type has a constructor, is a [`SyncHandler`](hookgate_contract::SyncHandler), and becomes a
//! [`BuiltHandler`](hookgate_contract::BuiltHandler) with the role and the events that it declares:
//!
//! ```
//! use hookgate_builtin::{Deny, MaxIterations};
//! use hookgate_contract::{BuiltHandler, Role};
//!
//! let handlers = [
//!     BuiltHandler::from(Deny::new("not in this project")),
//!     BuiltHandler::from(MaxIterations::new(50)),
//! ];
//! assert!(handlers.iter().all(|handler| handler.role == Some(Role::Guard)));
//! ```

use std::sync::LazyLock;

use hookgate_contract::settings::Settings;
use hookgate_contract::{BuildContext, Factory, HandlerKind};

mod add_context;
mod add_date;
mod add_directory_listing;
mod add_environment_info;
mod add_prompt_files;
mod add_user_info;
mod answer;
mod ask;
mod audit;
mod call_class;
mod char_boundary;
mod counted;
mod deeds;
mod denied_actions;
mod deny;
mod doc;
mod elide_repeated_tool_results;
mod error;
mod folder;
#[cfg(feature = "git")]
mod git;
mod goal_gate;
mod hash;
mod host;
mod http_post;
mod limit;
mod limit_large_tool_results;
mod log;
mod max_iterations;
mod note_denials;
mod open_path;
mod protect_config;
mod reason;
mod redact_secrets;
mod repeated_denials;
mod require;
mod rewrite;
mod safer_shell;
mod settings;
mod skill_manifest;
mod skills;
mod supports;

pub use add_context::AddContext;
pub use add_date::AddDate;
pub use add_directory_listing::AddDirectoryListing;
pub use add_environment_info::AddEnvironmentInfo;
pub use add_prompt_files::AddPromptFiles;
pub use add_user_info::AddUserInfo;
pub use answer::FixedAnswer;
pub use ask::AskUser;
pub use audit::Audit;
pub use call_class::{BlastRadius, CallClass, CallClasses};
pub use deeds::Deeds;
pub use deny::Deny;
pub use doc::{BuiltinDoc, SettingDoc, SettingType};
pub use elide_repeated_tool_results::ElideRepeatedToolResults;
pub use error::BuiltinError;
#[cfg(feature = "git")]
pub use git::{
    AddGitDiff, AddGitStatus, AddRecentCommits, Snapshot, SnapshotSession, Snapshots, TakeSnapshot,
    Undone,
};
pub use goal_gate::GoalGate;
pub use host::{ChangedPaths, Changes, Clock, ConfigFiles, Host, Marks};
pub use limit::Limit;
pub use limit_large_tool_results::LimitLargeToolResults;
pub use log::LogFileWriter;
pub use max_iterations::MaxIterations;
pub use note_denials::NoteDenials;
pub use open_path::OpenPath;
pub use protect_config::ProtectConfig;
pub use redact_secrets::RedactSecrets;
pub use repeated_denials::RepeatedDenials;
pub use require::Require;
pub use rewrite::Rewrite;
pub use safer_shell::SaferShell;
pub use skill_manifest::SkillManifest;

/// All builtins: what each is, and how it is built.
pub const BUILTINS: &[BuiltinDoc] = &[
    audit::DOC,
    log::DOC,
    deny::DOC,
    ask::DOC,
    require::DOC,
    limit::DOC,
    max_iterations::DOC,
    repeated_denials::DOC,
    note_denials::DOC,
    protect_config::DOC,
    rewrite::DOC,
    answer::DOC,
    redact_secrets::DOC,
    limit_large_tool_results::DOC,
    elide_repeated_tool_results::DOC,
    add_context::DOC,
    add_date::DOC,
    add_environment_info::DOC,
    add_user_info::DOC,
    add_directory_listing::DOC,
    add_prompt_files::DOC,
    skill_manifest::DOC,
    goal_gate::DOC,
    safer_shell::DOC,
    http_post::DOC,
    #[cfg(feature = "git")]
    git::ADD_GIT_STATUS,
    #[cfg(feature = "git")]
    git::ADD_GIT_DIFF,
    #[cfg(feature = "git")]
    git::ADD_RECENT_COMMITS,
    #[cfg(feature = "git")]
    git::SNAPSHOT,
];

/// Returns the builtin of this name.
#[must_use]
pub fn builtin(name: &str) -> Option<&'static BuiltinDoc> {
    BUILTINS.iter().find(|doc| doc.name == name)
}

/// Returns the kind `builtin` with all of them, to be added to a registry: no config can use it
/// before. Builtins that need a part of the [`Host`] are errors of a config; see [`kind_with`].
#[must_use]
pub fn kind() -> HandlerKind {
    // One kind for the whole process, so that its handlers are kept across registries.
    static KIND: LazyLock<HandlerKind> = LazyLock::new(|| kind_with(Host::new()));
    KIND.clone()
}

/// Returns the kind `builtin` with all of them, and with what a host hands to those that need it.
///
/// Each call makes a kind of its own. Keep it, and add clones of it to registries, so that counters
/// live on when a config is loaded again.
#[must_use]
pub fn kind_with(host: Host) -> HandlerKind {
    HandlerKind::builtins_from(BUILTINS.iter().map(|doc| {
        let host = host.clone();
        let build = move |settings: &mut Settings<'_>, context: &BuildContext<'_>| {
            doc.build(settings, context, &host)
        };
        (doc.name, build)
    }))
}

/// Factories that replace those of [`BUILTINS`] whose answers depend on the time, for runs that must
/// be repeatable: the day is always 1970-01-01.
pub const TIMELESS: &[(&str, Factory)] = &[("add_date", add_date::build_timeless)];
