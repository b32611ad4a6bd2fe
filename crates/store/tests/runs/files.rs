//! Promise: a file that is something else is refused, and what is old goes.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use hookgate_store::{RunError, RunReader, RunState, RunStore};

use crate::support::{Place, claim, new_run};

#[test]
fn the_files_are_for_their_owner_alone() {
    let place = Place::new();
    let store = place.store();
    store.enqueue(&new_run("one")).unwrap();
    let held = claim(&store).unwrap();
    for file in place.settings().files() {
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", file.display());
    }
    let holder = place.0.path().join("runs.holders").join(held.run().holder.as_ref().unwrap());
    assert!(holder.exists());
    drop(held);
    drop(store);
    assert!(!holder.exists(), "a process that holds nothing leaves nothing behind");
}

#[test]
fn another_database_and_a_newer_schema_are_refused() {
    let place = Place::new();
    std::fs::write(place.settings().file, "a text of somebody").unwrap();
    assert!(matches!(RunStore::open(place.settings()), Err(RunError::Foreign { .. })));
    let place = Place::new();
    drop(place.store());
    place.sqlite().pragma_update(None, "user_version", 99).unwrap();
    let newer = RunStore::open(place.settings());
    assert!(matches!(newer, Err(RunError::Newer { found: 99, .. })), "{newer:?}");
    assert!(matches!(RunReader::open(&place.settings().file), Err(RunError::Newer { .. })));
    let place = Place::new();
    place.sqlite().execute_batch("CREATE TABLE theirs(a)").unwrap();
    assert!(matches!(RunStore::open(place.settings()), Err(RunError::Foreign { .. })));
}

#[test]
fn a_journal_is_no_file_of_runs_nor_the_other_way_around() {
    let place = Place::new();
    let file = place.settings().file;
    drop(hookgate_store::Journal::open(hookgate_store::JournalSettings::new(&file)).unwrap());
    assert!(matches!(RunStore::open(place.settings()), Err(RunError::Foreign { .. })));
}

#[test]
fn a_key_that_is_changed_is_told_and_one_that_is_lost_makes_inputs_unreadable() {
    let place = Place::new();
    let store = place.store();
    let id = store.enqueue(&new_run("one")).unwrap().id;
    drop(store);
    let key = place.0.path().join("runs.key");
    let mut bytes = std::fs::read(&key).unwrap();
    bytes[0] ^= 1;
    std::fs::write(&key, &bytes).unwrap();
    assert!(matches!(RunStore::open(place.settings()), Err(RunError::Key { .. })));
    std::fs::remove_file(&key).unwrap();
    let store = place.store();
    assert!(claim(&store).is_none());
    assert_eq!(store.run(id).unwrap().state, RunState::Unreadable);
}

#[test]
fn runs_that_ended_long_ago_go_and_those_that_wait_stay() {
    let place = Place::new();
    let store = place.store();
    for key in ["done", "waits"] {
        store.enqueue(&new_run(key)).unwrap();
    }
    claim(&store).unwrap().succeed(&[], &[]).unwrap();
    let later = hookgate_store::RunStore::open(
        place.settings().keep(Some(Duration::ZERO)).clock(|| u64::from(u32::MAX) * 1000),
    );
    later.unwrap().recover().unwrap();
    let left: Vec<String> =
        store.list(&Default::default()).unwrap().into_iter().map(|run| run.key).collect();
    assert_eq!(left, ["waits"]);
    let audit: u64 = place
        .sqlite()
        .query_row("SELECT count(*) FROM audit WHERE run = 1", (), |row| row.get(0))
        .unwrap();
    assert_eq!(audit, 0);
}
