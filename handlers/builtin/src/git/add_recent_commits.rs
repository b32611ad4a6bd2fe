//! `add_recent_commits`: the latest commits, for the model.

use hookgate_contract::settings::Settings;
use hookgate_contract::{BuildContext, BuiltHandler, Role};

use super::answer::{GitText, MAX_BYTES_DOC, read_max_bytes};
use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::supports::takes_context;

const COUNT: usize = 10;

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "add_recent_commits",
    role: Role::Guard,
    about: "adds the latest commits for the model",
    supports: Some(takes_context),
    settings: &[
        SettingDoc::optional("count", SettingType::Integer(1, 1000), "how many commits are added")
            .default("10"),
        MAX_BYTES_DOC,
    ],
    example: r#"[[hook]]
id = "history"
event = "session_start"
builtin = { name = "add_recent_commits", count = 20 }
"#,
    build: Build::Alone(build),
};

/// Adds the latest commits of the branch, the latest first: the short hash and the first line of each.
///
/// ```toml
/// [[hook]]
/// id = "history"
/// event = "session_start"
/// builtin = { name = "add_recent_commits", count = 20 }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `count` | integer, `10` | how many commits are added |
/// | `max_bytes` | size, `4KiB` | how much of it is added; the rest is cut off |
///
/// It answers with `context` and without a decision, at events that take context; it is refused at the
/// others. Outside of a repository, without a commit, and on a machine without git it has no opinion. If git
/// fails otherwise, so does the hook: with the class `spawn` or `exit`, and with what git says.
///
/// It waits for git within the deadline of its hook. Git runs without a shell and without the variables
/// of the host but `PATH`, `HOME`, `XDG_CONFIG_HOME`, `TMPDIR` and `TZ`; hooks, file monitors, pagers
/// and programs for differences that the repository names are not started. Filters that it names for
/// the content of files are.
///
/// ```
/// use hookgate_builtin::AddRecentCommits;
/// use hookgate_contract::{BuiltHandler, Handler, Role};
///
/// let built = BuiltHandler::from(AddRecentCommits::new().count(3));
/// assert_eq!(built.role, Some(Role::Guard));
/// assert!(matches!(built.handler, Handler::Async(_)));
/// ```
#[derive(Debug, Clone)]
pub struct AddRecentCommits {
    text: GitText,
}

impl Default for AddRecentCommits {
    fn default() -> Self {
        Self::new()
    }
}

impl AddRecentCommits {
    /// Creates a handler that adds ten commits, 4 KiB at most.
    #[must_use]
    pub fn new() -> Self {
        let args = ["log", "--no-show-signature", "--no-decorate", "--format=%h %s", "-n10"];
        Self { text: GitText::new("Latest commits", &args) }
    }

    /// Sets how many commits are added.
    #[must_use]
    pub fn count(mut self, count: usize) -> Self {
        self.text.args.pop();
        self.text.args.push(format!("-n{count}"));
        self
    }

    /// Sets how much of it is added.
    #[must_use]
    pub fn max_bytes(mut self, max_bytes: usize) -> Self {
        self.text.max_bytes = max_bytes;
        self
    }
}

impl From<AddRecentCommits> for BuiltHandler {
    fn from(handler: AddRecentCommits) -> Self {
        handler.text.built()
    }
}

/// Builds the handler from the settings of a config.
#[expect(clippy::unnecessary_wraps, reason = "it is a factory")]
fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    let count = settings.count("count", 1..=1000).unwrap_or(COUNT);
    Some(AddRecentCommits::new().count(count).max_bytes(read_max_bytes(settings)).into())
}
