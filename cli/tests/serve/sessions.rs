//! Promise: steps of a session keep their order, a batch keeps its own, and limits are kept.

use serde_json::{Value, json};

use crate::support::{Folder, HOOKS, Host, bash, judge, tool};

#[test]
fn steps_that_are_counted_are_counted_in_the_order_in_which_they_were_sent() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, mut host) = Host::spawn(&folder);
    let count = |session: &str| json!({"session": session, "step": tool("Count", json!({}))});
    let numbers: Vec<u64> = (0..10).map(|_| host.send("judge", count("s"))).collect();
    let verdicts: Vec<Value> = numbers
        .into_iter()
        .map(|number| host.answer(number).unwrap()["result"]["verdict"].clone())
        .collect();
    let expected: Vec<Value> =
        (0..10).map(|at| json!(if at < 2 { "pass" } else { "deny" })).collect();
    assert_eq!(verdicts, expected);
    assert_eq!(host.ok("judge", count("other"))["verdict"], "pass");
    // No caller begins a session anew to be free of its limits.
    host.ok("session.end", json!({"session": "s"}));
    assert_eq!(host.ok("judge", count("s"))["verdict"], "deny");
    assert_eq!(host.err("session.end", json!({"session": "never"})).0, "unknown_session");
}

#[test]
fn a_batch_keeps_its_order_and_a_bad_step_fails_alone() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, mut host) = Host::spawn(&folder);
    let item = |id: &str, command: &str| json!({"id": id, "session": "s", "step": bash(command)});
    let items = json!([
        item("slow", "slow"),
        item("quick", "ls"),
        {"id": "bad", "session": "s", "step": {"hook_event_name": "pre_tol_use"}},
        {"id": "unknown", "session": "s", "step": bash("ls"), "verdict": "allow"},
        7,
        item("quick", "ls"),
        item("denied", "git push --force"),
    ]);
    let answers = host.ok("judge_batch", json!({"items": items}))["items"].clone();
    let of = |at: usize, path: &str| answers[at].pointer(path).cloned().unwrap_or_default();
    let ids: Vec<Value> = (0..7).map(|at| of(at, "/id")).collect();
    assert_eq!(
        ids,
        [
            json!("slow"),
            json!("quick"),
            json!("bad"),
            json!("unknown"),
            json!(null),
            json!("quick"),
            json!("denied")
        ]
    );
    let verdicts: Vec<Value> = [0, 1, 6].map(|at| of(at, "/result/verdict")).to_vec();
    assert_eq!(verdicts, [json!("deny"), json!("pass"), json!("deny")]);
    let errors: Vec<Value> = [2, 3, 4, 5].map(|at| of(at, "/error/data/name")).to_vec();
    assert_eq!(
        errors,
        [
            json!("invalid_step"),
            json!("invalid_params"),
            json!("invalid_params"),
            json!("invalid_params")
        ]
    );
    let many: Vec<Value> = (0..65).map(|at| item(&at.to_string(), "ls")).collect();
    assert_eq!(host.err("judge_batch", json!({"items": many})).0, "too_many");
}

#[test]
fn there_are_as_many_sessions_as_the_operator_permits() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, mut host) =
        Host::spawn_silent(&folder, &["--stdio", "-c", "hooks.toml", "--sessions", "2"]);
    host.hello();
    host.judge("a", "ls");
    host.judge("b", "ls");
    assert_eq!(host.err("judge", judge("c", "ls")).0, "too_many");
    host.ok("session.end", json!({"session": "a"}));
    host.judge("c", "ls");
    for wrong in [String::new(), "x".repeat(257)] {
        host.send("session.end", json!({"session": "c"}));
        assert_eq!(host.err("judge", judge(&wrong, "ls")).0, "invalid_session");
    }
    assert_eq!(host.ok("status", json!({}))["sessions"], 1);
}
