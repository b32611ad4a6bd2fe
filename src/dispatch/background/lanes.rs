//! Which background calls wait and which run: one lane for each tokio runtime.
//!
//! A call runs in the runtime from which it was submitted, because its handler may hold timers and
//! sockets of that runtime. If a runtime ends, the calls of its lane are lost, and counted as that;
//! the other lanes go on. The bound on waiting calls is for all lanes together, the bound on running
//! ones for each.

use std::collections::{HashMap, VecDeque};

use tokio::runtime::Id;

use crate::events::DropReason;
use crate::table::Limits;

/// The lanes of an engine, with calls of type `C`.
pub(super) struct Lanes<C> {
    by_runtime: HashMap<Id, Lane<C>>,
    /// How many calls wait in all lanes together.
    waiting: usize,
    /// How many calls of one lane may run at the same time: the limit of the table whose dispatch
    /// was the last to submit one.
    concurrency: usize,
    /// Whether no calls are taken any more.
    closed: bool,
}

struct Lane<C> {
    waiting: VecDeque<C>,
    /// How many runners the lane has.
    runners: usize,
}

impl<C> Default for Lanes<C> {
    fn default() -> Self {
        Self { by_runtime: HashMap::new(), waiting: 0, concurrency: 0, closed: false }
    }
}

impl<C> Default for Lane<C> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), runners: 0 }
    }
}

impl<C> Lanes<C> {
    /// Takes a call. If a runner is to be started for it, the first call of the lane is returned.
    ///
    /// # Errors
    /// Why the call is not taken.
    pub(super) fn push(
        &mut self,
        runtime: Id,
        call: C,
        limits: &Limits,
    ) -> Result<Option<C>, DropReason> {
        if self.closed {
            return Err(DropReason::ShutDown);
        }
        self.concurrency = limits.concurrency.max(1);
        let lane = self.by_runtime.entry(runtime).or_default();
        if lane.runners < self.concurrency {
            lane.runners += 1;
            lane.waiting.push_back(call);
            return Ok(lane.waiting.pop_front());
        }
        if self.waiting >= limits.background_queue.max(1) {
            return Err(DropReason::QueueFull);
        }
        lane.waiting.push_back(call);
        self.waiting += 1;
        Ok(None)
    }

    /// Returns the next call for a runner of a lane; `None` if the runner is to end, because no call waits
    /// or because a new table allows fewer runners.
    pub(super) fn next(&mut self, runtime: Id) -> Option<C> {
        let lane = self.by_runtime.get_mut(&runtime)?;
        let call = if lane.runners > self.concurrency { None } else { lane.waiting.pop_front() };
        match call {
            Some(call) => {
                self.waiting -= 1;
                Some(call)
            }
            None => {
                self.end_runner(runtime);
                None
            }
        }
    }

    /// Counts a runner of a lane out. If it was the last one, the calls that still wait are returned:
    /// nothing is left to run them.
    pub(super) fn end_runner(&mut self, runtime: Id) -> VecDeque<C> {
        let Some(lane) = self.by_runtime.get_mut(&runtime) else { return VecDeque::new() };
        lane.runners = lane.runners.saturating_sub(1);
        if lane.runners > 0 {
            return VecDeque::new();
        }
        let left = self.by_runtime.remove(&runtime).map(|lane| lane.waiting).unwrap_or_default();
        self.waiting = self.waiting.saturating_sub(left.len());
        left
    }

    /// Takes no more calls.
    pub(super) const fn close(&mut self) {
        self.closed = true;
    }
}
