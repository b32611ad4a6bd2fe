//! Steps that are recorded: what the dispatch pays, and what it takes until the record is in the journal.

use std::time::Duration;

use hookgate::recorder::Record;
use hookgate::{Engine, ToolUse};
use hookgate_store::{EnvelopeMode, Journal, JournalSettings};

use super::{Loop, dispatched, engines};

/// How long the last rows may take.
const LONG: Duration = Duration::from_secs(600);

/// An engine that hands over its records to nobody.
pub(super) fn handed_over(step: impl Fn() -> ToolUse + 'static) -> Loop {
    dispatched(engines::silent(1).with_recorder(drop::<Record>), step)
}

/// An engine with a journal. A round is over when its rows are written, by the thread of the journal.
pub(super) fn written(envelope: EnvelopeMode, step: impl Fn() -> ToolUse + 'static) -> Loop {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("no folder: {error}"));
    let mut settings = JournalSettings::new(folder.path().join("journal.db"));
    settings.envelope = envelope;
    settings.queue = 1_000_000;
    let journal = Journal::open(settings).unwrap_or_else(|error| panic!("no journal: {error}"));
    let engine: Engine = engines::silent(1).with_recorder(journal.clone());
    let mut dispatches = dispatched(engine, step);
    Box::new(move |times| {
        let _kept = &folder;
        dispatches(times);
        journal.flush(LONG).unwrap_or_else(|error| panic!("a row was lost: {error}"));
    })
}
