//! A dispatch as a span of `tracing`. Nothing of it is made where nobody listens.
//!
//! The span and its events name hooks, events, sessions and steps; what was judged and what hooks
//! say stands in none of them.

use hookgate_contract::payload::AnyPayload;
use tracing::field::Empty;
use tracing::{Instrument, Level};

use super::{DispatchContext, Evaluated, evaluate_untraced};
use crate::decision::Outcome;

/// Whether anybody wants spans: mostly one load.
#[inline]
pub(crate) fn is_traced() -> bool {
    tracing::span_enabled!(target: "hookgate", Level::DEBUG)
}

/// Whether anybody wants to know of slow hooks.
#[inline]
pub(super) fn times() -> bool {
    tracing::enabled!(target: "hookgate", Level::INFO)
}

/// Judges a step inside a span. What is boxed here is none of the business of the dispatches that
/// nobody traces.
#[cold]
pub(super) async fn evaluate(
    setting: DispatchContext<'_>,
    payload: &mut dyn AnyPayload,
) -> Evaluated {
    let span = tracing::debug_span!(
        target: "hookgate",
        "hookgate.dispatch",
        event = payload.event_name(),
        session = setting.context.session_id,
        step = setting.step_id.get(),
        generation = setting.table.generation().get(),
        outcome = Empty,
    );
    let judged = Box::pin(evaluate_untraced(setting, payload).instrument(span.clone())).await;
    let decision = judged.decision.as_deref();
    let outcome = decision.map_or(Outcome::Allow, |decision| decision.outcome).name();
    span.record("outcome", outcome);
    span.in_scope(|| {
        let by = decision.map(|decision| decision.by.join(", ")).unwrap_or_default();
        tracing::debug!(target: "hookgate", by, "a step was judged");
    });
    judged
}
