//! What was kept is there for the next process, and what was tampered with is an error.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use hookgate_contract::{Kept, StateError, StateHome, StateKey, StateScope};
use hookgate_state::StateFolder;
use proptest::prelude::*;
use tempfile::TempDir;

/// Counts in a session, as a process of its own does.
fn count(folder: &Path, session: &str) -> Result<u64, StateError> {
    count_in(StateFolder::new(folder), session)
}

fn count_in(folder: StateFolder, session: &str) -> Result<u64, StateError> {
    let calls: Kept<u64> = Kept::new("calls", 1).in_home(Some(Arc::new(folder.part("sessions"))));
    calls.update(StateScope::Session(session), "hook", |count| {
        *count += 1;
        *count
    })
}

fn look(folder: &Path, session: &str) -> Result<Option<u64>, StateError> {
    let home = StateFolder::new(folder).part("sessions");
    let calls: Kept<u64> = Kept::new("calls", 1).in_home(Some(Arc::new(home)));
    calls.look(StateScope::Session(session), "hook", |count| count.copied())
}

/// All files below a folder, with their names.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { all.extend(files(&path)) } else { all.push(path) }
    }
    all.sort();
    all
}

fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        let to = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(file, to).unwrap();
    }
}

#[test]
fn of_many_that_count_to_one_only_one_is_first() {
    let folder = TempDir::new().unwrap();
    let firsts: usize = thread::scope(|scope| {
        let one = || scope.spawn(|| (0..25).filter(|_| count(folder.path(), "s") == Ok(1)).count());
        let all: Vec<_> = (0..4).map(|_| one()).collect();
        all.into_iter().map(|one| one.join().unwrap()).sum()
    });
    assert_eq!((firsts, look(folder.path(), "s")), (1, Ok(Some(100))));
}

