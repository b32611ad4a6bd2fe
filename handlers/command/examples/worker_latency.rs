//! How long a hook takes: started for each step, and as a worker. Side by side in one run:
//!
//! `cargo run --release -p hookgate-command --example worker_latency`
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "it may fail loudly"
)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hookgate_contract::BuildContext;
use hookgate_contract::StepId;
use hookgate_contract::payload::ToolCall;
use hookgate_contract::settings::{Node, Settings};
use hookgate_contract::{BuiltHandler, Envelope, Handler, Invocation, Reply, StepContext};
use serde_json::{Value, json};

const ROUNDS: usize = 200;

/// How many times as fast the worker is at least.
const PROMISED: f64 = 80.0;

/// How many calls of a worker stand beside one of a spawned hook.
const CALLS: usize = 10;

fn build(base: &Path, settings: &Value) -> BuiltHandler {
    let node = Node::from_json(settings);
    let mut settings = Settings::new(&node);
    let built = hookgate_command::build(&mut settings, &BuildContext::new(base, 1 << 20));
    let errors = settings.finish();
    assert!(errors.is_empty(), "{errors:?}");
    built.expect("it was built")
}

async fn invoke(built: &BuiltHandler, call: &ToolCall) -> Reply {
    let context = StepContext::new("session-1");
    let id = StepId::new(Some("step-1"), String::new);
    let envelope = Envelope::new(call, &context, &id, 1, 4 << 20);
    let Handler::Async(handler) = &built.handler else { panic!("a program answers at once") };
    handler.handle(Invocation::new("guard", &envelope)).await
}

/// The calls: those of a recorded session where it is there, else a few of the same kinds.
fn calls() -> Vec<ToolCall> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/session-b.steps.jsonl");
    let recorded = std::fs::read_to_string(&path).map(|steps| {
        steps
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter(|step| step["hook_event_name"] == "pre_tool_use")
            .map(|step| {
                let name = step["tool_name"].as_str().unwrap_or_default().to_owned();
                ToolCall::new(name, step["tool_input"].clone())
            })
            .collect()
    });
    let calls: Vec<ToolCall> = recorded.unwrap_or_else(|_| {
        println!("without {}: a built-in session\n", path.display());
        vec![
            ToolCall::new("Bash", json!({"command": "cargo test --workspace"})),
            ToolCall::new("Read", json!({"file_path": "src/lib.rs"})),
            ToolCall::new("Write", json!({"file_path": "a.rs", "content": "x".repeat(2_000)})),
            ToolCall::new("Grep", json!({"pattern": "fn main", "path": "src"})),
        ]
    });
    // Nothing in the session is denied; what is shows that the decision comes from the guard.
    let denied = ToolCall::new("Bash", json!({"command": "git push --force"}));
    calls.into_iter().flat_map(|call| [call, denied.clone()]).collect()
}

#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    fn median(&self) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort();
        sorted.get(sorted.len() / 2).copied().unwrap_or_default()
    }

    fn row(&self, name: &str) {
        let mut sorted = self.0.clone();
        sorted.sort();
        let at = |part: usize| sorted[(sorted.len() * part / 100).min(sorted.len() - 1)];
        println!(
            "| {name} | {:.1} | {:.1} | {:.1} |",
            micros(at(10)),
            micros(at(50)),
            micros(at(99)),
        );
    }
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// Starts `/bin/true` and waits for its end, without the variables of this process: Cargo adds folders
/// in which the program would look for its libraries.
fn spawn_and_wait() {
    let mut child = Command::new("/bin/true")
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("it starts");
    child.wait().expect("it ends");
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let python = examples.join("python-guard");
    // The interpreter itself: what is called `python3` may be a script that looks for it.
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let interpreter = String::from_utf8(output.expect("there is a python3").stdout);
    let interpreter = interpreter.expect("it is a path").trim().to_owned();
    let settings = |mode: &str| json!({"argv": [interpreter, "guard.py"], "mode": mode});
    let (plain, worker) = (build(&python, &settings("plain")), build(&python, &settings("worker")));
    let floor = build(Path::new("/"), &json!({"argv": ["/bin/true"]}));
    let calls = calls();
    let mut stopped = 0;
    let mut times: [Times; 4] = Default::default();
    invoke(&worker, &calls[0]).await.expect("the worker starts");
    for round in 0..ROUNDS {
        let call = &calls[round % calls.len()];
        // In turn: the first of the two finds the caches cold.
        for row in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
            let start = Instant::now();
            if row == 0 {
                spawn_and_wait();
            } else {
                invoke(&floor, call).await.expect("it answers");
            }
            times[row].0.push(start.elapsed());
        }

        let start = Instant::now();
        let spawned = invoke(&plain, call).await;
        times[2].0.push(start.elapsed());

        for _ in 0..CALLS {
            let start = Instant::now();
            let answered = invoke(&worker, call).await;
            times[3].0.push(start.elapsed());
            assert_eq!(answered, spawned, "they decide differently");
            stopped += usize::from(answered.is_ok_and(|verdict| verdict.parts().is_some()));
        }
    }
    println!("| | p10 µs | median µs | p99 µs |\n|---|---|---|---|");
    times[0].row("posix_spawn of /bin/true, no pipes");
    times[1].row("/bin/true as a hook");
    times[2].row("Python hook, started for each step");
    times[3].row("the same Python hook as a worker");
    let ratio = times[2].median().as_secs_f64() / times[3].median().as_secs_f64();
    assert_eq!(stopped, ROUNDS * CALLS / 2);
    println!("\nAll decided alike; the worker is {ratio:.0} times as fast");
    assert!(ratio >= PROMISED, "at least {PROMISED} times is promised");
}
