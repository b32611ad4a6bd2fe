//! `add_user_info`: whose machine it is, for the model.

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Invocation, Reply, Role, SyncHandler, Verdict,
};

use crate::doc::{Build, BuiltinDoc};
use crate::supports::takes_context;

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "add_user_info",
    role: Role::Guard,
    about: "adds the names of the user and of the machine for the model",
    supports: Some(takes_context),
    settings: &[],
    example: r#"[[hook]]
id = "user"
event = "session_start"
builtin = { name = "add_user_info" }
"#,
    build: Build::Alone(build),
};

/// Adds who the user is: the name of the account, the full name if the system knows it, and the name of
/// the machine.
///
/// ```toml
/// [[hook]]
/// id = "user"
/// event = "session_start"
/// builtin = { name = "add_user_info" }
/// ```
///
/// It has no settings. The names come from the account that the process runs as, not from its
/// variables. They are read once, when the handler is made, and reach the provider of the model. It
/// answers with `context` and without a decision, at events that take context; it is refused at the
/// others. If no name is known it has no opinion. It never fails.
///
/// ```
/// use hookgate_builtin::AddUserInfo;
/// use hookgate_contract::{BuiltHandler, Role};
///
/// assert_eq!(BuiltHandler::from(AddUserInfo::new()).role, Some(Role::Guard));
/// ```
#[derive(Debug, Clone, Default)]
pub struct AddUserInfo {
    verdict: Verdict,
}

impl AddUserInfo {
    /// Creates a handler with the names as they are now.
    #[must_use]
    pub fn new() -> Self {
        let lines: Vec<String> = [("user", user()), ("machine", machine())]
            .into_iter()
            .filter_map(|(what, name)| Some(format!("{what}: {}", name?)))
            .collect();
        let verdict = match lines.is_empty() {
            true => Verdict::none(),
            false => Verdict::none().context(lines.join("\n")),
        };
        Self { verdict }
    }
}

/// Returns the name of the account, with the full name in brackets.
#[cfg(unix)]
fn user() -> Option<String> {
    let id = rustix::process::getuid().as_raw().to_string();
    let accounts = std::fs::read_to_string("/etc/passwd").ok()?;
    accounts.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        let [name, _, number, _, about, ..] = fields.as_slice() else { return None };
        let full = about.split(',').next().unwrap_or_default().trim();
        (*number == id).then(|| match full {
            "" => (*name).to_owned(),
            full if full == *name => (*name).to_owned(),
            full => format!("{name} ({full})"),
        })
    })
}

#[cfg(unix)]
fn machine() -> Option<String> {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    Some(name).filter(|name| !name.is_empty())
}

#[cfg(not(unix))]
fn user() -> Option<String> {
    std::env::var("USERNAME").ok()
}

#[cfg(not(unix))]
fn machine() -> Option<String> {
    std::env::var("COMPUTERNAME").ok()
}

impl SyncHandler for AddUserInfo {
    fn handle(&self, _: Invocation<'_>) -> Reply {
        Ok(self.verdict.clone())
    }
}

impl From<AddUserInfo> for BuiltHandler {
    fn from(handler: AddUserInfo) -> Self {
        Self::from_sync(handler).role(Role::Guard).supports(takes_context)
    }
}

/// Builds the handler from the settings of a config.
#[expect(clippy::unnecessary_wraps, reason = "it is a factory")]
fn build(_: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    Some(AddUserInfo::new().into())
}
