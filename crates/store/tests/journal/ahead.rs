//! Promise: records that come faster than they are written lose nothing: not their order, not the chain, not a secret
//! to the file, and they leave no long log behind.

use hookgate::recorder::{Record, Recorder as _};
use hookgate_store::{EnvelopeMode, Journal};
use serde_json::json;

use crate::content::{record_of, token};
use crate::failures::lock;
use crate::support::{LONG, Place, bytes, has};

/// More than one group has.
const MANY: usize = 3_000;

/// How many bytes the log beside the file may keep: 256 pages.
const LOG: u64 = 256 * 4096;

/// Records so many steps while somebody else holds the file, so that they come faster than they are written.
async fn record_many(place: &Place, mode: EnvelopeMode) -> Journal {
    let mut settings = place.settings();
    settings.queue = MANY * 2;
    settings.envelope = mode;
    let journal = Journal::open(settings).unwrap();
    let step = record_of("ls").await;
    let other = lock(place);
    for index in 0..MANY {
        journal.record(numbered(&step, index)).unwrap();
    }
    drop(other);
    journal.flush(LONG).unwrap();
    journal
}

fn numbered(step: &Record, index: usize) -> Record {
    let mut step = step.clone();
    step.report.step_id = Some(format!("step-{index}"));
    step.report.envelope.as_mut().unwrap()["tool_input"] =
        json!({"command": format!("echo {}{index}", token())});
    step
}

/// Whether a thread of this process makes rows ahead.
#[cfg(target_os = "linux")]
fn is_ahead() -> bool {
    let threads = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let mut names =
        threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok());
    names.any(|name| name.trim_end() == "journal-rows")
}

#[tokio::test]
async fn what_is_made_ahead_is_written_in_its_order_and_without_secrets() {
    let place = Place::new();
    let journal = record_many(&place, EnvelopeMode::Redacted).await;
    // What comes now is made by the other thread, if it was not before.
    let step = record_of("ls").await;
    for index in MANY..2 * MANY {
        journal.record(numbered(&step, index)).unwrap();
    }
    journal.flush(LONG).unwrap();
    #[cfg(target_os = "linux")]
    assert!(is_ahead(), "what this test is about did not happen");
    let expected: Vec<String> = (0..2 * MANY).map(|index| format!("step-{index}")).collect();
    assert!(place.steps() == expected, "the order is another one");
    assert_eq!(journal.status().written, 2 * MANY as u64);
    place.assert_whole();
    assert!(!has(&bytes(&place.file), &token()));
    drop(journal);
    let log = std::fs::metadata(format!("{}-wal", place.file.display())).map_or(0, |log| log.len());
    assert!(log <= LOG, "{log} bytes of a log are left behind");
}

#[tokio::test]
async fn without_a_last_flush_everything_is_written_when_the_journal_is_dropped() {
    let place = Place::new();
    let journal = record_many(&place, EnvelopeMode::Full).await;
    let step = record_of("ls").await;
    for index in MANY..2 * MANY {
        journal.record(numbered(&step, index)).unwrap();
    }
    drop(journal);
    assert_eq!(place.steps().len(), 2 * MANY);
    place.assert_whole();
}
