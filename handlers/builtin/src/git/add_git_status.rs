//! `add_git_status`: the branch and the changed files, for the model.

use hookgate_contract::settings::Settings;
use hookgate_contract::{BuildContext, BuiltHandler, Role};

use super::answer::{GitText, MAX_BYTES_DOC, read_max_bytes};
use crate::doc::{Build, BuiltinDoc};
use crate::supports::takes_context;

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "add_git_status",
    role: Role::Guard,
    about: "adds the branch and the changed files for the model",
    supports: Some(takes_context),
    settings: &[MAX_BYTES_DOC],
    example: r#"[[hook]]
id = "status"
event = "turn_start"
builtin = { name = "add_git_status" }
"#,
    build: Build::Alone(build),
};

/// Adds what `git status` says in short: the branch, how far it is from its upstream, and the changed
/// files, one a line.
///
/// ```toml
/// [[hook]]
/// id = "status"
/// event = "turn_start"
/// builtin = { name = "add_git_status" }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `max_bytes` | size, `4KiB` | how much of it is added; the rest is cut off |
///
/// It answers with `context` and without a decision, at events that take context; it is refused at the
/// others. Outside of a repository, , and on a machine without git it has no opinion. If git
/// fails otherwise, so does the hook: with the class `spawn` or `exit`, and with what git says.
///
/// It waits for git within the deadline of its hook. Git runs without a shell and without the variables
/// of the host but `PATH`, `HOME`, `XDG_CONFIG_HOME`, `TMPDIR` and `TZ`; hooks, file monitors, pagers
/// and programs for differences that the repository names are not started. Filters that it names for
/// the content of files are.
///
/// ```
/// use hookgate_builtin::AddGitStatus;
/// use hookgate_contract::{BuiltHandler, Handler, Role};
///
/// let built = BuiltHandler::from(AddGitStatus::new().max_bytes(1024));
/// assert_eq!(built.role, Some(Role::Guard));
/// assert!(matches!(built.handler, Handler::Async(_)));
/// ```
#[derive(Debug, Clone)]
pub struct AddGitStatus {
    text: GitText,
}

impl Default for AddGitStatus {
    fn default() -> Self {
        Self::new()
    }
}

impl AddGitStatus {
    /// Creates a handler that adds 4 KiB at most.
    #[must_use]
    pub fn new() -> Self {
        Self { text: GitText::new("Git status", &["status", "--short", "--branch"]) }
    }

    /// Sets how much of it is added.
    #[must_use]
    pub fn max_bytes(mut self, max_bytes: usize) -> Self {
        self.text.max_bytes = max_bytes;
        self
    }
}

impl From<AddGitStatus> for BuiltHandler {
    fn from(handler: AddGitStatus) -> Self {
        handler.text.built()
    }
}

/// Builds the handler from the settings of a config.
#[expect(clippy::unnecessary_wraps, reason = "it is a factory")]
fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    Some(AddGitStatus::new().max_bytes(read_max_bytes(settings)).into())
}
