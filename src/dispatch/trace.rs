//! A dispatch as a span of `tracing`, target `hookgate`. Without a listener nothing of it is made.

use hookgate_contract::payload::AnyPayload;
#[cfg(feature = "tracing")]
use tracing::{Instrument as _, Level, field::Empty};

use super::{DispatchContext, Evaluated, evaluate};
#[cfg(feature = "tracing")]
use crate::decision::Outcome;

/// Returns whether spans are wanted. Mostly this is one load.
#[inline]
pub(crate) fn is_traced() -> bool {
    #[cfg(feature = "tracing")]
    return tracing::span_enabled!(target: "hookgate", Level::DEBUG);
    #[cfg(not(feature = "tracing"))]
    false
}

/// As [`evaluate`], inside a span.
#[cold]
#[cfg(feature = "tracing")]
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

/// As [`evaluate`]: there are no spans.
#[cold]
#[cfg(not(feature = "tracing"))]
pub(crate) async fn evaluate_in_span<'a>(
    context: &'a DispatchContext<'a>,
    payload: &mut dyn AnyPayload,
) -> Evaluated {
    evaluate(context, payload).await
}
