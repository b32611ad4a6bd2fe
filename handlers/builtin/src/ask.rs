//! `ask`: the user decides.

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Invocation, Reply, Role, SyncHandler, Verdict,
};

use crate::settings::required_prose;
use crate::supports::can_ask;

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
/// | `reason` | string, required | the question; must not be blank |
///
/// It answers `ask` where the user can be asked (`pre_tool_use`, `permission_request`,
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
    verdict: Verdict,
}

impl AskUser {
    /// Creates a handler that asks the user for this reason.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { verdict: Verdict::ask(reason.into()) }
    }
}

impl SyncHandler for AskUser {
    fn handle(&self, _: Invocation<'_>) -> Reply {
        Ok(self.verdict.clone())
    }
}

impl From<AskUser> for BuiltHandler {
    fn from(handler: AskUser) -> Self {
        Self::from_sync(handler).role(Role::Guard).supports(can_ask).static_answer()
    }
}

/// Builds the handler from the settings of a config.
pub(crate) fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    Some(AskUser::new(required_prose(settings, "reason")?).into())
}
