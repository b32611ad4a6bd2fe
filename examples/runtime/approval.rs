//! From a question to an answer: `permission_request`, the user, `permission_decided`.

use hookgate::contract::payload::{PermissionDecided, PermissionRequest};
use hookgate::{Asked, Denied, Engine, Gate, HookEngine, StepContext, ToolUse};

/// The scripted user.
#[derive(Debug, Clone, Copy)]
pub(crate) enum User {
    Agrees,
    Refuses,
}

/// Puts a question to the user, unless a hook answers in the user's place.
///
/// `permission_request` is dispatched first. A hook can deny there, or allow, which counts as the
/// approval of the user. The hooks at `permission_decided` see what came out.
pub(crate) async fn resolve(
    asked: Asked<ToolUse>,
    user: User,
    engine: &Engine,
    context: &StepContext<'_>,
) -> Result<Gate<ToolUse>, Denied<ToolUse>> {
    let call = asked.payload().clone();
    let agreed = match engine.dispatch(PermissionRequest::new(call.clone()), context).await {
        Gate::Denied(denied) => return Err(asked.refuse(denied.reason())),
        Gate::Cleared(cleared) if !cleared.approved_by().is_empty() => true,
        Gate::Cleared(_) | Gate::Asked(_) => matches!(user, User::Agrees),
    };
    let decision = if agreed { "allow" } else { "deny" };
    let Gate::Cleared(()) = engine.dispatch(PermissionDecided::new(call, decision), context).await;
    if agreed {
        // If the table was swapped while the user was thinking, the step is evaluated again.
        Ok(asked.approve(engine, context).await)
    } else {
        Err(asked.refuse("the user said no"))
    }
}
