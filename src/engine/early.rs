//! What hooks say of a piece of a text that still comes, and of the whole at its end.

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{StepContext, StepId};

use super::Engine;
use crate::clock;
use crate::decision::Decision;
use crate::dispatch::{DispatchContext, evaluate};
use crate::report::Report;
use crate::step::{Gate, HookStep};
use crate::table::HandlerTable;

impl Engine {
    /// Has the hooks of a table of [early hooks](crate::table::EarlyHooks) judge a piece, and changes it as they say.
    /// Nothing is recorded: the whole is dispatched later.
    pub(crate) async fn judge_piece(
        &self,
        early: &HandlerTable,
        piece: &mut dyn AnyPayload,
        context: &StepContext<'_>,
    ) -> Option<Box<Decision>> {
        let bucket = early.bucket(piece)?;
        let set = bucket.matched(piece);
        let step_id = StepId::new(context.step_id, clock::step_id);
        let dispatch =
            DispatchContext::new(&self.shared.services, early, bucket, &set, context, &step_id)
                .may_wait();
        evaluate(&dispatch, piece).await.decision
    }

    /// Dispatches the whole, and reports what its hooks have done. What was published in the background is left to
    /// whoever takes it.
    pub(crate) async fn dispatch_whole<S: HookStep>(
        &self,
        mut step: S,
        context: &StepContext<'_>,
    ) -> (Gate<S>, Report) {
        let (payload, settle) = (step.payload_mut(), Gate::<S>::settle_any);
        let (clearance, answer, report) =
            self.clear_reported(payload, context, settle, false).await;
        (Gate::open(step, clearance, answer), report)
    }
}
