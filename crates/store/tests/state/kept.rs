//! Promise: what was kept is there for the next process, and belongs to one owner.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use hookgate_contract::{Kept, StateError, StateHome, StateKey, StateScope};
use hookgate_store::StateDatabase;
use tempfile::TempDir;

use crate::support::{count, count_in, files, look, sqlite};

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

/// One process has the database open while others change it.
#[test]
fn who_keeps_it_open_sees_what_others_have_counted() {
    let folder = TempDir::new().unwrap();
    let open = StateDatabase::new(folder.path());
    let numbers: Vec<u64> = (0..6)
        .map(|number| match number % 2 {
            0 => count_in(&open, "s").unwrap(),
            _ => count(folder.path(), "s").unwrap(),
        })
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6]);
    // The user has removed it: another one is begun.
    for file in files(folder.path()) {
        fs::remove_file(file).unwrap();
    }
    assert_eq!((count_in(&open, "s"), count(folder.path(), "s")), (Ok(1), Ok(2)));
}

#[test]
fn who_only_asks_leaves_nothing_behind_and_nobody_else_reads_what_is_kept() {
    let folder = TempDir::new().unwrap();
    let inner = folder.path().join("a/b");
    assert_eq!(look(&inner, "s"), Ok(None));
    assert!(!folder.path().join("a").exists());
    count(&inner, "s").unwrap();
    let names: Vec<_> = files(&inner);
    assert!(names.len() >= 2, "{names:?}");
    for file in names {
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }
    assert_eq!(fs::metadata(inner).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn owners_parts_sessions_and_the_user_share_nothing() {
    let folder = TempDir::new().unwrap();
    let add = |part: &str, kind: &'static str, scope, owner: &str| {
        let home = StateDatabase::new(folder.path()).part(part);
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
    let ids = [
        "../../x",
        "/etc/passwd",
        "",
        ".",
        "A",
        "a",
        "a b",
        "a%20b",
        "'",
        &long,
        &format!("{long}y"),
    ];
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
    let few = |young| StateDatabase::new(folder.path()).limits(5, young);
    for number in 0..12 {
        count_in(&few(Duration::from_secs(3600)), &format!("s-{number}")).unwrap();
    }
    assert_eq!(look(folder.path(), "s-0"), Ok(Some(1)), "it is young");
    count_in(&few(Duration::ZERO), "s-last").unwrap();
    assert_eq!(look(folder.path(), "s-last"), Ok(Some(1)));
    for table in ["state", "scope"] {
        let rows = format!("SELECT count(*) FROM {table}");
        let rows: u64 = sqlite(folder.path()).query_row(&rows, (), |row| row.get(0)).unwrap();
        assert_eq!(rows, 5, "{table}");
    }
    // A session that was forgotten may begin anew.
    let gone = (0..12).map(|n| format!("s-{n}")).find(|id| look(folder.path(), id) == Ok(None));
    assert_eq!(count(folder.path(), &gone.unwrap()), Ok(1));
}

#[test]
fn what_is_forgotten_and_what_is_not_changed_is_no_error() {
    let folder = TempDir::new().unwrap();
    let home = StateDatabase::new(folder.path()).part("sessions");
    let (s, key) =
        (StateScope::Session("s"), |owner| StateKey::new(StateScope::Session("s"), "text", owner));
    let put = |owner, text: Option<&str>| {
        home.update(&key(owner), &mut |value| {
            *value = text.map(Into::into);
            Ok(true)
        })
    };
    put("a", Some("1")).unwrap();
    put("b", Some("2")).unwrap();
    put("a", None).unwrap();
    assert_eq!((home.read(&key("a")), home.read(&key("b"))), (Ok(None), Ok(Some("2".into()))));
    put("b", None).unwrap();
    assert_eq!(home.read(&key("b")), Ok(None));
    put("b", Some("3")).unwrap();
    // Neither a change that says so of itself, nor one that fails, is kept.
    home.update(&key("b"), &mut |value| {
        *value = None;
        Ok(false)
    })
    .unwrap();
    let failed = home.update(&key("b"), &mut |value| {
        *value = None;
        Err(StateError::Other("on purpose".to_owned()))
    });
    assert!(failed.is_err());
    assert_eq!(home.read(&StateKey::new(s, "text", "b")), Ok(Some("3".into())));
}

#[test]
fn too_much_is_refused_and_what_was_kept_stays() {
    let folder = TempDir::new().unwrap();
    let home = StateDatabase::new(folder.path()).part("sessions");
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
    // All values of a session count.
    let other = StateKey::new(StateScope::Session("s"), "text", "other");
    put(700_000).unwrap();
    let too_much = home.update(&other, &mut |value| {
        *value = Some("x".repeat(700_000).into());
        Ok(true)
    });
    assert!(matches!(too_much, Err(StateError::Full { .. })));
    assert_eq!(home.read(&other), Ok(None));
}

/// The log is read by each process that opens the database alone.
#[test]
fn the_log_stays_short_however_many_processes_count() {
    let folder = TempDir::new().unwrap();
    let mut longest = 0;
    for number in 1..=120 {
        assert_eq!(count(folder.path(), "s"), Ok(number));
        let log = fs::metadata(folder.path().join("state.db-wal")).unwrap().len();
        longest = longest.max(log);
    }
    assert!((200_000..400_000).contains(&longest), "{longest}");
}

#[test]
fn an_older_program_refuses_a_newer_schema_politely() {
    let folder = TempDir::new().unwrap();
    count(folder.path(), "s").unwrap();
    sqlite(folder.path()).pragma_update(None, "user_version", 7).unwrap();
    let refused = count(folder.path(), "s").unwrap_err().to_string();
    assert!(refused.contains("use the newer hookgate"), "{refused}");
    sqlite(folder.path()).pragma_update(None, "user_version", 1).unwrap();
    assert_eq!(count(folder.path(), "s"), Ok(2), "the control");
}

#[test]
fn another_database_is_left_as_it_is() {
    let folder = TempDir::new().unwrap();
    sqlite(folder.path()).execute_batch("CREATE TABLE mine(x)").unwrap();
    let before = fs::read(folder.path().join("state.db")).unwrap();
    assert!(matches!(count(folder.path(), "s"), Err(StateError::Altered { .. })));
    assert_eq!(fs::read(folder.path().join("state.db")).unwrap(), before);
}
