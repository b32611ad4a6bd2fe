//! Promise: no process of a program outlives its step.

use std::path::Path;
use std::time::Duration;

use hookgate_contract::Verdict;
use serde_json::json;
use tokio::time::{sleep, timeout};

use crate::support::{build_in, invoke};

/// Returns whether a process runs; one that has exited and is not yet reaped does not.
fn runs(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().starts_with(" Z"))
}

/// Returns the pids that a program wrote into a file, once there are this many.
async fn pids(file: &Path, count: usize) -> Vec<String> {
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if text.ends_with('\n') && text.lines().count() == count {
            return text.lines().map(str::to_owned).collect();
        }
        sleep(Duration::from_millis(5)).await;
    }
}

async fn all_gone(pids: &[String]) -> bool {
    for _ in 0..200 {
        if !pids.iter().any(|pid| runs(pid)) {
            return true;
        }
        sleep(Duration::from_millis(10)).await;
    }
    false
}

#[tokio::test]
async fn a_dropped_future_ends_the_program_and_its_children() {
    let base = tempfile::tempdir().unwrap();
    let file = base.path().join("pids");
    // The child ignores polite signals, and so does the program.
    let text = "trap '' TERM HUP INT; sleep 60 & printf '%s\\n%s\\n' $$ $! > pids; wait";
    let built = build_in(base.path(), &json!({ "shell": text })).unwrap();
    let pids = {
        let reply = invoke(&built);
        tokio::pin!(reply);
        tokio::select! {
            ended = &mut reply => panic!("it ended by itself: {ended:?}"),
            pids = timeout(Duration::from_secs(20), pids(&file, 2)) => pids.unwrap(),
        }
        // Here the future is dropped, as at a deadline.
    };
    assert!(all_gone(&pids).await, "{pids:?} go on");
}

#[tokio::test]
async fn a_program_that_ends_leaves_no_children_behind() {
    let base = tempfile::tempdir().unwrap();
    let file = base.path().join("pids");
    // With pipes of its own, only its group leads to the child.
    let text = "sleep 60 >/dev/null 2>&1 </dev/null & echo $! > pids";
    for end in ["", "; exit 2", "; exit 1", "; yes"] {
        let settings = json!({"shell": format!("{text}{end}")});
        let built = build_in(base.path(), &settings).unwrap();
        let reply = invoke(&built).await;
        match end {
            "" => assert_eq!(reply, Ok(Verdict::none())),
            "; exit 2" => assert_eq!(reply, Ok(Verdict::deny("denied by `guard`"))),
            _ => assert!(reply.is_err(), "{end}"),
        }
        let pids = pids(&file, 1).await;
        assert!(all_gone(&pids).await, "{pids:?} go on after `{end}`");
        std::fs::remove_file(&file).unwrap();
    }
}
