//! Promise: a hook decides the same as a worker and as a program that is started for each step.
//!
//! On a recorded session; skipped where `../shared/corpus` is absent.
#![cfg(feature = "command")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may fail")]

use hookgate_test_support::corpus;

use hookgate_test_support as support;

use std::path::Path;

use hookgate::Engine;
use hookgate::config::Loader;
use hookgate::envelope::Incoming;
use serde_json::{Map, Value, json};

/// The interpreter itself: what is called `python3` may be a script that looks for it.
fn python() -> String {
    let output = std::process::Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .expect("there is a python3");
    String::from_utf8(output.stdout).expect("a path").trim().to_owned()
}

/// Decides by a hash of all that it gets, so that a loss in transit changes the decision.
const GUARD: &str = r#"
import hashlib, json
import hookgate

def guard(step):
    seen = json.dumps([step["tool_name"], step["tool_input"], step["turn"]], sort_keys=True)
    digest = hashlib.sha256(seen.encode()).hexdigest()
    say = [hookgate.allow, None, hookgate.ask, hookgate.deny][int(digest[0], 16) % 4]
    if say is None:
        return None
    return say(context=[digest]) if say is hookgate.allow else say(digest, context=[digest])

hookgate.run(guard)
"#;

fn engine(folder: &Path, mode: &str) -> Engine {
    let config = format!(
        "[[hook]]\nid = \"guard\"\nevent = \"pre_tool_use\"\ntimeout = \"20s\"\n\
         command = {{ argv = [\"{}\", \"guard.py\"], mode = \"{mode}\" }}\n",
        python()
    );
    let loaded = Loader::new(&support::registry()).parse("hooks.toml", &config, folder);
    Engine::new(loaded.unwrap_or_else(|errors| panic!("{errors}")).table)
}

/// The decision record, without what differs from run to run.
async fn decide(engine: &Engine, step: &Map<String, Value>) -> Value {
    let mut incoming = Incoming::from_object(step.clone()).unwrap();
    let report = engine.evaluate(&mut incoming).await;
    let votes: Vec<_> =
        report.votes.iter().map(|vote| json!([vote.hook, vote.decision, vote.failure])).collect();
    json!([report.decision, report.reason, report.by, report.context, votes])
}

#[tokio::test]
async fn a_session_is_decided_alike() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Some(path) = corpus::corpus(repository, "session-b.steps.jsonl") else { return };
    let steps = std::fs::read_to_string(&path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).join("handlers/command/sdk/hookgate.py");
    std::fs::copy(sdk, folder.join("hookgate.py")).unwrap();
    std::fs::write(folder.join("guard.py"), GUARD).unwrap();
    let (plain, worker) = (engine(folder, "plain"), engine(folder, "worker"));
    let (mut invoked, mut stopped) = (0, 0);
    let each = support::cases(2, 1) as usize;
    for line in steps.lines().filter(|line| line.contains("pre_tool_use")).step_by(each) {
        let step: Map<String, Value> = serde_json::from_str(line).unwrap();
        if step["hook_event_name"] != "pre_tool_use" {
            continue;
        }
        let expected = decide(&plain, &step).await;
        assert_eq!(decide(&worker, &step).await, expected, "{line}");
        invoked += 1;
        stopped += usize::from(expected[0] != "allow");
    }
    eprintln!("{invoked} tool calls decided alike, {stopped} of them not allowed");
    assert!(invoked > 50 && stopped > 10);
}