#[test]
fn who_only_asks_leaves_nothing_behind_and_nobody_else_reads_what_is_kept() {
    let folder = TempDir::new().unwrap();
    let inner = folder.path().join("a/b");
    assert_eq!(look(&inner, "s"), Ok(None));
    assert!(!folder.path().join("a").exists());
    count(&inner, "s").unwrap();
    for file in files(&inner) {
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
    assert_eq!(fs::metadata(inner).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn owners_parts_sessions_and_the_user_share_nothing() {
    let folder = TempDir::new().unwrap();
    let add = |part: &str, kind: &'static str, scope, owner: &str| {
        let home = StateFolder::new(folder.path()).part(part);
        let kept: Kept<u64> = Kept::new(kind, 1).in_home(Some(Arc::new(home)));
        kept.update(scope, owner, |count| *count += 1).unwrap();
        kept.look(scope, owner, |count| count.copied()).unwrap()
    };
    let (s, t) = (StateScope::Session("s"), StateScope::Session("t"));
    for (part, kind, scope, owner) in [
        ("sessions", "limit", s, "h"),
        ("sessions", "limit", s, "i"),
        ("sessions", "budget", s, "h"),
        ("sessions", "limit", t, "h"),
        ("sessions", "limit", StateScope::User, "h"),
        ("projects/1", "limit", s, "h"),
        ("projects/1", "limit", StateScope::User, "h"),
    ] {
        assert_eq!(add(part, kind, scope, owner), Some(1), "{part} {kind} {scope:?} {owner}");
    }
}

#[test]
fn ids_of_sessions_are_no_paths_and_are_told_apart() {
    let folder = TempDir::new().unwrap();
    let inner = folder.path().join("inner");
    let long = "x".repeat(5000);
    let ids =
        ["../../x", "/etc/passwd", "", ".", "A", "a", "a b", "a%20b", &long, &format!("{long}y")];
    for _ in 0..2 {
        for id in ids {
            count(&inner, id).unwrap();
        }
    }
    for id in ids {
        assert_eq!(look(&inner, id), Ok(Some(2)), "{id}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn old_sessions_make_room_and_those_of_today_do_not() {
    let folder = TempDir::new().unwrap();
    let few = |young| StateFolder::new(folder.path()).limits(5, young);
    for number in 0..12 {
        count_in(few(Duration::from_secs(3600)), &format!("s-{number}")).unwrap();
    }
    assert_eq!(look(folder.path(), "s-0"), Ok(Some(1)), "it is young");
    count_in(few(Duration::ZERO), "s-last").unwrap();
    assert_eq!(look(folder.path(), "s-last"), Ok(Some(1)));
    let sessions = files(&folder.path().join("sessions"));
    assert_eq!(sessions.len(), 5);
    // A session that was forgotten may begin anew.
    let gone = (0..12).map(|n| format!("s-{n}")).find(|id| look(folder.path(), id) == Ok(None));
    assert_eq!(count(folder.path(), &gone.unwrap()), Ok(1));
}

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

/// A folder with two sessions, and an earlier copy of it.
fn folder_and_copy() -> (TempDir, TempDir) {
    let (folder, earlier) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    for session in ["s", "t"] {
        count(folder.path(), session).unwrap();
    }
    copy(folder.path(), earlier.path());
    assert_eq!(count(folder.path(), "s"), Ok(2));
    (folder, earlier)
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
    for name in ["sessions/s-s.json", "state.ledger", "state.key"] {
        for damage in ALL {
            if matches!(damage, Damage::Unreadable) && is_root() {
                continue;
            }
            let (folder, earlier) = folder_and_copy();
            let at = |name: &str| folder.path().join(name);
            let before = fs::read(at(name)).unwrap();
            damage.do_to(&at(name), &earlier.path().join(name), &at("sessions/s-t.json"));
            let same = fs::symlink_metadata(at(name)).is_ok_and(|found| found.is_file())
                && fs::read(at(name)).is_ok_and(|now| now == before);
            let (counted, seen) = (count(folder.path(), "s"), look(folder.path(), "s"));
            // A ledger that is older than its files lets go on what is newer: nothing was lost.
            let newer = name == "state.ledger" && matches!(damage, Damage::PutBack);
            if same || newer {
                assert_eq!((counted, seen), (Ok(3), Ok(Some(3))), "{damage:?} {name}");
            } else {
                assert!(
                    counted.is_err() && seen.is_err(),
                    "{damage:?} {name}: {counted:?} {seen:?}"
                );
            }
        }
    }
    // The control.
    let (folder, _) = folder_and_copy();
    assert_eq!(count(folder.path(), "s"), Ok(3));
}

#[test]
fn without_key_and_ledger_a_session_that_is_there_is_not_new() {
    let (folder, _) = folder_and_copy();
    for name in ["state.key", "state.ledger"] {
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    assert!(look(folder.path(), "s").is_err());
    assert!(matches!(count(folder.path(), "s"), Err(StateError::Lost { .. })));
}

/// Whoever takes away key, ledger and the file of a session leaves those of others: nothing begins anew beside them.
#[test]
fn without_key_and_ledger_no_session_is_new_while_there_are_files_of_others() {
    let (folder, _) = folder_and_copy();
    for name in ["state.key", "state.ledger", "sessions/s-s.json"] {
        fs::remove_file(folder.path().join(name)).unwrap();
    }
    for session in ["s", "t", "new"] {
        assert!(matches!(look(folder.path(), session), Err(StateError::Lost { .. })), "{session}");
        assert!(matches!(count(folder.path(), session), Err(StateError::Lost { .. })), "{session}");
    }
    // The control: files that nobody has sealed, and empty folders, are no sign of that.
    fs::remove_file(folder.path().join("sessions/s-t.json")).unwrap();
    fs::create_dir(folder.path().join("trust")).unwrap();
    fs::write(folder.path().join("trust/list.json"), "{}").unwrap();
    assert_eq!(count(folder.path(), "s"), Ok(1));
}

#[test]
fn a_process_that_was_killed_leaves_nothing_that_stops_the_next() {
    let (folder, earlier) = folder_and_copy();
    // After the file, and before the ledger.
    fs::copy(earlier.path().join("state.ledger"), folder.path().join("state.ledger")).unwrap();
    assert_eq!(count(folder.path(), "s"), Ok(3));
    // While a file was written.
    fs::write(folder.path().join("sessions/s-s.new"), "half").unwrap();
    fs::write(folder.path().join("state.new"), "half").unwrap();
    assert_eq!(count(folder.path(), "s"), Ok(4));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A changed byte anywhere is found out.
    #[test]
    fn no_byte_can_be_changed(at in any::<usize>(), ledger in any::<bool>()) {
        let (folder, _) = folder_and_copy();
        let name = if ledger { "state.ledger" } else { "sessions/s-s.json" };
        Damage::Flip(at).do_to(&folder.path().join(name), Path::new(""), Path::new(""));
        prop_assert!(count(folder.path(), "s").is_err());
    }
}

#[test]
fn too_much_is_refused_and_what_was_kept_stays() {
    let folder = TempDir::new().unwrap();
    let home = StateFolder::new(folder.path()).part("sessions");
    let key = StateKey::new(StateScope::Session("s"), "text", "hook");
    let put = |bytes: usize| {
        home.update(&key, &mut |value| {
            *value = Some("x".repeat(bytes).into());
            Ok(true)
        })
    };
    put(10).unwrap();
    assert!(matches!(put(2 << 20), Err(StateError::Full { .. })));
    assert_eq!(home.read(&key).unwrap(), Some("x".repeat(10).into()));
}
