//! What hooks say of a piece of a text that still comes, and of the whole at its end.

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{StepContext, StepId};

use super::Engine;
use crate::clock;
use crate::decision::Decision;
use crate::dispatch::{DispatchContext, evaluate};
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
}
