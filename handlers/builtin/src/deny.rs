//! `deny`: the step does not happen.

use hookgate_contract::settings::Settings;
use hookgate_contract::{
    BuildContext, BuiltHandler, Invocation, ReasonCode, Reply, Role, SyncHandler, Verdict,
};

use crate::settings::required_prose;
use crate::supports::can_deny;

const CODES: &[&str] = &["policy_violation", "safety_violation", "schema_violation"];

/// Denies every step that its hook matches, with a fixed reason.
///
/// It is the guard for rules that a matcher can express: no `Bash` in this project, no writes
/// outside of it. The reason goes to whoever proposed the step; before a tool that is the model, so
/// say what to do instead.
///
/// ```toml
/// [[hook]]
/// id = "no-force-push"
/// event = "pre_tool_use"
/// tool = "Bash"
/// input = { "/command" = { regex = "push.*--force" } }
/// builtin = { name = "deny", reason = "push without --force", reason_code = "safety_violation" }
/// ```
///
/// | setting | type | meaning |
/// |---|---|---|
/// | `reason` | string, required | the reason; must not be blank |
/// | `reason_code` | string | `policy_violation` (as without it), `safety_violation` or `schema_violation` |
///
/// It answers `deny` at every event that can be denied and is refused at the others. It never fails.
///
/// ```
/// use hookgate_builtin::Deny;
/// use hookgate_contract::StepId;
/// use hookgate_contract::payload::ToolCall;
/// use hookgate_contract::{Envelope, Invocation, StepContext, SyncHandler, Verdict};
///
/// let call = ToolCall::new("Bash", serde_json::json!({"command": "git push --force"}));
/// let context = StepContext::new("session-1");
/// let id = StepId::new(Some("step-1"), String::new);
/// let envelope = Envelope::new(&call, &context, &id, 1, 64 * 1024);
///
/// let deny = Deny::new("push without --force");
/// let verdict = deny.handle(Invocation::new("no-force-push", &envelope)).unwrap();
/// assert_eq!(verdict, Verdict::deny("push without --force"));
/// ```
#[derive(Debug, Clone)]
pub struct Deny {
    verdict: Verdict,
}

impl Deny {
    /// Creates a handler that denies with this reason.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { verdict: Verdict::deny(reason.into()) }
    }

    /// Sets the code of the reason, which programs read.
    #[must_use]
    pub fn reason_code(self, code: ReasonCode) -> Self {
        Self { verdict: self.verdict.reason_code(code) }
    }
}

impl SyncHandler for Deny {
    fn handle(&self, _: Invocation<'_>) -> Reply {
        Ok(self.verdict.clone())
    }
}

impl From<Deny> for BuiltHandler {
    fn from(handler: Deny) -> Self {
        Self::from_sync(handler).role(Role::Guard).supports(can_deny).static_answer()
    }
}

/// Builds the handler from the settings of a config.
pub(crate) fn build(settings: &mut Settings<'_>, _: &BuildContext<'_>) -> Option<BuiltHandler> {
    // The other codes say how the engine came to a deny; no hook gives them.
    let hook_code = |name: &str| ReasonCode::from_name(name).filter(|code| code.is_for_hooks());
    let code = settings.choice("reason_code", CODES, hook_code);
    let deny = Deny::new(required_prose(settings, "reason")?);
    Some(match code {
        Some(code) => deny.reason_code(code).into(),
        None => deny.into(),
    })
}
