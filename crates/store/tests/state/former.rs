//! Promise: what the former version kept in files is taken over once, and nothing of it is forgotten.

use std::fs;
use std::path::Path;

use data_encoding::HEXLOWER;
use hookgate_contract::{StateError, StateHome as _, StateKey, StateScope};
use hookgate_store::StateDatabase;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{copy, count, files, look};

const KEY: [u8; 32] = *b"a key that was drawn by chance..";

/// Writes a file as the former version did.
fn write(folder: &Path, name: &str, content: &Value) {
    let content = content.to_string();
    let seal = hmac_sha256::HMAC::mac([name.as_bytes(), b"\0", content.as_bytes()].concat(), KEY);
    let file = folder.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let seal = HEXLOWER.encode(&seal);
    fs::write(file, format!("hookgate-state 1 {seal}\n{content}")).unwrap();
}

fn document(version: u64, calls: u64) -> Value {
    json!({"version": version, "values": {"calls": {"hook": calls}, "limit": {"other": [calls]}}})
}

/// The folder of the former version, with two sessions, a value over all of them, and what is not its own.
fn former() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("state.key"), KEY).unwrap();
    fs::write(folder.path().join("state.lock"), "").unwrap();
    write(folder.path(), "sessions/s-s.json", &document(3, 2));
    write(folder.path(), "sessions/s-%41%20b.json", &document(1, 1));
    write(
        folder.path(),
        "projects/1/user/calls%20hook.json",
        &json!({"version": 1, "values": {"calls": {"hook": 7}}}),
    );
    write(
        folder.path(),
        "state.ledger",
        &json!({"files": {
            "sessions/s-s.json": {"version": 3, "at": 100},
            "sessions/s-%41%20b.json": {"version": 1, "at": 100},
            "projects/1/user/calls%20hook.json": {"version": 1, "at": 100},
        }}),
    );
    fs::create_dir(folder.path().join("trust")).unwrap();
    fs::write(folder.path().join("trust/list.json"), "{}").unwrap();
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let name = |file: &std::path::PathBuf| file.strip_prefix(folder).unwrap().display().to_string();
    files(folder).iter().map(name).filter(|name| !name.starts_with("state.db-")).collect()
}

#[test]
fn what_was_kept_in_files_goes_on_and_the_files_are_removed() {
    // Whether it is first asked or counted makes no difference.
    for asks_first in [true, false] {
        let folder = former();
        if asks_first {
            assert_eq!(look(folder.path(), "s"), Ok(Some(2)));
        }
        assert_eq!(count(folder.path(), "s"), Ok(3));
        assert_eq!(names(folder.path()), ["state.db", "state.key", "trust/list.json"]);
        assert!(!folder.path().join("sessions").exists());
        assert_eq!((count(folder.path(), "A b"), count(folder.path(), "new")), (Ok(2), Ok(1)));
        let database = StateDatabase::new(folder.path());
        let of_user = StateKey::new(StateScope::User, "calls", "hook");
        assert_eq!(database.part("projects/1").read(&of_user), Ok(Some(7.into())));
        let other = StateKey::new(StateScope::Session("s"), "limit", "other");
        assert_eq!(database.part("sessions").read(&other), Ok(Some(json!([2]))));
    }
}

/// A file that is newer than its ledger was written by a process that ended then.
#[test]
fn a_file_that_the_ledger_does_not_know_yet_counts() {
    let folder = former();
    write(folder.path(), "sessions/s-t.json", &document(1, 5));
    write(folder.path(), "sessions/s-s.json", &document(4, 8));
    assert_eq!((count(folder.path(), "t"), count(folder.path(), "s")), (Ok(6), Ok(9)));
}

#[test]
fn a_file_that_is_not_whole_stays_an_error_of_its_session_alone() {
    type Tamper = fn(&Path);
    let tampers: [(&str, Tamper); 4] = [
        ("removed", |file| fs::remove_file(file).unwrap()),
        ("edited", |file| {
            let text = fs::read_to_string(file).unwrap();
            fs::write(file, text.replace("\"hook\":2", "\"hook\":0")).unwrap();
        }),
        ("copied", |file| {
            fs::copy(file.with_file_name("s-%41%20b.json"), file).unwrap();
        }),
        ("put back", |file| {
            let folder = file.ancestors().nth(2).unwrap();
            write(folder, "sessions/s-s.json", &document(2, 1));
        }),
    ];
    for (what, tamper) in tampers {
        let folder = former();
        tamper(&folder.path().join("sessions/s-s.json"));
        for _ in 0..2 {
            assert!(matches!(count(folder.path(), "s"), Err(StateError::Lost { .. })), "{what}");
            assert!(matches!(look(folder.path(), "s"), Err(StateError::Lost { .. })), "{what}");
        }
        assert_eq!(
            (count(folder.path(), "A b"), count(folder.path(), "new")),
            (Ok(2), Ok(1)),
            "{what}"
        );
    }
}

#[test]
fn without_its_key_or_ledger_nothing_is_taken_over_and_nothing_begins_anew() {
    for gone in [&["state.key"][..], &["state.ledger"], &["state.key", "state.ledger"]] {
        let folder = former();
        for name in gone {
            fs::remove_file(folder.path().join(name)).unwrap();
        }
        for session in ["s", "new"] {
            assert!(
                matches!(look(folder.path(), session), Err(StateError::Lost { .. })),
                "{gone:?}"
            );
            assert!(
                matches!(count(folder.path(), session), Err(StateError::Lost { .. })),
                "{gone:?}"
            );
        }
        assert!(folder.path().join("sessions/s-s.json").exists());
    }
    let folder = former();
    let ledger = folder.path().join("state.ledger");
    fs::write(&ledger, fs::read_to_string(&ledger).unwrap().replace(":3", ":1")).unwrap();
    assert!(matches!(count(folder.path(), "s"), Err(StateError::Altered { .. })));
}

/// A process ended after it had taken the files over, before all of them were gone.
#[test]
fn what_was_taken_over_is_not_taken_over_again() {
    let folder = former();
    let before = TempDir::new().unwrap();
    copy(folder.path(), before.path());
    assert_eq!(count(folder.path(), "s"), Ok(3));
    copy(before.path(), folder.path());
    assert_eq!(count(folder.path(), "s"), Ok(4));
    assert_eq!(names(folder.path()), ["state.db", "state.key", "trust/list.json"]);
}
