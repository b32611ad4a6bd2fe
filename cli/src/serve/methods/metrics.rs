//! `metrics`: figures as OpenMetrics.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use schemars::JsonSchema;
use serde::Serialize;

use super::super::caller::Caller;
use super::super::error::CallError;
use super::super::service::Service;
use super::status::Nothing;

/// The type of the text.
const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Figures.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Metrics {
    /// The type of the text, for who hands it on by HTTP.
    pub(crate) content_type: &'static str,
    /// The text, which ends with `# EOF`.
    pub(crate) text: String,
}

pub(crate) fn call(caller: &Arc<Caller>, _: Nothing) -> Result<Metrics, CallError> {
    caller.host()?;
    Ok(figures(&caller.service))
}

/// Returns the figures of a server.
pub(crate) fn figures(service: &Service) -> Metrics {
    // ORDERING: a figure.
    let in_flight = service.in_flight.load(Ordering::Relaxed) as u64;
    let text = service.counts.open_metrics(&[
        ("hookgate_generation", service.engine.table().generation().get()),
        ("hookgate_callers", service.callers() as u64),
        ("hookgate_sessions", service.sessions.count() as u64),
        ("hookgate_in_flight", in_flight),
    ]);
    Metrics { content_type: CONTENT_TYPE, text }
}
