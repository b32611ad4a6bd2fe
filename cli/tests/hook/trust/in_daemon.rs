//! A daemon keeps tables, and nothing of what was trusted a moment ago.

use std::fs;
use std::thread;
use std::time::Duration;

use super::ground::{Ground, OTHER, SCRIPT, hook, is_refused};

const DAEMON: (&str, &str) = ("HOOKGATE_DAEMON", "3");

fn call(ground: &Ground, more: &[&str]) -> (bool, crate::support::Answer) {
    ground.call_in(&ground.work(), more, &[DAEMON])
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
    thread::sleep(Duration::from_millis(300));
    is_refused(call(&ground, &[]), "nobody has said", "never, by the daemon");
    let runtime = ground.session.home.path().join(".local/state/hookgate/daemon");
    let sockets = fs::read_dir(runtime)
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "sock"));
    assert_eq!(sockets.count(), 1);
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
