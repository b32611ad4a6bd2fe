//! A daemon keeps tables, and nothing of what was trusted a moment ago.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use super::ground::{Ground, OTHER, SCRIPT, hook, is_refused};

const DAEMON: (&str, &str) = ("HOOKGATE_DAEMON", "3");

fn call(ground: &Ground, more: &[&str]) -> (bool, crate::support::Answer) {
    ground.call_in(&ground.work(), more, &[DAEMON])
}

fn has_daemon(ground: &Ground) -> bool {
    let folder = ground.session.home.path().join(".local/state/hookgate/daemon");
    let mut files = fs::read_dir(folder).into_iter().flatten().flatten();
    files.any(|file| file.path().extension().is_some_and(|end| end == "sock"))
}

/// Calls until the daemon has kept a table of it, and once more.
fn settled(ground: &Ground) {
    for _ in 0..3 {
        assert!(call(ground, &[]).0);
        thread::sleep(Duration::from_millis(150));
    }
}

#[test]
fn a_daemon_trusts_what_is_trusted_at_this_moment() {
    let ground = Ground::with_script();
    is_refused(call(&ground, &[]), "nobody has said", "never");
    let end = Instant::now() + Duration::from_secs(20);
    while !has_daemon(&ground) {
        assert!(Instant::now() < end, "there is no daemon");
        thread::sleep(Duration::from_millis(20));
    }
    is_refused(call(&ground, &[]), "nobody has said", "never, by the daemon");
    ground.trust("trusted");
    settled(&ground);
    ground.script("guard.sh", OTHER);
    is_refused(call(&ground, &[]), "guard.sh", "a changed script");
    ground.script("guard.sh", SCRIPT);
    settled(&ground);
    ground.write(".hookgate/hooks.d/9.toml", &hook("new", "command = { shell = 'true' }"));
    is_refused(call(&ground, &[]), "9.toml", "a drop-in");
    ground.trust("a drop-in");
    settled(&ground);
    assert_eq!(ground.verb(&["--revoke"]).exit, Some(0));
    is_refused(call(&ground, &[]), "nobody has said", "revoked");
    let hash = ground.shown()["hash"].as_str().unwrap().to_owned();
    assert!(call(&ground, &["--trust-hash", &hash]).0);
    is_refused(call(&ground, &[]), "nobody has said", "without the hash");
}
