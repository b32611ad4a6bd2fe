//! `ask`: the user decides.

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Invocation, Reply, Role, SyncHandler, Verdict,
};

use crate::doc::{Build, BuiltinDoc, SettingDoc, SettingType};
use crate::error::BuiltinError;
use crate::reason::Reasoned;
use crate::supports::can_ask;

/// What the builtin is.
pub(crate) const DOC: BuiltinDoc = BuiltinDoc {
    name: "ask",
    role: Role::Guard,
    about: "lets the user decide",
    supports: Some(can_ask),
    settings: &[SettingDoc::required(
        "reason",
        SettingType::Template,
        "the question; a template if it contains `{{`, `{%` or `{#`",
    )],
    example: r#"[[hook]]
id = "deployments"
event = "pre_tool_use"
tool = "mcp__deploy__*"
builtin = { name = "ask", reason = "This deploys to production. Go on?" }
"#,
    build: Build::Alone(build),
};

/// Asks the user about every step that its hook matches.
///
/// It is the guard for what is right most of the time and expensive when it is wrong: a deployment,
/// a payment, a deletion. The reason is the question that the user reads.
///
/// ```toml
/// [[hook]]
/// id = "deployments"
/// event = "pre_tool_use"
/// tool = "mcp__deploy__*"
/// builtin = { name = "ask", reason = "This deploys to production. Go on?" }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `reason` | string or template, required | the question; must not be blank |
///
/// The question may be a template that knows the step and `{{ effect }}`, as that of
/// [`Deny`](crate::Deny). It answers `ask` where the user can be asked (`pre_tool_use`, `permission_request`,
/// `user_prompt_submit`, `config_change`) and is refused at other events. It never fails.
///
/// ```
/// use hookgate_builtin::AskUser;
/// use hookgate_contract::{BuiltHandler, Event, Role};
///
/// let built = BuiltHandler::from(AskUser::new("Deploy to production?"));
/// assert_eq!(built.role, Some(Role::Guard));
/// let supports = built.supports.unwrap();
/// assert!(supports(Event::PreToolUse.contract()).is_ok());
/// assert_eq!(supports(Event::PostToolUse.contract()), Err("the user cannot be asked here"));
/// ```
#[derive(Debug, Clone)]
pub struct AskUser {
    verdict: Reasoned,
}

impl AskUser {
    /// Creates a handler that asks the user for this reason.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { verdict: Reasoned::fixed(Verdict::ask(reason.into())) }
    }

    /// Creates a handler that asks the user for a reason that is a template.
    ///
    /// # Errors
    /// [`BuiltinError::Template`] if the template has a syntax error.
    pub fn template(reason: &str) -> Result<Self, BuiltinError> {
        Ok(Self { verdict: Reasoned::template(reason, Verdict::ask)? })
    }
}

impl SyncHandler for AskUser {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        Ok(self.verdict.verdict(invocation))
    }
}

impl From<AskUser> for BuiltHandler {
    fn from(handler: AskUser) -> Self {
        Self::from_sync(handler).role(Role::Guard).supports(can_ask).static_answer()
    }
}

/// Builds the handler from the settings of a config.
fn build(settings: &mut Settings<'_>, context: &BuildContext<'_>) -> Option<BuiltHandler> {
    Some(AskUser { verdict: Reasoned::required(settings, context, Verdict::ask)? }.into())
}
