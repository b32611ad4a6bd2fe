//! What became of all cases.

use std::time::Duration;

use super::case_run::{CaseRun, Status};
use super::coverage::Coverage;

/// What became of all cases.
#[derive(Debug)]
pub(super) struct TestOutcome {
    pub(super) runs: Vec<CaseRun>,
    pub(super) coverage: Option<Coverage>,
    /// The seed of the order, if it was shuffled.
    pub(super) seed: Option<u64>,
    pub(super) duration: Duration,
}

impl TestOutcome {
    /// Returns how many runs have come to this.
    pub(super) fn count(&self, status: Status) -> usize {
        self.runs.iter().filter(|run| run.status == status).count()
    }

    /// Returns how many cases were run, however they ended.
    pub(super) fn ran(&self) -> usize {
        self.runs.len() - self.count(Status::Skipped)
    }
}
