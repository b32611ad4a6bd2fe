//! Promise: what was edited, copied from another session, put back or removed is an error and not "nothing was kept".

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use hookgate_contract::StateError;
use hookgate_store::StateDatabase;
use proptest::prelude::*;
use tempfile::TempDir;

use crate::support::{copy, count, count_in, folder_and_copy, look, sqlite};

/// What somebody does to a file of the folder.
#[derive(Debug, Clone, Copy)]
enum Damage {
    Remove,
    Empty,
    Cut,
    Flip(usize),
    PutBack,
    CopyFromOther,
    Folder,
    Link,
    Pipe,
    Unreadable,
}

const ALL: [Damage; 10] = [
    Damage::Remove,
    Damage::Empty,
    Damage::Cut,
    Damage::Flip(90),
    Damage::PutBack,
    Damage::CopyFromOther,
    Damage::Folder,
    Damage::Link,
    Damage::Pipe,
    Damage::Unreadable,
];

impl Damage {
    /// Does it to a file, of which there is an earlier copy and another one of its kind.
    fn do_to(self, file: &Path, earlier: &Path, other: &Path) {
        let bytes = fs::read(file).unwrap();
        match self {
            Self::Remove => fs::remove_file(file).unwrap(),
            Self::Empty => fs::write(file, "").unwrap(),
            Self::Cut => fs::write(file, &bytes[..bytes.len() - 1]).unwrap(),
            Self::Flip(at) => {
                let mut bytes = bytes;
                let at = at % bytes.len();
                bytes[at] ^= 1;
                fs::write(file, bytes).unwrap();
            }
            Self::PutBack => drop(fs::copy(earlier, file).unwrap()),
            Self::CopyFromOther => drop(fs::copy(other, file).unwrap()),
            Self::Folder => {
                fs::remove_file(file).unwrap();
                fs::create_dir(file).unwrap();
            }
            Self::Link => {
                let moved = file.with_extension("moved");
                fs::rename(file, &moved).unwrap();
                std::os::unix::fs::symlink(moved, file).unwrap();
            }
            Self::Pipe => {
                fs::remove_file(file).unwrap();
                assert!(std::process::Command::new("mkfifo").arg(file).status().unwrap().success());
            }
            Self::Unreadable => {
                fs::set_permissions(file, fs::Permissions::from_mode(0o000)).unwrap();
            }
        }
    }
}

/// Has what is in SQLite's log written into the database.
fn without_log(folder: &Path) {
    let empty = "PRAGMA wal_checkpoint(TRUNCATE)";
    let is_busy: u64 = sqlite(folder).query_row(empty, (), |row| row.get(0)).unwrap();
    assert_eq!(is_busy, 0);
}

/// A folder with two sessions, an earlier copy of it, and a folder of another user. Nothing is in the logs.
fn folders() -> [TempDir; 3] {
    let (folder, earlier) = folder_and_copy();
    let (other, _) = folder_and_copy();
    for folder in [&folder, &earlier, &other] {
        without_log(folder.path());
    }
    [folder, earlier, other]
}

/// The user of this process reads all files, whatever their mode is.
fn is_root() -> bool {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("f");
    fs::write(&file, "").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    fs::read(file).is_ok()
}

/// Each sort of damage to each file: never is anything counted from zero.
#[test]
fn whatever_is_done_to_a_file_is_an_error_and_not_zero() {
    for name in ["state.db", "state.key"] {
        for damage in ALL {
            if matches!(damage, Damage::Unreadable) && is_root() {
                continue;
            }
            let [folder, earlier, other] = folders();
            let file = folder.path().join(name);
            damage.do_to(&file, &earlier.path().join(name), &other.path().join(name));
            let (counted, seen) = (count(folder.path(), "s"), look(folder.path(), "s"));
            let fails = counted.is_err() && seen.is_err();
            let goes_on = (&counted, &seen) == (&Ok(3), &Ok(Some(3)));
            let expected = match (name, damage) {
                // A key that knows of fewer changes lets the database go on, which is newer: nothing was lost.
                ("state.key", Damage::PutBack) => goes_on,
                // A byte that SQLite does not use.
                ("state.db", Damage::Flip(_)) => goes_on || fails,
                _ => fails,
            };
            assert!(expected, "{damage:?} {name}: {counted:?} {seen:?}");
        }
    }
    // The control.
    let [folder, ..] = folders();
    assert_eq!(count(folder.path(), "s"), Ok(3));
}

