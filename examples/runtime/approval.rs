//! From a question to an answer: `permission_request`, the user, `permission_decided`.

use hookgate::contract::Cancel;
use hookgate::contract::payload::{PermissionDecided, PermissionRequest};
use hookgate::{Asked, Denied, Gate, HookEngine, Scope, ToolUse};
use serde_json::json;

use crate::cancellation::Esc;
use crate::ended::Ended;

/// The scripted user.
#[derive(Debug, Clone, Copy)]
pub(crate) enum User {
    Agrees,
    Refuses,
    /// Agrees to another command.
    Edits(&'static str),
    /// Presses Esc.
    Leaves,
}

/// Puts a question to the user, unless a hook answers in the user's place.
///
/// `permission_request` is dispatched first. A hook can deny there, or allow, which counts as the
/// approval of the user. The hooks at `permission_decided` see what came out.
pub(crate) async fn resolve(
    asked: Asked<ToolUse>,
    user: &User,
    scope: &Scope,
    esc: &Esc,
) -> Result<Result<Gate<ToolUse>, Denied<ToolUse>>, Ended> {
    let context = &scope.context().cancel(esc);
    let call = asked.payload().clone();
    let answer = match scope.dispatch(PermissionRequest::new(call.clone()), context).await {
        Gate::Denied(denied) => return Ok(Err(asked.refuse(denied.reason()))),
        Gate::Cleared(cleared) if !cleared.approved_by().is_empty() => &User::Agrees,
        Gate::Cleared(_) | Gate::Asked(_) => user,
    };
    let decision = match answer {
        User::Agrees | User::Edits(_) => "allow",
        User::Refuses => "deny",
        User::Leaves => {
            esc.press();
            "canceled"
        }
    };
    // What the user has said is told whether or not he has stopped the rest.
    let decided = PermissionDecided::new(call, decision);
    let Gate::Cleared(()) = scope.dispatch(decided, &scope.context()).await;
    if esc.is_cancelled() {
        return Err(Ended::Cancelled);
    }
    match answer {
        // If the table was swapped while the user was thinking, the step is evaluated again.
        User::Agrees => Ok(Ok(asked.approve(scope, context).await)),
        // So it is with other arguments; of hooks that ask once more, the user has answered those that had asked.
        User::Edits(command) => {
            let edit = json!({"tool_input": {"command": command}}).as_object().cloned();
            let edited = asked.approve_with(edit.unwrap_or_default(), scope, context).await;
            Ok(Ok(edited.map_err(|error| Ended::Stopped(error.to_string()))?))
        }
        _ => Ok(Err(asked.reject("the user said no", scope, context).await)),
    }
}
