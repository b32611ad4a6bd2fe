//! An audit: a line for every dispatch that did not simply clear its step.

use std::sync::{Arc, Mutex, PoisonError};

use hookgate::recorder::{DispatchEnd, Record, RecordLost};
use hookgate::{Outcome, Recorder};

/// Keeps the lines in memory; a real one hands the records to a writer, by a
/// [`Channel`](hookgate::recorder::Channel). Clones share the lines.
#[derive(Clone, Default)]
pub(crate) struct Audit(Arc<Mutex<Lines>>);

#[derive(Default)]
struct Lines {
    dispatches: usize,
    lines: Vec<String>,
}

impl Recorder for Audit {
    fn record(&self, record: Record) -> Result<(), RecordLost> {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.dispatches += 1;
        let Record { end, report, .. } = record;
        if report.decision != Outcome::Allow || end != DispatchEnd::Decided {
            let event = report.event.unwrap_or_default();
            let (session, outcome) = (report.session_id, report.decision.name());
            let by = report.by.join(", ");
            let by = if by.is_empty() { by } else { format!(" by {by}") };
            lines.lines.push(format!("{session}: {event} {end}: {outcome}{by}"));
        }
        Ok(())
    }
}

impl Audit {
    /// Prints the lines, those of one session together.
    pub(crate) fn print(&self) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let session = |line: &String| line.split(':').next().unwrap_or_default().to_owned();
        lines.lines.sort_by_key(session);
        println!("{} dispatches, of them", lines.dispatches);
        for line in &lines.lines {
            println!("  {line}");
        }
    }
}