/// The log beside the database has the last changes. Without them it is an older one.
#[test]
fn whatever_is_done_to_the_log_is_an_error_or_nothing_and_never_an_older_count() {
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
        for damage in ALL {
            if matches!(damage, Damage::Unreadable) && is_root() {
                continue;
            }
            let ((folder, earlier), (other, _)) = (folder_and_copy(), folder_and_copy());
            let file = folder.path().join(name);
            damage.do_to(&file, &earlier.path().join(name), &other.path().join(name));
            let (counted, seen) = (count(folder.path(), "s"), look(folder.path(), "s"));
            let is_right = match counted {
                Ok(count) => count == 3 && seen == Ok(Some(3)),
                Err(_) => seen.is_err() || seen == Ok(Some(2)),
            };
            assert!(is_right, "{damage:?} {name}: {counted:?} {seen:?}");
            let changes_it = !matches!(damage, Damage::Link | Damage::Unreadable);
            if name == "state.db-wal" && changes_it {
                assert!(counted.is_err() && seen.is_err(), "{damage:?}: {counted:?} {seen:?}");
            }
        }
    }
    // The control.
    let (folder, _) = folder_and_copy();
    assert_eq!(count(folder.path(), "s"), Ok(3));
}

#[test]
fn a_database_that_is_put_back_with_its_log_is_older_than_the_key() {
    let (folder, earlier) = folder_and_copy();
    let key = fs::read(folder.path().join("state.key")).unwrap();
    copy(earlier.path(), folder.path());
    fs::write(folder.path().join("state.key"), key).unwrap();
    for session in ["s", "t", "new"] {
        assert!(matches!(look(folder.path(), session), Err(StateError::Lost { .. })), "{session}");
        assert!(matches!(count(folder.path(), session), Err(StateError::Lost { .. })), "{session}");
    }
    // What is not found out, as the documentation says: all of it is put back.
    copy(earlier.path(), folder.path());
    assert_eq!(count(folder.path(), "s"), Ok(2));
}

/// What a program does that changes rows: what it executes, and whether other sessions go on.
const ROWS: [(&str, &str, bool); 12] = [
    ("a value is edited", "UPDATE state SET value = '0' WHERE scope LIKE '%s-s'", true),
    ("a value is removed", "DELETE FROM state WHERE scope LIKE '%s-s'", true),
    (
        "a value is copied from another session",
        "DELETE FROM state WHERE scope LIKE '%s-s';
         UPDATE state SET scope = 'sessions/s-s' WHERE scope LIKE '%s-t'",
        true,
    ),
    (
        "a value is put back",
        "DELETE FROM state WHERE scope LIKE '%s-s';
         INSERT INTO state SELECT * FROM earlier.state WHERE scope LIKE '%s-s'",
        true,
    ),
    (
        "a session is put back",
        "DELETE FROM state WHERE scope LIKE '%s-s'; DELETE FROM scope WHERE name LIKE '%s-s';
         INSERT INTO state SELECT * FROM earlier.state WHERE scope LIKE '%s-s';
         INSERT INTO scope SELECT * FROM earlier.scope WHERE name LIKE '%s-s'",
        false,
    ),
    (
        "a session is removed",
        "DELETE FROM state WHERE scope LIKE '%s-s'; DELETE FROM scope WHERE name LIKE '%s-s'",
        false,
    ),
    (
        "all rows are put back",
        "DELETE FROM state; DELETE FROM scope; DELETE FROM head;
         INSERT INTO state SELECT * FROM earlier.state;
         INSERT INTO scope SELECT * FROM earlier.scope;
         INSERT INTO head SELECT * FROM earlier.head",
        false,
    ),
    ("all rows are removed", "DELETE FROM state; DELETE FROM scope; DELETE FROM head", false),
    ("a session is made old", "UPDATE scope SET at = 0 WHERE name LIKE '%s-s'", false),
    ("the number of changes is another", "UPDATE head SET changes = changes + 1", false),
    ("the head is removed", "DELETE FROM head", false),
    ("a table is another", "DROP TABLE state; CREATE TABLE state(x)", false),
];

#[test]
fn no_row_can_be_edited_copied_put_back_or_removed() {
    for (what, changes, others_go_on) in ROWS {
        let (folder, earlier) = folder_and_copy();
        let database = sqlite(folder.path());
        let place = earlier.path().join("state.db");
        database.execute("ATTACH ?1 AS earlier", [place.to_str().unwrap()]).unwrap();
        database.execute_batch(changes).unwrap();
        drop(database);
        let (counted, seen) = (count(folder.path(), "s"), look(folder.path(), "s"));
        let is_told = |error: &StateError| {
            matches!(error, StateError::Lost { .. } | StateError::Altered { .. })
        };
        assert!(counted.as_ref().is_err_and(is_told), "{what}: {counted:?}");
        assert!(seen.as_ref().is_err_and(is_told), "{what}: {seen:?}");
        assert_eq!(look(folder.path(), "new").is_ok(), others_go_on, "{what}");
    }
    // The control: what is written back as it was is no change.
    let (folder, _) = folder_and_copy();
    sqlite(folder.path()).execute_batch("UPDATE state SET value = value; VACUUM").unwrap();
    assert_eq!(count(folder.path(), "s"), Ok(3));
}

