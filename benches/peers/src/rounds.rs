//! A case that is ready to run, as often as wanted.

use std::fmt;
use std::future::Future;

/// Runs a case a number of times.
type Run = Box<dyn Fn(u64) + Send + Sync>;

thread_local! {
    /// The runtime of each thread: it has a clock, since the peers set a deadline for each hook.
    static RUNTIME: Option<tokio::runtime::Runtime> =
        tokio::runtime::Builder::new_current_thread().enable_time().build().ok();
}

/// A case that is ready to run.
pub struct Rounds {
    prepare: Option<Run>,
    run: Run,
}

impl fmt::Debug for Rounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rounds").field("prepared", &self.prepare.is_some()).finish()
    }
}

impl Rounds {
    /// Makes rounds that need nothing beforehand.
    pub(crate) fn new(run: impl Fn(u64) + Send + Sync + 'static) -> Self {
        Self { prepare: None, run: Box::new(run) }
    }

    /// Makes rounds that use up what was prepared for them, which is not measured.
    pub(crate) fn prepared(
        prepare: impl Fn(u64) + Send + Sync + 'static,
        run: impl Fn(u64) + Send + Sync + 'static,
    ) -> Self {
        Self { prepare: Some(Box::new(prepare)), run: Box::new(run) }
    }

    /// Prepares so many rounds. What was left of rounds before is dropped.
    pub fn prepare(&self, times: u64) {
        if let Some(prepare) = &self.prepare {
            prepare(times);
        }
    }

    /// Runs so many rounds, which were prepared.
    pub fn run(&self, times: u64) {
        (self.run)(times);
    }

    /// Prepares and runs so many rounds.
    pub fn warm_up(&self, times: u64) {
        self.prepare(times);
        self.run(times);
    }
}

/// Runs a future to its end on the runtime of this thread.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    RUNTIME.with(|runtime| match runtime {
        Some(runtime) => runtime.block_on(future),
        None => panic!("no runtime could be made on this thread"),
    })
}
