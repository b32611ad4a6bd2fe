//! Promise: whatever is changed in a journal is found, and a cut end is found with a head from elsewhere.

use hookgate_store::{Fault, Filter, Head, HeadKey, HeadPlace, Reader};
use rusqlite::Connection;

use crate::support::{Place, bytes, record};

const STEPS: [(&str, &str, &str); 6] = [
    ("s", "1", "ls"),
    ("s", "2", "rm -rf a"),
    ("s", "3", "cat b"),
    ("s", "4", "rm c"),
    ("s", "5", "echo d"),
    ("s", "6", "rm e"),
];

async fn journal() -> Place {
    let place = Place::new();
    record(place.settings(), &STEPS).await;
    place
}

/// Changes the file as somebody would who can write it.
fn change(place: &Place, sql: &str) {
    let database = Connection::open(&place.file).unwrap();
    database.execute_batch(sql).unwrap();
}

fn faults(place: &Place) -> Vec<Fault> {
    place.reader().verify(&[], None).unwrap().faults
}

#[tokio::test]
async fn what_is_changed_removed_or_put_elsewhere_is_named_by_its_number() {
    for (sql, first) in [
        ("UPDATE record SET text = replace(text, 'deny', 'allow') WHERE seq = 4", 4),
        ("UPDATE record SET hash = zeroblob(32) WHERE seq = 3", 3),
        ("UPDATE record SET decision = 'allow' WHERE seq = 2", 2),
        ("UPDATE record SET session = 'other' WHERE seq = 5", 5),
        ("UPDATE record SET body_digest = NULL WHERE seq = 4", 4),
        ("UPDATE body SET text = replace(text, 'rm', 'ls') WHERE seq = 2", 2),
        ("DELETE FROM record WHERE seq = 3", 3),
        ("DELETE FROM record WHERE seq IN (1, 2)", 1),
        ("DELETE FROM body WHERE seq = 3", 3),
        ("DELETE FROM spoke WHERE seq = 4", 4),
        (
            "UPDATE record SET seq = 100 WHERE seq = 3; UPDATE record SET seq = 3 WHERE seq = 4;
             UPDATE record SET seq = 4 WHERE seq = 100",
            3,
        ),
        ("INSERT INTO body(seq, text) VALUES (99, 'x')", 99),
    ] {
        let place = journal().await;
        change(&place, sql);
        let found = faults(&place);
        let first_found = found.first().and_then(Fault::seq);
        assert_eq!(first_found, Some(first), "{sql}: {found:?}");
    }
}

#[tokio::test]
async fn a_schema_and_an_index_that_are_others_are_found() {
    for sql in [
        "DROP INDEX record_refused",
        "INSERT INTO spoke(hook, seq) VALUES ('no-rm', 1)",
        "CREATE TRIGGER silent BEFORE INSERT ON record BEGIN SELECT raise(IGNORE); END",
    ] {
        let place = journal().await;
        change(&place, sql);
        assert!(matches!(faults(&place)[..], [Fault::Damaged { .. }]), "{sql}");
    }
}

/// Everything that a journal says, whatever way it is asked; `None` if it does not say anything any more.
fn content(place: &Place) -> Option<String> {
    let reader = Reader::open(&place.file).ok()?;
    let mut all = serde_json::to_string(&reader.entries(&Filter::default()).ok()?).ok()?;
    for filter in [
        Filter::default().session("s"),
        Filter::default().hook("no-rm"),
        Filter::default().tool("Bash"),
        Filter::default().event("pre_tool_use"),
        Filter::default().decisions([hookgate::Outcome::Deny]),
        Filter::default().since(1),
    ] {
        all.push_str(&serde_json::to_string(&reader.entries(&filter).ok()?).ok()?);
    }
    Some(all)
}

/// A flipped bit is found, or it is one in which nothing is written: the journal says the same as before.
#[tokio::test]
async fn a_flipped_bit_is_found_wherever_something_is_written() {
    let place = journal().await;
    change(&place, "PRAGMA wal_checkpoint(TRUNCATE)");
    let whole = std::fs::read(&place.file).unwrap();
    let said = content(&place).unwrap();
    let (mut found, mut without_meaning) = (0, 0);
    for byte in (0..whole.len()).step_by(61) {
        let bit = byte % 8;
        let mut damaged = whole.clone();
        damaged[byte] ^= 1 << bit;
        for beside in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{beside}", place.file.display()));
        }
        std::fs::write(&place.file, &damaged).unwrap();
        let verified = Reader::open(&place.file).and_then(|reader| reader.verify(&[], None));
        if verified.is_ok_and(|found| found.is_whole()) {
            assert_eq!(content(&place).as_deref(), Some(&*said), "byte {byte}, bit {bit}");
            without_meaning += 1;
        } else {
            found += 1;
        }
    }
    assert!(found > 20, "{found} found, {without_meaning} without a meaning");
}

#[tokio::test]
async fn a_cut_end_is_found_with_a_head_from_elsewhere() {
    let place = Place::new();
    let heads = place.folder.path().join("heads.jsonl");
    let mut settings = place.settings();
    settings.heads = vec![HeadPlace::File(heads.clone())];
    record(settings, &STEPS).await;
    let kept = Head::read_all(&heads).unwrap();
    assert_eq!(kept.last().unwrap().seq, 6);
    let reader = place.reader();
    assert!(reader.verify(&kept, None).unwrap().is_whole());
    drop(reader);
    for table in ["record", "body", "spoke"] {
        change(&place, &format!("DELETE FROM {table} WHERE seq = 6"));
    }
    assert!(faults(&place).is_empty(), "a chain alone does not show it");
    let found = place.reader().verify(&kept, None).unwrap();
    assert_eq!(found.faults, [Fault::Cut { seq: 6 }]);

    // Another chain is written in its place.
    let last = ("s", "7", "echo another");
    record(place.settings(), &[last]).await;
    let found = place.reader().verify(&kept, None).unwrap();
    assert_eq!(found.faults, [Fault::OtherHead { seq: 6 }]);
}