/// A row that no hookgate has kept is not taken for one.
#[test]
fn a_session_that_somebody_makes_is_none() {
    let (folder, _) = folder_and_copy();
    let made =
        "INSERT INTO state SELECT 'sessions/s-new', key, owner, version, seal, value FROM state";
    sqlite(folder.path()).execute_batch(&format!("{made} LIMIT 1")).unwrap();
    assert!(look(folder.path(), "new").is_err() && count(folder.path(), "new").is_err());
    assert_eq!(count(folder.path(), "s"), Ok(3), "the control");
}

#[test]
fn a_trigger_that_somebody_has_put_in_swallows_no_count() {
    let (folder, _) = folder_and_copy();
    let trigger = "CREATE TRIGGER silent BEFORE INSERT ON state BEGIN SELECT raise(IGNORE); END";
    sqlite(folder.path()).execute_batch(trigger).unwrap();
    assert_eq!((count(folder.path(), "s"), count(folder.path(), "s")), (Ok(3), Ok(4)));
}

/// Whoever takes the key away leaves the database, and the other way round: nothing begins anew beside it.
#[test]
fn no_session_is_new_while_one_of_the_two_files_is_left() {
    for (gone, left) in [("state.key", "state.db"), ("state.db", "state.key")] {
        let [folder, ..] = folders();
        fs::remove_file(folder.path().join(gone)).unwrap();
        for session in ["s", "t", "new"] {
            let (counted, seen) = (count(folder.path(), session), look(folder.path(), session));
            assert!(matches!(counted, Err(StateError::Lost { .. })), "{gone} {session}");
            assert!(matches!(seen, Err(StateError::Lost { .. })), "{gone} {session}");
        }
        // The control: without both, and with files of others, it begins anew.
        fs::remove_file(folder.path().join(left)).unwrap();
        let _ = fs::remove_file(folder.path().join(gone));
        fs::create_dir(folder.path().join("trust")).unwrap();
        fs::write(folder.path().join("trust/list.json"), "{}").unwrap();
        assert_eq!(count(folder.path(), "s"), Ok(1), "{gone}");
    }
}

/// A process that goes on while its files are changed.
#[test]
fn who_keeps_it_open_finds_out_as_well() {
    for name in ["state.db", "state.key"] {
        let [folder, earlier, _] = folders();
        let open = StateDatabase::new(folder.path());
        assert_eq!(count_in(&open, "s"), Ok(3));
        fs::remove_file(folder.path().join(name)).unwrap();
        assert!(count_in(&open, "s").is_err() && count(folder.path(), "s").is_err(), "{name}");
        fs::copy(earlier.path().join(name), folder.path().join(name)).unwrap();
        let after = count_in(&open, "s");
        assert!(after.is_err() || after == Ok(4), "{name}: {after:?}");
    }
}

#[test]
fn a_process_that_was_killed_leaves_nothing_that_stops_the_next() {
    let (folder, earlier) = folder_and_copy();
    // After the change, and before the number of changes is noted.
    fs::copy(earlier.path().join("state.key"), folder.path().join("state.key")).unwrap();
    assert_eq!(count(folder.path(), "s"), Ok(3));
    // While it began: the key is there, and no change.
    let begun = TempDir::new().unwrap();
    let asked = StateDatabase::new(begun.path());
    let failed = hookgate_contract::StateHome::update(
        &asked.part("sessions"),
        &hookgate_contract::StateKey::new(hookgate_contract::StateScope::User, "x", ""),
        &mut |_| Err(StateError::Other("on purpose".to_owned())),
    );
    assert!(failed.is_err() && begun.path().join("state.key").exists());
    assert_eq!(count(begun.path(), "s"), Ok(1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// A changed byte anywhere is found out, or was not used; what is changed in the key is found out.
    #[test]
    fn no_byte_can_be_changed(at in any::<usize>(), file in 0..3usize) {
        let [folder, ..] = folders();
        if file == 1 {
            count(folder.path(), "s").unwrap();
        }
        let name = ["state.db", "state.db-wal", "state.key"][file];
        let right = if file == 1 { 4 } else { 3 };
        Damage::Flip(at).do_to(&folder.path().join(name), Path::new(""), Path::new(""));
        let counted = count(folder.path(), "s");
        let is_right = counted == Ok(right) && file != 2;
        prop_assert!(counted.is_err() || is_right, "{} {:?}", name, counted);
    }
}
