//! Promise: what a program writes to stderr is in the log at `DEBUG`, with its hook, once, and
//! without the secrets that the program was given.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hookgate_contract::{BuiltHandler, Verdict};
use hookgate_test_support::listeners;
use serde_json::json;
use tokio::time::timeout;
use tracing::instrument::WithSubscriber as _;
use tracing_subscriber::filter::LevelFilter;

use crate::support::{build, invoke, shell};

/// A log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Calls a handler so often, and returns what was logged, without times.
async fn logged(built: &BuiltHandler, calls: usize, level: LevelFilter) -> Vec<String> {
    listeners::keep_second();
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_ansi(false)
        .without_time()
        .with_writer(move || writer.clone())
        .finish();
    let calls = async {
        for _ in 0..calls {
            let _ = timeout(Duration::from_secs(2), invoke(built)).await;
        }
    };
    calls.with_subscriber(subscriber).await;
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let ours = text.lines().filter(|line| line.contains("hookgate::command"));
    ours.map(|line| line.trim().to_owned()).collect()
}

#[tokio::test]
async fn a_program_that_passes_is_heard() {
    let built = shell("printf 'one\\n\\n  two\\033[2J\\n' >&2");
    assert_eq!(
        logged(&built, 1, LevelFilter::DEBUG).await,
        [
            r#"DEBUG hookgate::command: hook="guard" stderr=one"#,
            r#"DEBUG hookgate::command: hook="guard" stderr=  two?[2J"#,
            r#"DEBUG hookgate::command: hook="guard" exit=status 0"#,
        ]
    );
    assert!(logged(&built, 1, LevelFilter::INFO).await.is_empty());
}

#[tokio::test]
async fn what_a_program_said_before_its_time_was_over_is_heard() {
    let built = shell("echo waiting >&2; sleep 30");
    assert_eq!(
        logged(&built, 1, LevelFilter::DEBUG).await,
        [r#"DEBUG hookgate::command: hook="guard" stderr=waiting"#]
    );
}

#[tokio::test]
async fn secrets_are_not_logged() {
    let set = json!({"API_TOKEN": "first-half\nsecond-half-of-it"});
    for mode in ["plain", "worker"] {
        let script = r#"echo '{"ready":1}'; echo "it is $API_TOKEN" >&2; read -r call; exit 3"#;
        let built = build(&json!({"shell": script, "set_env": set, "mode": mode}));
        let lines = logged(&built, 1, LevelFilter::DEBUG).await.join("\n");
        assert!(lines.contains("it is [API_TOKEN]"), "{mode}: {lines}");
        assert!(!lines.contains("half"), "{mode}: {lines}");
    }
}

#[tokio::test]
async fn each_call_of_a_worker_is_heard_once() {
    let script = r#"
        echo '{"ready":1}'
        while read -r call; do
            id=${call#*:}; id=${id%%,*}; n=$((n + 1))
            echo "call $n" >&2
            printf 'unfinished' >&2
            echo "{\"id\":$id,\"verdict\":{\"decision\":\"allow\"}}"
        done"#;
    let built = build(&json!({"shell": script, "mode": "worker"}));
    assert_eq!(invoke(&built).await, Ok(Verdict::allow()));
    let lines = logged(&built, 2, LevelFilter::DEBUG).await.join("\n");
    for (text, times) in [("stderr=call 1", 1), ("call 2", 2), ("unfinishedcall 3", 1)] {
        assert_eq!(lines.matches(text).count(), times, "{text}: {lines}");
    }
    assert!(lines.ends_with("worker=answered, call 3 of its process"), "{lines}");
}

/// A worker that writes much more than is kept is not stopped by it, and whole lines are logged.
#[tokio::test]
async fn a_flood_is_cut_between_lines() {
    let script = r#"
        echo '{"ready":1}'
        read -r call
        id=${call#*:}; id=${id%%,*}
        seq 1000000 1020000 >&2
        echo "{\"id\":$id,\"verdict\":{\"decision\":\"allow\"}}"
        read -r call"#;
    let built = build(&json!({"shell": script, "mode": "worker"}));
    let lines = logged(&built, 1, LevelFilter::DEBUG).await;
    let numbers: Vec<&str> =
        lines.iter().filter_map(|line| line.split_once("stderr=")).map(|(_, text)| text).collect();
    assert_eq!(numbers.last(), Some(&"1020000"));
    assert!(numbers.len() > 500 && numbers.iter().all(|number| number.len() == 7), "{numbers:?}");
}
