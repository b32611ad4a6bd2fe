//! What can be wrong with a config.

use hookgate_contract::settings::SettingProblem;
use hookgate_contract::suggest::Suggestion;

use super::include_problem::IncludeProblem;
use super::keys::{KINDS, OPTIONAL_KINDS, native_key};
use super::pack_problem::PackProblem;
use crate::table::{BuildProblem, Layer};

/// What is wrong with a config.
///
/// `Display` writes the message without position and advice; see
/// [`ConfigError`](super::ConfigError). A program that checks configs can match on it:
///
/// ```
/// use hookgate::config::{ConfigProblem, Loader};
/// use hookgate::Registry;
///
/// let text = "[[hook]]\nid = 'h'\nevent = 'stop'\ncommand = { argv = ['./guard.py'] }\n";
/// let errors = Loader::new(&Registry::new()).parse("hooks.toml", text, ".".as_ref()).unwrap_err();
/// let error = &errors.errors()[0];
/// assert!(matches!(error.problem(), ConfigProblem::UnknownKind { name, .. } if name == "command"));
/// assert!(error.help().unwrap().contains("registry.add(hookgate::command::kind())"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigProblem {
    /// The file cannot be read.
    #[error("cannot be read: {1}")]
    Read(std::io::ErrorKind, String),
    /// The file is not UTF-8.
    #[error("not UTF-8 from here on")]
    Utf8,
    /// The file is not TOML.
    #[error("{0}")]
    Syntax(String),
    /// Another version of the format.
    #[error("version {0} is not known, only 1")]
    Version(i64),
    /// `hook` is not an array of tables.
    #[error("hooks are written as `[[hook]]`, with two brackets")]
    HookTable,
    /// There are no hooks, and the file does not say that this is intended.
    #[error("there is no hook in this file: nothing would be enforced")]
    NoHooks,
    /// There are no hooks, and the file says that this is intended.
    #[error("there is no hook in this file: nothing is enforced")]
    Empty,
    /// A setting is wrong.
    #[error(transparent)]
    Setting(SettingProblem),
    /// The table refuses the hook.
    #[error("hook `{hook}`: {problem}")]
    Build {
        /// The hook.
        hook: String,
        /// The reason.
        problem: BuildProblem,
    },
    /// No event has this name.
    #[error("unknown event `{name}`{near}")]
    UnknownEvent {
        /// The name.
        name: String,
        /// An event with a similar name.
        near: Suggestion,
    },
    /// No event has a name that the glob matches.
    #[error(
        "no event matches `{0}`: a glob matches hookgate's own names, which `hookgate events` lists"
    )]
    NoEventMatches(String),
    /// The glob matches events, but the hook makes sense at none of them.
    #[error(
        "the hook suits no event that `{0}` matches: its role, its handler or its conditions make no sense there"
    )]
    NoEventSuits(String),
    /// A condition that was hardly meant as it is written.
    #[error("{0}")]
    Condition(String),
    /// Steps of which a condition cannot tell whether the hook is about them go on.
    #[error(
        "`on_unclear = \"allow\"`: a step of which it cannot be told whether the hook is about it goes on"
    )]
    UnclearAllowed,
    /// Hooks after one that asks are not called.
    #[error(
        "`stop_at = \"ask\"`: whoever approves a step decides for the hooks after the one that asked, \
         too; let guards that must always be heard come before it (`priority`)"
    )]
    StopsAtAsk,
    /// More processes and requests of hooks may be at work than this process may have files for.
    #[error("{0}")]
    TooFewFiles(String),
    /// No builtin has this name.
    #[error("unknown builtin `{name}`{near}")]
    UnknownBuiltin {
        /// The name.
        name: String,
        /// A builtin with a similar name.
        near: Suggestion,
    },
    /// No kind of handler has this name.
    #[error("no handler of kind `{name}` is registered{near}")]
    UnknownKind {
        /// The name.
        name: String,
        /// A kind with a similar name.
        near: Suggestion,
    },
    /// No shared handler has this name.
    #[error("there is no handler `{name}`{near}")]
    UnknownHandler {
        /// The name.
        name: String,
        /// A handler with a similar name.
        near: Suggestion,
    },
    /// A shared handler that no hook uses.
    #[error("no hook uses the handler `{0}`")]
    UnusedHandler(String),
    /// A key that belongs elsewhere in the file.
    #[error("unknown key `{key}` here: {hint}")]
    Misplaced {
        /// The key.
        key: String,
        /// Where it belongs, or what to write.
        hint: String,
    },
    /// A hook that is never called, because an earlier one denies every step that it is for.
    #[error(
        "the hook `{hook}` is never called at `{event}`: `{by}` comes before it and denies every step that it is for"
    )]
    Shadowed {
        /// The hook.
        hook: String,
        /// The event.
        event: String,
        /// The hook before it.
        by: String,
    },
    /// The hook has no handler.
    #[error("the hook has no handler")]
    NoHandler,
    /// The hook has several handlers.
    #[error("the hook has several handlers: {}", .0.join(", "))]
    SeveralHandlers(Vec<String>),
    /// The handler could not be built, and its kind has not reported a reason.
    #[error("the handler could not be built from these settings")]
    Unbuilt,
    /// A kind that only the program of an embedder knows.
    #[error(
        "unverified: kind `{0}` is not known here, so only its own runtime can check and run it; here the hook fails when it is called"
    )]
    UnverifiedKind(String),
    /// An event that only the program of an embedder knows.
    #[error(
        "unverified: event `{0}` is not registered here, so only its own runtime knows what hooks may decide there"
    )]
    UnverifiedEvent(String),
    /// A required hook is not in the file.
    #[error("the hook `{id}` is required, but this file has none of that id{near}")]
    RequiredHook {
        /// The id.
        id: String,
        /// A hook with a similar id.
        near: Suggestion,
    },
    /// A required hook is defined in another way than is required.
    #[error(
        "the hook `{id}` is required as it was, and its definition is another one now: sha256 = \"{found}\""
    )]
    RequiredDefinition {
        /// The id.
        id: String,
        /// The hash of its definition.
        found: String,
    },
    /// Nothing can be denied at the event.
    #[error("nothing can be denied at `{0}`, so no guard can be required there")]
    NotGuardable(String),
    /// A required guard is missing.
    #[error("`{event}` must be guarded, and {why}: every step of it is denied")]
    Unguarded {
        /// The event.
        event: String,
        /// What is missing.
        why: String,
    },
    /// A program or service at an event that is written as another hook system names it.
    #[error(
        "`{name}` is the name of {system}, and what is written for {system} reads and prints other JSON than hookgate: it would let everything pass"
    )]
    ForeignEvent {
        /// The name.
        name: String,
        /// The system that uses this name.
        system: &'static str,
        /// The names that hookgate has for it.
        events: Vec<&'static str>,
    },
    /// A hook of a layer above that a layer wants to switch off.
    #[error(
        "`{hook}` is a hook of the layer `{layer}`, which binds more than this one: it stays in force"
    )]
    DisableAbove {
        /// The hook.
        hook: String,
        /// Its layer.
        layer: Layer,
    },
    /// A hook that is switched off and is not there.
    #[error("no hook of these files has the id `{hook}`, so nothing is switched off")]
    DisableNothing {
        /// The id.
        hook: String,
    },
    /// A hook whose mode an override wants to change, and that is not there.
    #[error("there is no hook `{hook}`{near}")]
    OverrideNothing {
        /// The id.
        hook: String,
        /// The nearest one.
        near: Suggestion,
    },
    /// An approval that does not count, because there is a layer above.
    #[error(
        "`may_allow` of `{hook}` does not count: there is a layer above, and a layer can only tighten"
    )]
    AllowOfLayer {
        /// The hook.
        hook: String,
    },
    /// A hook that does what one of another file does.
    #[error(
        "`{hook}` does the same as `{kept}` of `{file}`, which comes first: it is called once, as `{kept}`"
    )]
    Copied {
        /// The hook that is not called.
        hook: String,
        /// The hook that is called.
        kept: String,
        /// Its file.
        file: String,
    },
    /// Limits that do not count, because those of another file do.
    #[error(
        "the limits of this file do not count: those of `{file}` do, which binds more or comes first"
    )]
    LimitsOfOther {
        /// The other file.
        file: String,
    },
    /// A budget of a hook that is not in the file.
    #[error(
        "this file has no hook `{hook}`, so its budget bounds nothing unless another file has one{near}"
    )]
    BudgetOfNothing {
        /// The id.
        hook: String,
        /// The nearest one.
        near: Suggestion,
    },
    /// A file that belongs to this one.
    #[error(transparent)]
    Include(IncludeProblem),
    /// A section that only the administrator of the machine may write.
    #[error("`[{0}]` counts in the config of the machine only, `/etc/hookgate/hooks.toml`")]
    OfMachine(String),
    /// A pack that this file extends.
    #[error(transparent)]
    Pack(PackProblem),
    /// A warning of a handler that works.
    #[error("{0}")]
    Handler(String),
    /// What is to be said about a config of another system: see [`Remark`](super::Remark).
    #[error("{meaning} [{code}]")]
    Foreign {
        /// What sort of thing it is, for programs.
        code: String,
        /// What the config means.
        meaning: String,
        /// What to do.
        advice: String,
    },
}

