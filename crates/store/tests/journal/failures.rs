//! Promise: a journal that cannot be written stops the steps that must not go on without it, and is told otherwise.

use std::process::Command;

use hookgate::{Engine, HookEngine as _, StepContext};
use hookgate_store::{ConfigText, Filter, Journal, JournalSettings, Reader, Says, StoreError};
use rusqlite::Connection;

use crate::support::{LONG, Place, bash, dispatch, engine, record, table};

#[tokio::test]
async fn a_file_that_is_something_else_is_refused_and_left_as_it_is() {
    let place = Place::new();
    for content in [
        "not a data base, just some text that is long enough to be one\n".repeat(20),
        String::new(),
    ] {
        std::fs::write(&place.file, &content).unwrap();
        if content.is_empty() {
            let other = Connection::open(&place.file).unwrap();
            other.execute_batch("CREATE TABLE mine(x)").unwrap();
        }
        let before = std::fs::read(&place.file).unwrap();
        let refused = Journal::open(place.settings()).unwrap_err();
        assert!(matches!(refused, StoreError::Foreign { .. }), "{refused}");
        assert!(matches!(Reader::open(&place.file), Err(StoreError::Foreign { .. })));
        assert_eq!(std::fs::read(&place.file).unwrap(), before);
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_and_not_waited_for() {
    let place = Place::new();
    let made = Command::new("mkfifo").arg(&place.file).status().unwrap();
    assert!(made.success());
    for refused in
        [Reader::open(&place.file).unwrap_err(), Journal::open(place.settings()).unwrap_err()]
    {
        assert!(refused.to_string().ends_with("it is no plain file"), "{refused}");
    }
    std::fs::remove_file(&place.file).unwrap();
    drop(Journal::open(place.settings()).unwrap());
    assert!(Reader::open(&place.file).is_ok(), "a file is read");
}

#[tokio::test]
async fn an_older_program_refuses_a_newer_schema_politely() {
    let place = Place::new();
    record(place.settings(), &[("s", "1", "ls")]).await;
    let newer = Connection::open(&place.file).unwrap();
    newer.pragma_update(None, "user_version", 7).unwrap();
    for refused in
        [Journal::open(place.settings()).unwrap_err(), Reader::open(&place.file).unwrap_err()]
    {
        let StoreError::Newer { found: 7, known: 1, .. } = refused else { panic!("{refused}") };
        assert!(refused.to_string().contains("use the newer hookgate"), "{refused}");
    }
}

/// Holds the lock for writers as another process does that hangs.
pub(crate) fn lock(place: &Place) -> Connection {
    let other = Connection::open(&place.file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    other
}

#[tokio::test]
async fn without_its_record_no_step_goes_on_where_it_must_not() {
    let place = Place::new();
    let journal = Journal::open(place.required()).unwrap();
    let engine = engine(&journal);
    assert!(dispatch(&engine, "s", "1", "ls").await);
    let other = lock(&place);
    let context = StepContext::new("s").step_id("2");
    let gate = engine.dispatch(bash("ls"), &context).await;
    assert!(!gate.is_cleared(), "the journal is held by another process");
    assert_eq!(journal.status().lost, 1);
    assert!(journal.status().problem.unwrap().contains("locked"));
    drop(other);
    assert!(dispatch(&engine, "s", "3", "ls").await, "it works again");
    assert_eq!(place.steps(), ["1", "3"]);
    let told: Vec<u64> = place
        .entries()
        .iter()
        .filter_map(|entry| match entry.says {
            Says::Lost { count, .. } => Some(count),
            _ => None,
        })
        .collect();
    assert_eq!(told, [1], "the next entry tells of it");
    place.assert_whole();
}

#[tokio::test]
async fn where_it_only_warns_the_steps_go_on_and_the_records_come_later() {
    let place = Place::new();
    let journal = Journal::open(place.settings()).unwrap();
    let engine = engine(&journal);
    let other = lock(&place);
    assert!(dispatch(&engine, "s", "1", "ls").await, "nothing waits for the disk");
    tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    drop(other);
    journal.flush(LONG).unwrap();
    assert_eq!(place.steps(), ["1"], "it was tried again");
}

#[tokio::test]
async fn a_full_queue_loses_records_which_are_counted_and_told() {
    let place = Place::new();
    let mut settings = place.settings();
    settings.queue = 1;
    let journal = Journal::open(settings).unwrap();
    let engine = engine(&journal);
    let other = lock(&place);
    for step in 0..40 {
        assert!(dispatch(&engine, "s", &step.to_string(), "ls").await);
        if step == 19 {
            // By now the writer has taken a group, and waits for the file.
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
    }
    let lost = journal.status().lost;
    assert!(lost >= 15, "{lost}");
    drop(other);
    assert!(matches!(journal.flush(LONG), Err(StoreError::Lost { .. })));
    assert!(dispatch(&engine, "s", "last", "ls").await);
    let _ = journal.flush(LONG);
    let entries = place.entries();
    let told = entries.iter().map(|entry| match entry.says {
        Says::Lost { count, .. } => count,
        _ => 0,
    });
    assert_eq!(told.sum::<u64>(), journal.status().lost);
}

#[tokio::test]
async fn where_steps_wait_for_room_no_record_is_lost() {
    let place = Place::new();
    let mut settings = place.settings().waiting();
    settings.queue = 1;
    let journal = Journal::open(settings).unwrap();
    let engine = engine(&journal);
    for step in 0..500 {
        assert!(dispatch(&engine, "s", &step.to_string(), "ls").await);
    }
    journal.flush(LONG).unwrap();
    assert_eq!((place.steps().len(), journal.status().lost), (500, 0));
}

#[tokio::test]
async fn a_trigger_that_somebody_has_put_in_swallows_no_record() {
    let place = Place::new();
    record(place.settings(), &[("s", "1", "ls")]).await;
    let other = Connection::open(&place.file).unwrap();
    other
        .execute_batch(
            "CREATE TRIGGER silent BEFORE INSERT ON record BEGIN SELECT raise(IGNORE); END",
        )
        .unwrap();
    drop(other);
    record(place.required(), &[("s", "2", "ls")]).await;
    assert_eq!(place.steps(), ["1", "2"]);
}

#[tokio::test]
async fn a_place_that_is_not_known_is_no_journal_left_out_in_silence() {
    let section = serde_json::json!({"file": "~/journal.db"});
    let settings = JournalSettings::of_section(&section, None, None);
    assert!(matches!(Journal::open(settings), Err(StoreError::Nowhere)));
    let nothing = JournalSettings::of_section(&serde_json::json!({}), None, None);
    assert!(matches!(Journal::open(nothing), Err(StoreError::Nowhere)));
    let home = Place::new();
    let settings = JournalSettings::of_section(&section, Some(home.folder.path()), None);
    assert_eq!(settings.file, home.file);
}

#[tokio::test]
async fn a_journal_that_was_moved_away_is_begun_anew() {
    let place = Place::new();
    let journal = Journal::open(place.required()).unwrap();
    let engine = engine(&journal);
    journal.note_config(engine.table(), vec![ConfigText::new("hooks.toml", "version = 1\n")]);
    assert!(dispatch(&engine, "s", "1", "ls").await);
    std::fs::rename(&place.file, place.folder.path().join("moved.db")).unwrap();
    for beside in ["-wal", "-shm"] {
        let _ = std::fs::rename(
            format!("{}{beside}", place.file.display()),
            place.folder.path().join(format!("moved.db{beside}")),
        );
    }
    assert!(dispatch(&engine, "s", "2", "ls").await);
    assert_eq!(place.steps(), ["2"]);
    // The new one has the config of its records as well, before them and once.
    journal.note_config(engine.table(), vec![ConfigText::new("hooks.toml", "version = 1\n")]);
    assert!(dispatch(&engine, "s", "3", "ls").await);
    let configs = |file: &std::path::Path| {
        let entries = Reader::open(file).unwrap().entries(&Filter::default()).unwrap();
        entries.iter().map(|entry| matches!(entry.says, Says::Config(_))).collect::<Vec<_>>()
    };
    assert_eq!(configs(&place.file), [true, false, false]);
    assert_eq!(configs(&place.folder.path().join("moved.db")), [true, false]);
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_told_by_its_name() {
    let place = Place::new();
    let file = place.folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let mut settings = place.settings();
    settings.file = file.join("journal.db");
    let refused = Journal::open(settings).unwrap_err().to_string();
    assert!(refused.contains("cannot be used") && refused.contains("journal.db"), "{refused}");
}

/// What a process does that has a disk with little room: it tells which of its steps went on.
const SMALL_DISK: &str = "HOOKGATE_TEST_SMALL_DISK";

#[test]
fn a_full_disk_stops_what_must_not_go_on_without_its_record() {
    if let Some(file) = std::env::var_os(SMALL_DISK) {
        return write_until_refused(file.into());
    }
    let place = Place::new();
    // The limit of a process for the size of a file is what a full disk is to it. Blocks of 1 KiB.
    let output = Command::new("bash")
        .arg("-c")
        .arg("trap '' XFSZ; ulimit -f 300; exec \"$0\" --exact --nocapture failures::a_full_disk_stops_what_must_not_go_on_without_its_record")
        .arg(std::env::current_exe().unwrap())
        .env(SMALL_DISK, &place.file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    let went_on: Vec<String> =
        said.lines().filter_map(|line| Some(line.strip_prefix("went on: ")?.to_owned())).collect();
    assert!(said.contains("refused") && went_on.len() > 3, "{said}");
    assert_eq!(place.steps(), went_on);
    place.assert_whole();
}

fn write_until_refused(file: std::path::PathBuf) {
    let mut settings = hookgate_store::JournalSettings::new(file);
    settings.required = true;
    let journal = Journal::open(settings).unwrap();
    let engine = Engine::new(table()).with_recorder(journal.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let large = "x".repeat(5_000);
    for step in 0..400 {
        let (id, command) = (step.to_string(), format!("echo {large}"));
        if !runtime.block_on(dispatch(&engine, "s", &id, &command)) {
            println!("refused {step}: {}", journal.status().problem.unwrap());
            return;
        }
        println!("went on: {step}");
    }
    panic!("the disk was never full");
}
