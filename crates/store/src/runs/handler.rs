//! What a run is done by.

use std::future::Future;
use std::pin::Pin;

use serde_json::Value;

use super::claimed::Refusal;
use super::record::Run;

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RunOutcome {
    /// It is done.
    Succeeded {
        /// What came of it; its hashes are recorded.
        contributions: Vec<Value>,
        /// What it says for the audit; it is recorded without secrets.
        audit: Vec<Value>,
    },
    /// There was nothing to do.
    Skipped {
        /// Why.
        why: String,
    },
    /// It has failed.
    Failed {
        /// The class of the failure.
        class: String,
        /// Why.
        why: String,
        /// Whether it may go away, so that the run is tried again.
        may_go_away: bool,
    },
    /// It took too long.
    TimedOut {
        /// What took too long.
        why: String,
    },
    /// It cannot be done here.
    Refused {
        /// Whatever is missing.
        refusal: Refusal,
        /// Why.
        why: String,
    },
}

/// The future of an attempt.
pub type HandledFuture<'a> = Pin<Box<dyn Future<Output = RunOutcome> + Send + 'a>>;

/// Does runs.
pub trait RunHandler: Send + Sync {
    /// Returns the hash of the config in force; what another one has queued is superseded. Empty is any.
    fn config_hash(&self) -> String {
        String::new()
    }

    /// Returns when that config was read, in milliseconds since 1970. What another one has queued later is left, since it
    /// may be the newer one; `None` is a config that is always the latest.
    fn config_read(&self) -> Option<u64> {
        None
    }

    /// Returns whether it can do a run.
    fn handles(&self, run: &Run) -> bool;

    /// Does a run, with what it is to be done with. The future is dropped when the time of the attempt is over, when the
    /// run is cancelled, and when this process is not its holder any more. It must not hold its thread: a future that does
    /// cannot be stopped.
    fn handle<'a>(&'a self, run: &'a Run, input: &'a Value) -> HandledFuture<'a>;
}
