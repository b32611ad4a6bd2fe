//! Promise: each misbehaviour has its failure class, and a message with advice.

use std::time::{Duration, Instant};

use hookgate_contract::FailureClass::{Exit, Malformed, Oversize, Signal, Spawn};
use hookgate_contract::{FailureClass, Verdict, VerdictDecision};
use serde_json::json;
use tokio::time::timeout;

use crate::support::{build, build_in, context_of, invoke, misbehaving};

/// A misbehaviour: its argument, its class, the salvaged decision, and a part of the message.
type Misbehaviour = (&'static str, FailureClass, Option<VerdictDecision>, &'static str);

const BOTH: &[Misbehaviour] = &[
    ("garbage", Malformed, None, "stdout"),
    ("half", Malformed, Some(VerdictDecision::Deny), "stdout"),
    ("twice", Malformed, Some(VerdictDecision::Deny), "duplicate"),
    ("unknown", Malformed, Some(VerdictDecision::Deny), "resaon"),
    ("nan", Malformed, None, "expected"),
    ("flood", Oversize, None, "raise limits.output"),
    ("exit_1", Exit, None, "ValueError: boom"),
    ("exit_7", Exit, None, "exit status 7"),
    ("exit_126", Exit, None, "chmod +x"),
    ("exit_127", Exit, None, "PATH"),
    ("exit_137", Exit, None, "signal 9, perhaps for want of memory"),
    ("killed", Signal, None, "signal 9"),
    ("crash", Signal, None, "a crash"),
    ("latin", Malformed, Some(VerdictDecision::Deny), ""),
    ("two", Malformed, Some(VerdictDecision::Deny), ""),
    ("deep", Malformed, None, ""),
];

const WORKER: &[Misbehaviour] = &[
    ("wrong_id", Malformed, None, "answers call 99, the open call is "),
    ("error", Exit, None, "the hook failed: ValueError: bad"),
    ("close", Exit, None, "closed its stdout"),
    ("not_ready", Spawn, None, "{\"ready\":1}"),
    ("wrong_version", Spawn, None, "version 2"),
    ("dies_early", Exit, None, "before it was ready: exit status 9"),
];

async fn check(misbehaviours: &[Misbehaviour], mode: &str) {
    for (argument, class, salvaged, expected) in misbehaviours {
        let built = misbehaving(argument, &json!({"mode": mode}));
        let reply = timeout(Duration::from_secs(20), invoke(&built)).await;
        let failure = reply.expect("it hangs").expect_err(argument);
        assert_eq!(
            (failure.class, failure.salvaged),
            (*class, *salvaged),
            "{mode} {argument}: {failure}"
        );
        assert!(failure.detail.contains(expected), "{mode} {argument}: {failure}");
    }
}

#[tokio::test]
async fn each_fault_of_a_program_has_its_class_and_its_advice() {
    check(BOTH, "plain").await;
}

#[tokio::test]
async fn each_fault_of_a_worker_has_its_class_and_its_advice() {
    check(BOTH, "worker").await;
    check(WORKER, "worker").await;
}

#[tokio::test]
async fn what_only_looks_like_a_fault_is_not_one() {
    for mode in ["plain", "worker"] {
        for (argument, verdict) in [
            ("good", Verdict::deny("no")),
            ("silent", Verdict::none()),
            ("noisy", Verdict::deny("no")),
            ("leave_child", Verdict::deny("no")),
            ("leave_ignoring", Verdict::deny("no")),
        ] {
            let built = misbehaving(argument, &json!({"mode": mode}));
            assert_eq!(invoke(&built).await, Ok(verdict), "{mode} {argument}");
        }
    }
    assert_eq!(invoke(&misbehaving("nothing", &json!({}))).await, Ok(Verdict::none()));
}

#[tokio::test]
async fn a_program_that_answers_slowly_or_never_is_left_at_the_deadline() {
    for mode in ["plain", "worker"] {
        for argument in ["hang", "ignore", "drip"] {
            let built = misbehaving(argument, &json!({"mode": mode}));
            let start = Instant::now();
            assert!(
                timeout(Duration::from_millis(300), invoke(&built)).await.is_err(),
                "{mode} {argument}"
            );
            assert!(start.elapsed() < Duration::from_secs(2), "{mode} {argument}");
        }
    }
}

#[tokio::test]
async fn a_script_that_cannot_be_started_says_why() {
    let base = tempfile::tempdir().unwrap();
    let script = base.path().join("guard");
    let settings = json!({"argv": ["./guard"]});
    let set = |mode| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(&script, mode).unwrap();
    };
    // What cannot be started at all is refused with the config.
    for (text, expected) in [
        ("#!/no/such/interpreter\n", "`/no/such/interpreter`, and there is no such program"),
        ("#!/usr/bin/env no-such-interpreter\n", "`no-such-interpreter`"),
        ("#!/bin/sh\r\n", "/bin/sh\\r"),
        ("no first line", "`#!/usr/bin/env python3`"),
        ("", "has no first line"),
    ] {
        std::fs::write(&script, text).unwrap();
        set(0o755);
        let refused = build_in(base.path(), &settings).map(|_| ()).unwrap_err();
        assert!(refused.contains(expected), "{text:?}: {refused}");
    }
    // And what cannot be started any more fails at the step.
    std::fs::write(&script, "#!/bin/sh\n").unwrap();
    let built = build_in(base.path(), &settings).unwrap();
    set(0o644);
    let failure = invoke(&built).await.unwrap_err();
    assert_eq!(failure.class, Spawn, "{failure}");
    assert!(failure.detail.contains("chmod +x"), "{failure}");
}

#[tokio::test]
async fn limits_bite() {
    let limited = |argument: &str, limits| misbehaving(argument, &json!({"limits": limits}));
    let failure = invoke(&limited("eat_cpu", json!({"cpu": "1s"}))).await.unwrap_err();
    assert_eq!(failure.class, Signal);
    assert!(failure.detail.contains("over limits.cpu"), "{failure}");
    let failure = invoke(&limited("eat_memory", json!({"memory": "256MiB"}))).await.unwrap_err();
    assert_eq!(failure.class, Exit);
    assert!(failure.detail.contains("MemoryError"), "{failure}");
    // They are set from outside, a moment after the start.
    let text = "sleep 0.2; ulimit -n; ulimit -c";
    let files = build(&json!({"shell": text, "stdout": "context", "limits": {"files": 64}}));
    assert_eq!(context_of(&files).await, "64\n0");
}
