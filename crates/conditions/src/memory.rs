//! The conditions that remember share a history and a clock.

use std::sync::Arc;
use std::time::SystemTime;

use hookgate_contract::Envelope;

use crate::clock::Clock;
use crate::history::{History, Moment};

/// What conditions with a memory have in common.
#[derive(Clone)]
pub(crate) struct Memory {
    pub(crate) history: Arc<dyn History>,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Memory {
    /// Calls some code with the moment of a step.
    pub(crate) fn at<T>(
        &self,
        step: &Envelope<'_>,
        run: impl FnOnce(&dyn History, &Moment<'_>) -> T,
    ) -> T {
        let context = step.context();
        // A host may use the id of a call for the steps before and after it.
        let id = format!("{} {}", step.payload().event_name(), step.step_id());
        let now: SystemTime = self.clock.now();
        let moment = Moment::new(context.session_id, &id, now).turn(context.turn);
        run(&*self.history, &moment)
    }
}
