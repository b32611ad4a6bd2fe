//! A task that makes the background calls of one lane, one after the other.
//!
//! A lane has as many runners as `limits.concurrency` allows and as there is work for; a runner without
//! work ends. Tokio drops the tasks of a runtime that is shut down, so what a runner has not done by then
//! it can only count: that is what its `Drop` is for. The last runner of a lane also counts what waits in
//! the lane, because no runtime is left that could make those calls.

use std::sync::Arc;

use tokio::runtime::Id;

use super::State;
use crate::dispatch::offload::OwnedCall;

/// Makes the calls of a lane. If it is dropped before its work is done, its runtime has ended: then it
/// counts the calls that are lost.
pub(super) struct Runner {
    state: Arc<State>,
    runtime: Id,
    call: Option<OwnedCall>,
    /// Whether the present call has begun.
    begun: bool,
}

impl Runner {
    /// Returns a runner that begins with a call.
    pub(super) const fn new(state: Arc<State>, runtime: Id, first: OwnedCall) -> Self {
        Self { state, runtime, call: Some(first), begun: false }
    }

    /// Makes calls until the lane has none left.
    pub(super) async fn run(mut self) {
        self.begun = true;
        while let Some(call) = &self.call {
            self.state.run(call).await;
            // No await is between this and the next line, and the lock is free when the finished
            // call is dropped: a runner without a call has left its lane.
            let next = self.state.lanes().next(self.runtime);
            self.call = next;
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        let Some(call) = self.call.take() else { return };
        let mut waiting = Vec::from(self.state.lanes().end_runner(self.runtime));
        if !self.begun {
            waiting.insert(0, call);
        }
        self.state.note_lost(usize::from(self.begun), &waiting);
    }
}
