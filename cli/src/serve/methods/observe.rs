//! `observe`: an event that nothing can stop. It is told, and never judged: there is no verdict that a host could take
//! for an allow.

use std::sync::Arc;

use hookgate::contract::EventKind;
use hookgate::decision::VoteOutcome;
use hookgate::{Generation, HookId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::caller::Caller;
use super::super::error::{CallError, Code};
use super::super::told::Told;
use super::judge;
use super::step::Step;

/// An event that has happened.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Observe {
    /// The session.
    session: String,
    /// The event: an envelope (`hookgate schema envelope`).
    step: Map<String, Value>,
    /// After how many milliseconds the host does not wait any longer.
    #[serde(default)]
    deadline_ms: Option<u64>,
}

/// The hooks have been told.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Observed {
    /// The step.
    #[serde(skip_serializing_if = "Option::is_none")]
    step_id: Option<String>,
    /// The table whose hooks were told.
    generation: Generation,
    /// The hooks that have failed.
    failed: Vec<HookId>,
}

pub(crate) async fn call(caller: &Arc<Caller>, params: Observe) -> Result<Observed, CallError> {
    let Observe { session, step, deadline_ms } = params;
    judge::within(judge::time(caller, deadline_ms), async {
        let Step { scope, mut incoming, .. } = Step::read(caller, &session, step).await?;
        if judge::incoming_kind(&incoming) != EventKind::Observe {
            let message = "hooks can answer at this event: have it judged with `judge`";
            return Err(CallError::new(Code::NeedsVerdict, message));
        }
        let report = scope.evaluate(&mut incoming).await;
        caller.service.counts.observed();
        caller.service.tell(|| Told::Decision(Box::new(report.clone())));
        let failed = report.votes.iter().filter(|vote| vote.outcome == VoteOutcome::Failed);
        Ok(Observed {
            failed: failed.map(|vote| vote.hook.clone()).collect(),
            generation: report.generation,
            step_id: report.step_id,
        })
    })
    .await
}
