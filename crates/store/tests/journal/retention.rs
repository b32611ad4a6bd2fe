//! Promise: what is too old or too much goes, the chain stays, and what went otherwise is found.

use std::time::Duration;

use hookgate_store::{Filter, Journal, Says};

use crate::support::{LONG, Place, bytes, dispatch, engine, has, record};

#[tokio::test]
async fn old_bodies_go_and_the_chain_stays_whole() {
    let place = Place::new();
    record(place.settings(), &[("s", "1", "rm -rf the-old-thing"), ("s", "2", "ls")]).await;
    tokio::time::sleep(Duration::from_millis(600)).await;
    let mut settings = place.settings();
    settings.keep = Some(Duration::from_millis(500));
    record(settings, &[("s", "3", "echo new")]).await;

    let found = place.reader().verify(&[], None).unwrap();
    assert!(found.is_whole(), "{found:?}");
    assert_eq!(found.without_body, 2);
    let entries = place.entries();
    let old = entries[0].record().unwrap();
    assert!(!entries[0].has_body && old.report.envelope.is_none() && old.report.reason.is_none());
    assert_eq!(old.report.by, ["no-rm"], "who decided is known still");
    assert!(entries[2].has_body);
    assert!(matches!(entries[3].says, Says::Retention { through: 2, .. }), "{entries:?}");
    drop(place.reader());
    checkpoint(&place);
    assert!(!has(&bytes(&place.file), "the-old-thing"), "it is gone from the file");
}

#[tokio::test]
async fn what_is_deleted_is_neither_in_the_file_nor_in_its_log() {
    let needle = "the-needle-in-it";
    for is_deleted in [true, false] {
        let place = Place::new();
        record(place.settings(), &[("s", "1", &format!("echo {needle}"))]).await;
        tokio::time::sleep(Duration::from_millis(60)).await;
        let mut settings = place.settings();
        settings.keep = is_deleted.then(|| Duration::from_millis(50));
        record(settings, &[("s", "2", "ls")]).await;
        assert_eq!(!has(&bytes(&place.file), needle), is_deleted);
        place.assert_whole();
    }
}

#[tokio::test]
async fn a_log_that_somebody_reads_is_emptied_after_a_later_group() {
    let needle = "the-needle-in-it";
    let place = Place::new();
    record(place.settings(), &[("s", "1", &format!("echo {needle}"))]).await;
    tokio::time::sleep(Duration::from_millis(60)).await;
    let reads = rusqlite::Connection::open(&place.file).unwrap();
    reads.execute_batch("BEGIN; SELECT count(*) FROM body").unwrap();
    let mut settings = place.settings();
    settings.keep = Some(Duration::from_millis(50));
    let journal = Journal::open(settings).unwrap();
    let writer = engine(&journal);
    dispatch(&writer, "s", "2", "ls").await;
    for _ in 0..2 {
        journal.flush(LONG).unwrap();
    }
    assert!(has(&bytes(&place.file), needle), "somebody reads it");
    reads.execute_batch("COMMIT").unwrap();
    dispatch(&writer, "s", "3", "ls").await;
    // A flush is told before retention begins; the next one comes after it.
    for _ in 0..2 {
        journal.flush(LONG).unwrap();
    }
    assert!(!has(&bytes(&place.file), needle));
    assert_eq!(journal.status().lost, 0);
    place.assert_whole();
}

/// Has what lies in the log written into the file, as SQLite does by itself at times.
fn checkpoint(place: &Place) {
    let database = rusqlite::Connection::open(&place.file).unwrap();
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(())).unwrap();
}

#[tokio::test]
async fn a_body_that_nobody_has_deleted_by_rule_is_missed() {
    let place = Place::new();
    record(place.settings(), &[("s", "1", "ls"), ("s", "2", "ls")]).await;
    let database = rusqlite::Connection::open(&place.file).unwrap();
    database.execute("DELETE FROM body WHERE seq = 2", ()).unwrap();
    let found = place.reader().verify(&[], None).unwrap();
    assert_eq!(found.faults[0].to_string(), "the body of entry 2 was removed");
}

#[tokio::test]
async fn a_file_that_is_too_large_loses_its_oldest_bodies() {
    let place = Place::new();
    let large = "x".repeat(20_000);
    let journal = Journal::open(place.settings()).unwrap();
    let writer = engine(&journal);
    for step in 0..40 {
        dispatch(&writer, "s", &step.to_string(), &format!("echo {large}")).await;
    }
    journal.flush(LONG).unwrap();
    drop((writer, journal));
    let mut settings = place.settings();
    settings.keep_size = Some(400_000);
    record(settings, &[("s", "last", "ls")]).await;
    let entries = place.reader().entries(&Filter::default().session("s")).unwrap();
    let kept = entries.iter().filter(|entry| entry.has_body).count();
    assert!((2..25).contains(&kept), "{kept} of 41");
    assert!(!entries[0].has_body && entries[40].has_body);
    place.assert_whole();
}

/// The log is read by each process that opens the journal alone.
#[tokio::test]
async fn the_log_stays_short_however_many_processes_record() {
    let place = Place::new();
    let mut longest = 0;
    for step in 0..100 {
        record(place.settings(), &[("s", &step.to_string(), "ls")]).await;
        let log = format!("{}-wal", place.file.display());
        longest = longest.max(std::fs::metadata(log).unwrap().len());
    }
    assert!((900_000..1_300_000).contains(&longest), "{longest}");
    place.assert_whole();
}
