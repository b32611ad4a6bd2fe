//! Promise: ten thousand runs (two thousand where time is short) leave no file, thread or child behind.

use std::time::Duration;

use hookgate_contract::Verdict;
use tokio::time::{sleep, timeout};

use crate::support::{invoke, shell};

/// Counts open files, threads and unreaped children of this process.
fn count_resources() -> (usize, usize, usize) {
    let count = |path: &str| std::fs::read_dir(path).unwrap().count();
    let mut unreaped = 0;
    for thread in std::fs::read_dir("/proc/self/task").unwrap().flatten() {
        let children = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        unreaped += children
            .split_whitespace()
            .filter_map(|pid| std::fs::read_to_string(format!("/proc/{pid}/stat")).ok())
            .filter(|stat| stat.rsplit(')').next().is_some_and(|rest| rest.starts_with(" Z")))
            .count();
    }
    (count("/proc/self/fd"), count("/proc/self/task"), unreaped)
}

/// Runs a test of this binary in a process of its own: here others open files, too.
fn alone(name: &str) {
    let this = std::env::current_exe().unwrap();
    let output = std::process::Command::new(this)
        .args(["--exact", name, "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && shown.contains("1 passed"), "{shown}{errors}");
}

async fn stays_flat(runs: u32) {
    let (good, hanging) = (shell("exit 2"), shell("sleep 60 & sleep 60"));
    let mut before = None;
    for run in 0..runs {
        if run % 20 == 0 {
            assert!(timeout(Duration::from_millis(5), invoke(&hanging)).await.is_err());
        } else {
            assert_eq!(invoke(&good).await, Ok(Verdict::deny("denied by `guard`")));
        }
        if run == 100 {
            sleep(Duration::from_millis(400)).await;
            before = Some(count_resources());
        }
    }
    sleep(Duration::from_millis(400)).await;
    let (files, threads, unreaped) = count_resources();
    let before = before.unwrap();
    assert!(files <= before.0 + 2 && threads <= before.1 + 1, "{before:?} {:?}", (files, threads));
    assert_eq!(unreaped, 0);
    eprintln!(
        "{runs} runs: files, threads, unreaped: {before:?} before, {:?} after",
        (files, threads, unreaped)
    );
}

#[test]
fn files_threads_and_unreaped_children_stay_flat() {
    alone("resource_leaks::many_runs");
}

#[tokio::test]
#[ignore = "is run by the test above, alone"]
async fn many_runs() {
    stays_flat(hookgate_test_support::cases(2_000, 10_000)).await;
}
