//! The list of trusted projects: what is wrong with it trusts nothing, and is told.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::ground::{Ground, chmod, give};

const UNUSABLE: &str = "the list of trusted projects cannot be used";
const NEVER: &str = "nobody has said that the project is trusted";

/// Something that happens to the list.
type Change = fn(&Ground);

/// What may happen to it, and what is said then.
const CASES: &[(&str, Change, &str)] = &[
    ("broken", |g| fs::write(g.record(), "{").unwrap(), UNUSABLE),
    ("empty", |g| fs::write(g.record(), "").unwrap(), UNUSABLE),
    ("of a later version", |g| replace(g, "\"version\": 1", "\"version\": 2"), UNUSABLE),
    ("of another project", |g| replace(g, "/work\"", "/elsewhere\""), UNUSABLE),
    (
        "of another content",
        |g| replace(g, "\"hash\": \"sha256:", "\"hash\": \"sha256:0"),
        "has changed",
    ),
    ("gone", |g| fs::remove_file(g.record()).unwrap(), NEVER),
    ("its folder is gone", |g| fs::remove_dir_all(g.store()).unwrap(), NEVER),
    ("for everybody", |g| chmod(&g.record(), 0o666), UNUSABLE),
    ("in a folder for everybody", |g| chmod(&g.store(), 0o777), UNUSABLE),
    (
        "a link",
        |g| {
            let record = g.record();
            fs::rename(&record, g.outside("record")).unwrap();
            symlink(g.outside("record"), &record).unwrap();
        },
        UNUSABLE,
    ),
    (
        "a folder that is a link",
        |g| {
            fs::rename(g.store(), g.outside("trust")).unwrap();
            symlink(g.outside("trust"), g.store()).unwrap();
        },
        UNUSABLE,
    ),
    (
        "a folder",
        |g| {
            let record = g.record();
            fs::remove_file(&record).unwrap();
            fs::create_dir(&record).unwrap();
        },
        UNUSABLE,
    ),
];

fn replace(ground: &Ground, what: &str, with: &str) {
    let text = fs::read_to_string(ground.record()).unwrap();
    assert!(text.contains(what), "{text}");
    fs::write(ground.record(), text.replace(what, with)).unwrap();
}

fn trusted() -> Ground {
    let ground = Ground::with_script();
    ground.trust("first");
    ground.runs("first");
    ground
}

#[test]
fn a_list_with_a_fault_trusts_nothing() {
    for (name, change, why) in CASES {
        let ground = trusted();
        change(&ground);
        ground.refuses(why, name);
        assert_ne!(ground.shown()["state"], "trusted", "{name}");
    }
}

#[test]
fn a_list_of_another_user_trusts_nothing() {
    let ground = trusted();
    if give(&ground.record(), Some(12_345), None) {
        ground.refuses(UNUSABLE, "a record of another user");
    }
    let ground = trusted();
    if give(&ground.store(), Some(12_345), None) {
        ground.refuses(UNUSABLE, "a folder of another user");
        assert_eq!(ground.verb(&["--yes"]).exit, Some(1));
    }
}

#[test]
fn only_its_user_can_read_it() {
    let ground = trusted();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(ground.store()), mode(ground.record())), (0o700, 0o600));
}

#[test]
fn what_is_revoked_does_not_run() {
    let ground = trusted();
    assert!(ground.verb(&["--revoke", "--table"]).text().contains("revoked"));
    ground.refuses(NEVER, "revoked");
    assert!(ground.verb(&["--revoke", "--table"]).text().contains("was not trusted"));
    ground.trust("again");
    ground.runs("again");
    assert_eq!(ground.verb(&["--revoke", "--all"]).exit, Some(0));
    ground.refuses(NEVER, "all revoked");
    // One that is gone can still be taken back.
    let ground = trusted();
    let work = ground.work();
    fs::rename(&work, ground.outside("moved")).unwrap();
    fs::create_dir(&work).unwrap();
    let all = ground.verb(&["--show", "--all", "--json"]);
    assert!(all.stdout.contains("\"state\":\"gone\"") && all.exit == Some(2), "{all:?}");
    assert!(ground.verb(&["--revoke"]).stdout.contains("\"revoked\":true"));
    assert_eq!(ground.verb(&["--show", "--all", "--json"]).stdout, "");
}

#[test]
fn a_record_that_cannot_be_read_can_be_replaced_and_taken_back() {
    let ground = trusted();
    fs::write(ground.record(), "{").unwrap();
    let all = ground.verb(&["--show", "--all"]);
    assert!(all.stderr.contains("is not a record of `hookgate trust`"), "{all:?}");
    ground.trust("anew");
    ground.runs("anew");
    fs::write(ground.record(), "{").unwrap();
    assert!(ground.verb(&["--revoke"]).stdout.contains("\"revoked\":true"));
    ground.refuses(NEVER, "revoked");
}

#[test]
fn two_who_write_at_the_same_time_both_succeed() {
    let grounds: Vec<_> = (0..2).map(|_| Ground::with_script()).collect();
    let home = grounds[0].session.home.path();
    std::thread::scope(|scope| {
        for ground in &grounds {
            for _ in 0..8 {
                scope.spawn(|| {
                    let mut command = ground.session.command(&["trust", "--yes"]);
                    let done =
                        command.env("HOME", home).current_dir(ground.work()).output().unwrap();
                    assert!(done.status.success(), "{done:?}");
                });
            }
        }
    });
    let all = grounds[0].verb(&["--show", "--all", "--json"]);
    assert_eq!((all.exit, all.stdout.lines().count()), (Some(0), 2), "{all:?}");
}
