//! `add_environment_info`: where the agent works, for the model.

use std::env::{self, consts};

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Invocation, Reply, Role, SyncHandler, Verdict,
};

use crate::doc::{Build, BuiltinDoc};
use crate::folder::{repository, session_folder};
use crate::supports::takes_context;

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "add_environment_info",
    role: Role::Guard,
    about: "adds the folder, the system and the shell for the model",
    supports: Some(takes_context),
    settings: &[],
    example: r#"[[hook]]
id = "environment"
event = "session_start"
builtin = { name = "add_environment_info" }
"#,
    build: Build::Alone(build),
};

/// Adds where the agent works: the folder of the session, whether it is in a git repository, the
/// operating system, the architecture of the processor, the shell.
///
/// ```toml
/// [[hook]]
/// id = "environment"
/// event = "session_start"
/// builtin = { name = "add_environment_info" }
/// ```
///
/// It has no settings. It answers with `context` and without a decision, at events that take context;
/// it is refused at the others. If the folder of the session is not known it has no opinion. It never
/// fails.
///
/// ```
/// use hookgate_builtin::AddEnvironmentInfo;
/// use hookgate_contract::payload::TurnStart;
/// use hookgate_contract::{Envelope, Invocation, StepContext, StepId, SyncHandler};
///
/// let (payload, context) = (TurnStart::new(1), StepContext::new("session-1").cwd("/no/where"));
/// let id = StepId::new(Some("step-1"), String::new);
/// let envelope = Envelope::new(&payload, &context, &id, 1, 64 * 1024);
/// let verdict = AddEnvironmentInfo.handle(Invocation::new("environment", &envelope)).unwrap();
/// let text = verdict.parts().unwrap().context.concat();
/// assert!(text.contains("folder: /no/where\n") && text.contains("git repository: no\n"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct AddEnvironmentInfo;

impl SyncHandler for AddEnvironmentInfo {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let Some(folder) = session_folder(&invocation) else { return Ok(Verdict::none()) };
        let git = if repository(folder).is_some() { "yes" } else { "no" };
        let mut text = format!(
            "The environment:\nfolder: {}\ngit repository: {git}\nsystem: {}\nprocessor: {}\n",
            folder.display(),
            consts::OS,
            consts::ARCH
        );
        if let Ok(shell) = env::var("SHELL") {
            text.push_str(&format!("shell: {shell}\n"));
        }
        Ok(Verdict::none().context(text))
    }
}

impl From<AddEnvironmentInfo> for BuiltHandler {
    fn from(handler: AddEnvironmentInfo) -> Self {
        Self::from_sync(handler).role(Role::Guard).supports(takes_context)
    }
}

/// Builds the handler from the settings of a config.
#[expect(clippy::unnecessary_wraps, reason = "it is a factory")]
fn build(_: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    Some(AddEnvironmentInfo.into())
}
