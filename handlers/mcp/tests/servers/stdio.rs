//! A server that is a process: it is kept, replaced, and never believed when it is out of step.

use std::time::{Duration, Instant};

use hookgate_contract::{FailureClass, Verdict, VerdictDecision};
use serde_json::json;

use crate::{ask, bash, give_up, load, reason, scan};

#[tokio::test]
async fn a_process_is_kept_between_calls() {
    let built = load(&scan(&[])).unwrap();
    let pid = reason(ask(&built, &bash("pid")).await);
    for _ in 0..5 {
        assert_eq!(reason(ask(&built, &bash("pid")).await), pid);
    }
    // The control: another hook has another process.
    let other = load(&scan(&[])).unwrap();
    assert_ne!(reason(ask(&other, &bash("pid")).await), pid);
}

#[tokio::test]
async fn a_process_that_dies_is_replaced() {
    let built = load(&scan(&[])).unwrap();
    let pid = reason(ask(&built, &bash("pid")).await);
    let failure = ask(&built, &bash("crash")).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Exit);
    assert!(
        failure.detail.contains("status 3") && failure.detail.contains("the disk is full"),
        "{failure}"
    );
    assert_ne!(reason(ask(&built, &bash("pid")).await), pid);
}

#[tokio::test]
async fn processes_that_keep_dying_are_started_ever_later() {
    let built = load(&scan(&["--crash"])).unwrap();
    for _ in 0..2 {
        let failure = ask(&built, &bash("ls")).await.unwrap_err();
        assert!(failure.detail.contains("the server ended before it was ready"), "{failure}");
    }
    let start = Instant::now();
    let failure = ask(&built, &bash("ls")).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Spawn);
    assert!(failure.detail.contains("2 servers died in a row"), "{failure}");
    assert!(start.elapsed() < Duration::from_millis(50), "nothing was started");
}

#[tokio::test]
async fn what_a_server_says_beside_its_answers_is_its_own_matter() {
    let built = load(&scan(&[])).unwrap();
    assert_eq!(ask(&built, &bash("chatty")).await.unwrap(), Verdict::none());
    assert_eq!(ask(&built, &bash("rm")).await.unwrap(), Verdict::deny("no deletes"));
}

#[tokio::test]
async fn a_server_out_of_step_is_replaced() {
    let built = load(&scan(&[])).unwrap();
    for (command, detail) in [
        ("print", "a server prints nothing else to stdout"),
        ("stray", "the server answers a request that was not made"),
    ] {
        let pid = reason(ask(&built, &bash("pid")).await);
        let failure = ask(&built, &bash(command)).await.unwrap_err();
        assert_eq!(failure.class, FailureClass::Malformed, "{command}");
        assert!(failure.detail.contains(detail), "{failure}");
        assert_ne!(reason(ask(&built, &bash("pid")).await), pid, "{command}");
    }
    let failure = ask(&built, &bash("stray")).await.unwrap_err();
    assert_eq!(failure.salvaged, Some(VerdictDecision::Deny), "what it said is not lost");
    let failure = ask(&load(&scan(&["--banner"])).unwrap(), &bash("ls")).await.unwrap_err();
    assert!(failure.detail.contains("is no message of MCP"), "{failure}");
}

#[tokio::test]
async fn an_answer_that_is_cut_off_is_no_less_than_what_it_says() {
    let built = load(&scan(&[])).unwrap();
    let failure = ask(&built, &bash("cut-deny")).await.unwrap_err();
    assert_eq!(
        (failure.class, failure.salvaged),
        (FailureClass::Exit, Some(VerdictDecision::Deny))
    );
}

/// A call that is given up is cancelled, and the server that answers its ping is kept.
#[tokio::test]
async fn a_server_survives_a_call_that_is_given_up() {
    let mut settings = scan(&[]);
    settings["server"]["grace"] = json!("5s");
    let built = load(&settings).unwrap();
    let pid = reason(ask(&built, &bash("pid")).await);
    assert_eq!(give_up(&built, "slow", Duration::from_millis(50)).await, None);
    // It waits until the server is free again.
    assert_eq!(reason(ask(&built, &bash("pid")).await), pid);
    assert_eq!(reason(ask(&built, &bash("count")).await), "4 1");
}

#[tokio::test]
async fn a_server_that_hangs_is_ended_and_replaced() {
    let built = load(&scan(&[])).unwrap();
    let pid = reason(ask(&built, &bash("pid")).await);
    give_up(&built, "hang", Duration::from_millis(50)).await;
    assert_ne!(reason(ask(&built, &bash("pid")).await), pid);
    let gone = || !std::path::Path::new(&format!("/proc/{pid}")).exists();
    for _ in 0..100 {
        if gone() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{pid} still runs");
}

#[tokio::test]
async fn no_process_outlives_its_handler() {
    let built = load(&scan(&[])).unwrap();
    let pid = reason(ask(&built, &bash("pid")).await);
    drop(built);
    for _ in 0..100 {
        if !std::path::Path::new(&format!("/proc/{pid}")).exists() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{pid} still runs");
}

#[tokio::test]
async fn versions_without_a_handshake_are_spoken_and_unknown_ones_are_not() {
    let built = load(&scan(&["--stateless"])).unwrap();
    assert_eq!(ask(&built, &bash("rm")).await.unwrap(), Verdict::deny("no deletes"));
    let failure = ask(&load(&scan(&["--old"])).unwrap(), &bash("ls")).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Spawn);
    assert!(failure.detail.contains("version `1999-01-01` of MCP"), "{failure}");
}

#[tokio::test]
async fn calls_at_the_same_time_wait_for_their_turn() {
    let built = load(&scan(&[])).unwrap();
    let calls: Vec<String> = (0..8).map(|n| format!("{}{n}", ["rm ", "ls "][n % 2])).collect();
    let mut tasks = tokio::task::JoinSet::new();
    for command in calls {
        let built = built.clone();
        tasks.spawn(async move { (command.clone(), ask(&built, &bash(&command)).await) });
    }
    while let Some(done) = tasks.join_next().await {
        let (command, reply) = done.unwrap();
        let expected = command.starts_with("rm").then(|| Verdict::deny("no deletes"));
        assert_eq!(reply.unwrap(), expected.unwrap_or_default(), "{command}");
    }
}
