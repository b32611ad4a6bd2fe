//! `add_git_diff`: the changes since the last commit, for the model.

use hookgate_contract::settings::Settings;
use hookgate_contract::{BuildContext, BuiltHandler, Role};

use super::answer::{GitText, MAX_BYTES_DOC, read_max_bytes};
use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::supports::takes_context;

/// What is asked for; the last commit is compared with the files, staged or not.
const ARGS: &[&str] = &["diff", "--no-ext-diff", "--no-textconv"];

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "add_git_diff",
    role: Role::Guard,
    about: "adds the changes since the last commit for the model",
    supports: Some(takes_context),
    settings: &[
        SettingDoc::optional("full", SettingType::Flag, "whether the changed lines are added too")
            .default("false"),
        MAX_BYTES_DOC,
    ],
    example: r#"[[hook]]
id = "changes"
event = "turn_start"
builtin = { name = "add_git_diff", full = true, max_bytes = "16KiB" }
"#,
    build: Build::Alone(build),
};

/// Adds what has changed since the last commit, staged or not: which files, and how many lines of each.
/// With `full` the lines themselves. New files that git does not follow are not among them.
///
/// ```toml
/// [[hook]]
/// id = "changes"
/// event = "turn_start"
/// builtin = { name = "add_git_diff", full = true, max_bytes = "16KiB" }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `full` | bool, `false` | whether the changed lines are added too |
/// | `max_bytes` | size, `4KiB` | how much of it is added; the rest is cut off |
///
/// It answers with `context` and without a decision, at events that take context; it is refused at the
/// others. Outside of a repository, without a commit or a change, and on a machine without git it has no opinion. If git
/// fails otherwise, so does the hook: with the class `spawn` or `exit`, and with what git says.
///
/// It waits for git within the deadline of its hook. Git runs without a shell and without the variables
/// of the host but `PATH`, `HOME`, `XDG_CONFIG_HOME`, `TMPDIR` and `TZ`; hooks, file monitors, pagers
/// and programs for differences that the repository names are not started. Filters that it names for
/// the content of files are.
///
/// ```
/// use hookgate_builtin::AddGitDiff;
/// use hookgate_contract::{BuiltHandler, Handler, Role};
///
/// let built = BuiltHandler::from(AddGitDiff::new().full());
/// assert_eq!(built.role, Some(Role::Guard));
/// assert!(matches!(built.handler, Handler::Async(_)));
/// ```
#[derive(Debug, Clone)]
pub struct AddGitDiff {
    text: GitText,
}

impl Default for AddGitDiff {
    fn default() -> Self {
        Self::new()
    }
}

impl AddGitDiff {
    /// Creates a handler that adds which files have changed, 4 KiB at most.
    #[must_use]
    pub fn new() -> Self {
        let args = [ARGS, &["--stat", "HEAD"]].concat();
        Self { text: GitText::new("Changes since the last commit", &args) }
    }

    /// Adds the changed lines.
    #[must_use]
    pub fn full(mut self) -> Self {
        let args = [ARGS, &["--patch", "HEAD"]].concat();
        self.text.args = args.into_iter().map(str::to_owned).collect();
        self
    }

    /// Sets how much of it is added.
    #[must_use]
    pub fn max_bytes(mut self, max_bytes: usize) -> Self {
        self.text.max_bytes = max_bytes;
        self
    }
}

impl From<AddGitDiff> for BuiltHandler {
    fn from(handler: AddGitDiff) -> Self {
        handler.text.built()
    }
}

/// Builds the handler from the settings of a config.
#[expect(clippy::unnecessary_wraps, reason = "it is a factory")]
fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    let full = settings.flag("full").unwrap_or(false);
    let handler = AddGitDiff::new().max_bytes(read_max_bytes(settings));
    Some(if full { handler.full() } else { handler }.into())
}
