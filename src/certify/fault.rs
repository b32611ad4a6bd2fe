//! What a hook did with a step, compared with what it must do.

use serde_json::Value;

use super::came::Came;
use super::proof::{Fault, NEVER_CALLED};
use super::values::is_patched;
use crate::decision::Outcome;
use crate::matcher::MatchSpec;
use crate::table::{Canary, HookSpec};

/// Says how a hook did not do what it must; `None` if it did.
#[must_use]
pub fn fault(hook: &HookSpec, canary: &Canary, came: &Came) -> Option<Fault> {
    let Some(vote) = &came.vote else {
        return canary.stops().then(|| not_called(hook, canary, came));
    };
    if let Some(class) = vote.failure {
        return Some(Fault::dead(class.name(), vote.detail.clone().unwrap_or_default()));
    }
    let (must, got) = (canary.decision, came.report.decision);
    if got != must {
        return Some(other_outcome(must, got, came.report.reason.as_deref()));
    }
    if let Some(patch) = &canary.patch
        && !is_patched(patch, &came.report)
    {
        let changed = Value::Object(came.report.final_fields.clone());
        let detail = format!(
            "it made {changed} of the step, and must make {}",
            Value::Object(patch.clone())
        );
        return Some(Fault::dead("other_patch", detail));
    }
    came.disobeyed.clone().map(|why| Fault::dead("not_obeyed", why))
}

fn not_called(hook: &HookSpec, canary: &Canary, came: &Came) -> Fault {
    if needs_history(hook.matcher()) {
        return Fault::untested(
            "history",
            "what it does depends on earlier steps: `hookgate test` has sessions of several",
        );
    }
    if came.may_be_called_elsewhere {
        return Fault::untested(
            "surroundings",
            "its conditions on the time or the place do not hold now",
        );
    }
    let event = canary.event();
    Fault::dead(
        NEVER_CALLED,
        format!("its conditions do not hold for the step at `{event}` that it must stop"),
    )
}

fn other_outcome(must: Outcome, got: Outcome, reason: Option<&str>) -> Fault {
    let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    let (must_name, got_name) = (must.name(), got.name());
    match (must, got) {
        (_, Outcome::Allow) => {
            Fault::dead("let_pass", format!("it let pass what must come out as {must_name}"))
        }
        (Outcome::Allow, _) => {
            Fault::dead("stopped", format!("it says {got_name} where the step must pass{reason}"))
        }
        _ => Fault::dead(
            "other_answer",
            format!("it says {got_name} and must say {must_name}{reason}"),
        ),
    }
}

/// Whether conditions depend on steps before.
fn needs_history(conditions: &MatchSpec) -> bool {
    let own = &mut conditions.registered.iter().map(|one| one.condition());
    own.any(|one| one.uses_history() || one.comes_last())
        || conditions.any.iter().flatten().chain(&conditions.not).any(needs_history)
}
