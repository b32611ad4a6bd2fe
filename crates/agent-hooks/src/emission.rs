//! What came of a context.

use hookgate::Report;
use serde_json::{Map, Value};

use crate::record::InterceptionRecord;

/// What came of a context: whether the agent may act, on what, and the record of it.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "an action whose context was not permitted must not happen"]
pub struct Emission {
    record: InterceptionRecord,
    context: Map<String, Value>,
    goes_on: bool,
    report: Option<Report>,
}

/// An action that must not happen.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{} is blocked: {}", .record.interception_point, .record.verdict.reason.as_deref().unwrap_or("no reason"))]
#[non_exhaustive]
pub struct Blocked {
    /// The record.
    pub record: Box<InterceptionRecord>,
}

impl Emission {
    pub(crate) const fn new(
        record: InterceptionRecord,
        context: Map<String, Value>,
        goes_on: bool,
        report: Option<Report>,
    ) -> Self {
        Self { record, context, goes_on, report }
    }

    /// Returns the record.
    #[must_use]
    pub const fn record(&self) -> &InterceptionRecord {
        &self.record
    }

    /// Returns the record of the engine, with the texts that hooks add for the model and the user;
    /// `None` if the context was refused before the engine saw it.
    #[must_use]
    pub const fn report(&self) -> Option<&Report> {
        self.report.as_ref()
    }

    /// Returns the context to act on, with all changes, and nothing else may be acted on.
    ///
    /// # Errors
    /// The action must not happen.
    pub fn permitted(self) -> Result<Map<String, Value>, Blocked> {
        if self.goes_on { Ok(self.context) } else { Err(Blocked { record: Box::new(self.record) }) }
    }
}
