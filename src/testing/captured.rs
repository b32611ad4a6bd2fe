//! A recorder that keeps every record.

use std::sync::{Arc, Mutex, PoisonError};

use crate::decision::Outcome;
use crate::recorder::{Record, RecordLost, Recorder};
use crate::report::Report;

/// A [`Recorder`] that keeps the record of every dispatch of its engine. Clones share the records.
///
/// ```
/// use hookgate::testing::{self, Captured};
/// use hookgate::{Engine, HookEngine};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let captured = Captured::new().with_envelopes();
/// let engine = Engine::without_hooks().with_recorder(captured.clone());
/// drop(engine.dispatch(testing::tool_call("Read").step(), &testing::context()).await);
///
/// let reports = captured.reports();
/// assert_eq!(reports[0].event.as_deref(), Some("pre_tool_use"));
/// assert_eq!(reports[0].envelope.as_ref().unwrap()["tool_name"], "Read");
/// # });
/// ```
#[derive(Debug, Clone, Default)]
pub struct Captured {
    records: Arc<Mutex<Vec<Record>>>,
    envelopes: bool,
}

impl Captured {
    /// Creates a recorder without records.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for the envelope of each step in its report.
    #[must_use]
    pub const fn with_envelopes(mut self) -> Self {
        self.envelopes = true;
        self
    }

    /// Returns the records so far, in the order in which the dispatches ended.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the report of each record so far.
    #[must_use]
    pub fn reports(&self) -> Vec<Report> {
        self.records().into_iter().map(|record| record.report).collect()
    }

    /// Returns what came out of each dispatch so far.
    #[must_use]
    pub fn outcomes(&self) -> Vec<Outcome> {
        self.records().into_iter().map(|record| record.report.decision).collect()
    }
}

impl Recorder for Captured {
    fn record(&self, record: Record) -> Result<(), RecordLost> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).push(record);
        Ok(())
    }

    fn wants_envelope(&self) -> bool {
        self.envelopes
    }
}