#[tokio::test]
async fn heads_that_somebody_else_has_written_are_found() {
    let place = journal().await;
    let key = HeadKey::new(*b"a key that the agent does not have");
    let head = place.reader().head().unwrap();
    let signed = head.clone().signed(&key);
    let verify = |head: Head| place.reader().verify(&[head], Some(&key)).unwrap().faults;
    assert_eq!(verify(signed), []);
    assert_eq!(verify(head.clone()), [Fault::Signature { seq: 6 }]);
    assert_eq!(verify(head.signed(&HeadKey::new(*b"other"))), [Fault::Signature { seq: 6 }]);
}

/// Adds an entry as somebody would who can write the file: a chain has no key.
fn add_retention(place: &Place, through: u64) {
    let database = Connection::open(&place.file).unwrap();
    let last = "SELECT seq, hash FROM record ORDER BY seq DESC LIMIT 1";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let (seq, before): (u64, [u8; 32]) = database.query_row(last, (), read).unwrap();
    let (seq, text) = (seq + 1, format!(r#"{{"kind":"retention","through":{through},"time":1}}"#));
    let mut hash = hmac_sha256::Hash::new();
    hash.update(before);
    hash.update(seq.to_be_bytes());
    hash.update((text.len() as u64).to_be_bytes());
    hash.update(&text);
    let add = "INSERT INTO record(seq, time, kind, attempt, text, hash) VALUES (?1, 1, 'retention', 1, ?2, ?3)";
    database.execute(add, (seq, text, hash.finalize())).unwrap();
}

#[tokio::test]
async fn bodies_that_only_an_entry_after_the_last_head_excuses_are_told() {
    let place = journal().await;
    let key = HeadKey::new(*b"a key that the agent does not have");
    let head = place.reader().head().unwrap().signed(&key);
    let heads = [head];
    let before = place.reader().verify(&heads, Some(&key)).unwrap();
    assert_eq!((before.after_heads, before.is_whole()), (Some(0), true));

    add_retention(&place, 6);
    change(&place, "DELETE FROM body");
    let without = place.reader().verify(&[], None).unwrap();
    assert!(without.is_whole() && without.in_doubt.is_empty(), "{without:?}");
    assert_eq!((without.after_heads, without.without_body), (None, 6));
    let told = place.reader().verify(&heads, None).unwrap();
    assert!(told.is_whole(), "{told:?}");
    assert_eq!((told.after_heads, told.without_body), (Some(1), 0));
    assert_eq!(told.in_doubt, [1, 2, 3, 4, 5, 6]);
    let signed = place.reader().verify(&heads, Some(&key)).unwrap();
    assert!(!signed.is_whole());
    assert_eq!(signed.faults[0], Fault::BodyInDoubt { seq: 1 });

    // A head that covers the entry proves it, but not for what comes later.
    let later = [place.reader().head().unwrap().signed(&key)];
    let proven = place.reader().verify(&later, Some(&key)).unwrap();
    assert!(proven.is_whole(), "{proven:?}");
    assert_eq!((proven.without_body, proven.in_doubt.len()), (6, 0));
}

#[tokio::test]
async fn retention_excuses_nothing_that_came_after_it() {
    let place = journal().await;
    add_retention(&place, 1000);
    record(place.settings(), &[("s", "8", "ls")]).await;
    change(&place, "DELETE FROM body");
    assert_eq!(faults(&place), [Fault::BodyRemoved { seq: 8 }]);
}

#[tokio::test]
async fn a_head_is_noted_of_what_retention_did() {
    let place = journal().await;
    let key = HeadKey::new(*b"a key that the agent does not have");
    let heads = place.folder.path().join("heads.jsonl");
    tokio::time::sleep(std::time::Duration::from_millis(60)).await;
    let mut settings = place.settings();
    settings.heads = vec![HeadPlace::File(heads.clone())];
    settings.keep = Some(std::time::Duration::from_millis(50));
    record(settings, &[("s", "7", "ls")]).await;
    let kept = Head::read_all(&heads).unwrap();
    let kept: Vec<Head> = kept.into_iter().map(|head| head.signed(&key)).collect();
    let found = place.reader().verify(&kept, Some(&key)).unwrap();
    assert!(found.is_whole(), "{found:?}");
    assert_eq!(found.after_heads, Some(0));
    assert!(found.without_body >= 6, "{found:?}");
}

#[tokio::test]
async fn a_part_of_the_schema_does_not_hide_behind_the_name_of_statistics() {
    let place = journal().await;
    change(&place, "ANALYZE");
    assert_eq!(faults(&place), [], "the statistics of SQLite are no other schema");
    change(
        &place,
        "CREATE TRIGGER silent BEFORE INSERT ON record BEGIN SELECT raise(IGNORE); END;
         PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET name = 'sqlite_stat_silent',
         sql = replace(sql, 'silent', 'sqlite_stat_silent') WHERE name = 'silent';",
    );
    assert!(matches!(faults(&place)[..], [Fault::Damaged { .. }]), "{:?}", faults(&place));
}

#[tokio::test]
async fn the_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = journal().await;
    std::fs::set_permissions(&place.file, std::fs::Permissions::from_mode(0o644)).unwrap();
    record(place.settings(), &[("s", "7", "ls")]).await;
    for entry in std::fs::read_dir(place.folder.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", entry.path().display());
    }
    assert!(!bytes(&place.file).is_empty());
}
