//! A dispatch as a span of `tracing`, target `hookgate`. Without a listener nothing of it is made.
//!
//! The span and its events name hooks, events, sessions and steps. The content of a step and what hooks
//! answered is in none of them: logs travel further than records.
//!
//! | level | what |
//! |---|---|
//! | `DEBUG` | the span `hookgate.dispatch`: event, session, step, generation, outcome |
//! | `INFO` | failures of hooks, slow hooks, swaps of the table |
//! | `WARN` | guards that were not enforced, background calls that were dropped or lost |

use hookgate_contract::payload::AnyPayload;
use tracing::field::Empty;
use tracing::{Instrument, Level};

use super::{DispatchContext, Evaluated, evaluate};
use crate::decision::Outcome;

/// Returns whether spans are wanted. Mostly this is one load.
#[inline]
pub(crate) fn is_traced() -> bool {
    tracing::span_enabled!(target: "hookgate", Level::DEBUG)
}

/// Returns whether hooks are timed, so that slow ones can be logged.
#[inline]
pub(super) fn times_hooks() -> bool {
    tracing::enabled!(target: "hookgate", Level::INFO)
}

/// As [`evaluate`], inside a span.
#[cold]
pub(crate) async fn evaluate_in_span<'a>(
    context: &'a DispatchContext<'a>,
    payload: &mut dyn AnyPayload,
) -> Evaluated {
    let span = tracing::debug_span!(
        target: "hookgate",
        "hookgate.dispatch",
        event = payload.event_name(),
        session = context.step_context.session_id,
        step = context.step_id.get(),
        generation = context.table.generation().get(),
        outcome = Empty,
    );
    let evaluated = Box::pin(evaluate(context, payload).instrument(span.clone())).await;
    let decision = evaluated.decision.as_deref();
    let outcome = decision.map_or(Outcome::Allow, |decision| decision.outcome).name();
    span.record("outcome", outcome);
    span.in_scope(|| {
        let by = decision.map(|decision| decision.by.join(", ")).unwrap_or_default();
        tracing::debug!(target: "hookgate", by, "a step was evaluated");
    });
    evaluated
}
