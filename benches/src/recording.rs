//! How many records a journal writes in a second, and how many are read from it, of steps as agents make them.

use std::fs;
use std::future::Future;
use std::path::Path;
use std::time::{Duration, Instant};

use hookgate::envelope::Incoming;
use hookgate::recorder::{Channel, Record, Recorder as _};
use hookgate_store::{EnvelopeMode, Filter, Journal, JournalSettings, Reader};

use crate::cases::silent;
use crate::error::MeasureError;

/// How long the last rows may take.
const LONG: Duration = Duration::from_secs(600);

/// What came of it.
pub(crate) struct Recorded {
    /// On the clock.
    pub(crate) rows_per_second: f64,
    /// What the threads of the journal have worked for one row, where the system tells it.
    pub(crate) microseconds: Option<f64>,
    /// How many entries are read in a second.
    pub(crate) read_per_second: f64,
}

/// Records the steps of a folder, one envelope a line in `*.jsonl`, over and over until it is so many.
///
/// The records are made beforehand and get an id each while they are recorded: what is measured is the journal.
pub(crate) fn record(
    folder: &Path,
    times: usize,
    envelope: EnvelopeMode,
) -> Result<Recorded, MeasureError> {
    let records = records_of(folder)?;
    let place = tempfile::tempdir().unwrap_or_else(|error| panic!("no folder: {error}"));
    let file = place.path().join("journal.db");
    let mut settings = JournalSettings::new(&file).waiting();
    settings.envelope = envelope;
    let journal = Journal::open(settings).unwrap_or_else(|error| panic!("no journal: {error}"));
    let start = Instant::now();
    for (index, record) in records.iter().cycle().take(times).enumerate() {
        let mut record = record.clone();
        record.report.step_id = Some(format!("01893c0a-7c3e-7000-8000-{index:012}"));
        if let Some(ready) = journal.ready() {
            wait(ready);
        }
        journal.record(record).unwrap_or_else(|lost| panic!("{lost}"));
    }
    journal.flush(LONG).unwrap_or_else(|error| panic!("a row was lost: {error}"));
    let elapsed = start.elapsed();
    let worked = worked();
    let reading = Instant::now();
    let mut read = 0_usize;
    let reader = Reader::open(&file).unwrap_or_else(|error| panic!("no journal: {error}"));
    let all = reader.for_each(&Filter::default(), |entry| {
        read += usize::from(entry.record().is_some());
        true
    });
    all.unwrap_or_else(|error| panic!("an entry cannot be read: {error}"));
    assert_eq!(read, times, "a record was lost");
    let reading = reading.elapsed();
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^52")]
    let times = times as f64;
    Ok(Recorded {
        rows_per_second: times / elapsed.as_secs_f64(),
        read_per_second: times / reading.as_secs_f64(),
        microseconds: worked.map(|worked| worked.as_secs_f64() * 1e6 / times),
    })
}

fn wait<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap_or_else(|error| panic!("no runtime: {error}")).block_on(future)
}

/// Returns the records of an engine with one hook that says nothing.
fn records_of(folder: &Path) -> Result<Vec<Record>, MeasureError> {
    let refuse = |error| MeasureError::Steps { folder: folder.to_owned(), error };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(refuse)? {
        files.push(entry.map_err(refuse)?.path());
    }
    files.retain(|file| file.extension().is_some_and(|end| end == "jsonl"));
    files.sort();
    let mut all = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).map_err(refuse)?;
        let (channel, mut records) = Channel::dropping(1);
        let engine = silent(1).with_recorder(channel.with_envelopes());
        for line in text.lines() {
            let mut step = Incoming::parse(line.as_bytes())
                .map_err(|error| refuse(std::io::Error::other(error.to_string())))?;
            drop(wait(engine.evaluate(&mut step)));
            all.extend(records.try_next());
        }
    }
    Ok(all)
}

/// Returns how long the threads of the journal have worked.
fn worked() -> Option<Duration> {
    let mut all = Duration::ZERO;
    for thread in fs::read_dir("/proc/self/task").ok()?.flatten() {
        let name = fs::read_to_string(thread.path().join("comm")).unwrap_or_default();
        if name.starts_with("journal") {
            let times = fs::read_to_string(thread.path().join("schedstat")).ok()?;
            all += Duration::from_nanos(times.split(' ').next()?.parse().ok()?);
        }
    }
    Some(all)
}
