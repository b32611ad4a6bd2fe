//! Compares a guard that is only a condition with a guard that is a program: what one step costs.
//!
//! ```text
//! cargo run --release -p hookgate-effects --example guard_cost
//! ```

use std::error::Error;
use std::hint::black_box;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hookgate::config::Loader;
use hookgate::testing::tool_call;
use hookgate::{Engine, HookEngine, Outcome, StepContext};
use hookgate_effects::conditions;
use hookgate_test_support::registry;

/// The guard as a condition.
const CONDITION: &str = r#"
[[hook]]
id = "no-force-push"
event = "pre_tool_use"
runs = "git push -f|--force"
builtin = { name = "deny", reason = "no force push" }
"#;

/// The guard as it is written without conditions: a program that is started for each step.
const PROGRAM: &str = r#"
import json, re, sys
step = json.load(sys.stdin)
if re.search(r"git\s+push.*(-f|--force)", step["tool_input"]["command"]):
    sys.exit("no force push")
"#;

const COMMAND: &str = "git add -A && git commit -m \"x\" && cargo test 2>&1 | tail -20";

/// What the condition must be cheaper by.
const RATIO: f64 = 1_000.0;

fn main() -> Result<(), Box<dyn Error>> {
    let condition = tokio::runtime::Builder::new_current_thread().build()?.block_on(condition())?;
    let program = program()?;
    let ratio = program.as_secs_f64() / condition.as_secs_f64();
    println!("a condition {condition:?}, a python3 process {program:?}: {ratio:.0} times");
    if ratio < RATIO { Err(format!("less than {RATIO} times").into()) } else { Ok(()) }
}

/// The time of one step with the condition, the best of some.
async fn condition() -> Result<Duration, Box<dyn Error>> {
    let registry = registry();
    for kind in conditions::kinds_at_home(Some("/home/u".into())) {
        registry.add_condition(kind)?;
    }
    let loaded = Loader::new(&registry).parse("hooks.toml", CONDITION, ".".as_ref());
    let engine = Engine::new(loaded.map_err(|errors| errors.to_string())?.table);
    let context = StepContext::new("s").cwd("/home/u/p");
    let step = |command: &str| tool_call("Bash").input("command", command).step();
    let denied = engine.dispatch(step("git push -f"), &context).await.outcome();
    let passed = engine.dispatch(step(COMMAND), &context).await.outcome();
    if (denied, passed) != (Outcome::Deny, Outcome::Allow) {
        return Err(format!("the guard says {denied:?} and {passed:?}").into());
    }
    const STEPS: u32 = 1_000;
    let mut best = Duration::MAX;
    for _ in 0..10 {
        let start = Instant::now();
        for _ in 0..STEPS {
            black_box(engine.dispatch(step(COMMAND), &context).await.outcome());
        }
        best = best.min(start.elapsed() / STEPS);
    }
    Ok(best)
}

/// The time of one step with a process of its own, the best of some.
fn program() -> Result<Duration, Box<dyn Error>> {
    let step = serde_json::json!({"tool_name": "Bash", "tool_input": {"command": COMMAND}});
    let mut best = Duration::MAX;
    for _ in 0..20 {
        let start = Instant::now();
        let mut child =
            Command::new("python3").args(["-c", PROGRAM]).stdin(Stdio::piped()).spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(step.to_string().as_bytes())?;
        }
        if !child.wait()?.success() {
            return Err("the program does not run".into());
        }
        best = best.min(start.elapsed());
    }
    Ok(best)
}
