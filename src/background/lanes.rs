//! Which background calls wait and which run: a lane for each tokio runtime that made some.
//!
//! A call runs in the runtime that it came from. If that runtime ends, the calls of its lane are
//! lost, and counted as that; the other lanes do not notice.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use tokio::runtime::Id;

use super::{Job, State};
use crate::events::DropReason;
use crate::table::Limits;

/// The lanes of an engine.
#[derive(Default)]
pub(super) struct Lanes {
    by_runtime: HashMap<Id, Lane>,
    /// How many calls wait in all lanes together.
    waiting: usize,
    /// How many calls of a lane may run at the same time: what the last table to make one says.
    concurrency: usize,
    /// Whether no calls are taken any more.
    closed: bool,
}

#[derive(Default)]
struct Lane {
    waiting: VecDeque<Job>,
    /// How many runners it has.
    running: usize,
}

impl Lanes {
    /// Takes a call. Where a runner is to be started for it, the first call of the lane comes back.
    pub(super) fn put(
        &mut self,
        runtime: Id,
        job: Job,
        limits: &Limits,
    ) -> Result<Option<Job>, DropReason> {
        if self.closed {
            return Err(DropReason::ShutDown);
        }
        self.concurrency = limits.concurrency.max(1);
        let lane = self.by_runtime.entry(runtime).or_default();
        if lane.running < self.concurrency {
            lane.running += 1;
            lane.waiting.push_back(job);
            let first = lane.waiting.pop_front();
            return Ok(first);
        }
        if self.waiting >= limits.background_queue.max(1) {
            return Err(DropReason::QueueFull);
        }
        lane.waiting.push_back(job);
        self.waiting += 1;
        Ok(None)
    }

    /// The next call for a runner of a lane; none where the runner is to end.
    fn next(&mut self, runtime: Id) -> Option<Job> {
        let lane = self.by_runtime.get_mut(&runtime)?;
        let job = if lane.running > self.concurrency { None } else { lane.waiting.pop_front() };
        match job {
            Some(job) => {
                self.waiting -= 1;
                Some(job)
            }
            None => {
                self.leave(runtime);
                None
            }
        }
    }

    /// A runner of a lane has ended. If it was the last one, the calls that still wait come back:
    /// nobody is left to make them.
    fn leave(&mut self, runtime: Id) -> VecDeque<Job> {
        let Some(lane) = self.by_runtime.get_mut(&runtime) else { return VecDeque::new() };
        lane.running = lane.running.saturating_sub(1);
        if lane.running > 0 {
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

/// Makes the calls of a lane, one after the other. Dropped before its work is done, because its
/// runtime has ended, it counts what is lost.
pub(super) struct Runner {
    state: Arc<State>,
    runtime: Id,
    job: Option<Job>,
    /// Whether its present call has begun.
    begun: bool,
}

impl Runner {
    /// A runner that begins with a call.
    pub(super) const fn new(state: Arc<State>, runtime: Id, first: Job) -> Self {
        Self { state, runtime, job: Some(first), begun: false }
    }

    pub(super) async fn work(mut self) {
        self.begun = true;
        while let Some(job) = &self.job {
            self.state.run(job).await;
            // Nothing waits between this and the next line, and the lock is free when the call that
            // is done is dropped: a runner without a call has left its lane.
            let next = self.state.lanes().next(self.runtime);
            self.job = next;
        }
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        let Some(job) = self.job.take() else { return };
        let mut waiting = Vec::from(self.state.lanes().leave(self.runtime));
        if !self.begun {
            waiting.insert(0, job);
        }
        self.state.lose(usize::from(self.begun), &waiting);
    }
}