impl ConfigProblem {
    /// Makes the problem of a setting. What to write instead of a key of another hook system is said
    /// in the help, and not by a list of all keys.
    pub(super) fn of_setting(problem: SettingProblem) -> Self {
        Self::Setting(match problem {
            SettingProblem::Unknown { key, near } if native_key(&key, &near).is_some() => {
                SettingProblem::Unknown { key, near: near.without_list() }
            }
            problem => problem,
        })
    }

    /// Returns what to do about it, if the message does not say so.
    pub(super) fn help(&self) -> Option<String> {
        match self {
            Self::Read(std::io::ErrorKind::NotFound, _) => {
                Some("`hookgate init` writes a hooks.toml to start from".into())
            }
            Self::UnknownEvent { near, .. } if near.as_deref().is_none() => {
                Some("`hookgate events` lists all events and their aliases; the name of an event of your own begins with `x.`".into())
            }
            Self::UnknownHandler { near, .. } if near.as_deref().is_none() => Some(
                "declare it in this file as `[handler.NAME]`, or write the handler itself below the hook".into(),
            ),
            Self::NoHandler => Some(
                "add one of `builtin`, `command`, `http`, `mcp`, `prompt`, `rego`, `cedar` or `handler`, such as \
                 builtin = { name = \"deny\", reason = \"…\" }"
                    .into(),
            ),
            Self::NoHooks => Some(
                "add a `[[hook]]`; write `allow_empty = true` if an empty table is intended".into(),
            ),
            Self::ForeignEvent { events, .. } => Some(format!(
                "write `{}` if it speaks hookgate's JSON, or name the agent that it was written for: \
                 `dialect = \"claude\"`; see `hookgate schema envelope` and `hookgate schema verdict`",
                events.join("`, `")
            )),
            Self::RequiredDefinition { .. } => Some(
                "look at what has changed; if that is intended, write this `sha256` in `[require]`".into(),
            ),
            Self::Pack(problem) => problem.help(),
            Self::Foreign { advice, .. } => Some(advice.clone()),
            Self::Setting(SettingProblem::Unknown { key, near }) if !near.is_synonym() => {
                native_key(key, near).map(str::to_owned)
            }
            Self::UnknownKind { name, .. } | Self::UnverifiedKind(name)
                if OPTIONAL_KINDS.contains(&name.as_str()) =>
            {
                Some(format!(
                    "`cargo install hookgate-cli --features {name}` has it; another host adds it \
                     with `registry.add(hookgate::{name}::kind())`, and the feature `{name}` of the \
                     crate"
                ))
            }
            Self::UnknownKind { name, .. } if KINDS.contains(&name.as_str()) => Some(format!(
                "this program does not use `{name}` handlers; a host adds them with \
                 `registry.add(hookgate::{name}::kind())`, and the feature `{name}` of the crate"
            )),
            _ => None,
        }
    }
}
