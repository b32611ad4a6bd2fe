//! Promise: on a system without clock and random numbers the engine judges, nothing panics, and what needs one of
//! them does not get weaker. A panic traps, and node ends with a failure.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hookgate::conditions::{Conditions, MemoryHistory};
use hookgate::config::Loader;
use hookgate::{
    Engine, Gate, HandlerTable, Hook, HookEngine, Registry, StepContext, ToolUse, Verdict,
};

mod host;

const CONFIG: &str = r#"
version = 1

[[hook]]
id = "no-force-push"
event = "pre_tool_use"
tool = "Bash"
runs = ["git push --force|-f"]
builtin = { name = "deny", reason = "no force push" }

[[hook]]
id = "never-early"
event = "pre_tool_use"
tool = "Deploy"
when = { until = "2020-01-01", zone = "UTC" }
on_unclear = "deny"
builtin = { name = "deny", reason = "not before 2020" }

[[hook]]
id = "few"
event = "pre_tool_use"
tool = "Fetch"
on_failure = "deny"
builtin = { name = "limit", of = "calls", over = 100, per = "1h" }
"#;

/// Polls a future once: nothing here may wait.
fn now<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("it waits"),
    }
}

fn judge(engine: &Engine, tool: &str, input: &str) -> Gate<ToolUse> {
    now(engine.dispatch(ToolUse::propose(tool, input).unwrap(), &StepContext::new("s")))
}

fn main() {
    std::panic::set_hook(Box::new(|panic| host::print(&panic.to_string())));
    let has_clock = host::take();

    let registry = Registry::new();
    registry.add(hookgate::builtin::kind());
    for kind in hookgate::effects::conditions::kinds() {
        registry.add_condition(kind).unwrap();
    }
    for kind in Conditions::new(Arc::new(MemoryHistory::new())).kinds() {
        registry.add_condition(kind).unwrap();
    }
    let loaded = Loader::new(&registry).parse("hooks.toml", CONFIG, Path::new("/"));
    let engine = Engine::new(loaded.unwrap_or_else(|errors| panic!("{errors}")).table);

    assert!(matches!(
        judge(&engine, "Bash", r#"{"command":"cd a && git push -f"}"#),
        Gate::Denied(_)
    ));
    assert!(judge(&engine, "Bash", r#"{"command":"git status"}"#).is_cleared());

    // What needs the time is told by it, or refused.
    assert_eq!(judge(&engine, "Deploy", "{}").is_cleared(), has_clock);
    assert_eq!(judge(&engine, "Fetch", "{}").is_cleared(), has_clock);

    // A permit has an end and a key.
    let Gate::Cleared(cleared) = judge(&engine, "Read", "{}") else {
        panic!("nothing is against it")
    };
    let issued = engine.issue(cleared, &StepContext::new("s"), Duration::from_secs(30));
    assert_eq!(issued.is_ok(), has_clock);

    // The report of a step, with the time that it took and an id of the right version.
    let step = ToolUse::propose("Bash", r#"{"command":"git push --force"}"#).unwrap();
    let (gate, report) = now(engine.dispatch_reported(step, &StepContext::new("s")));
    assert!(matches!(gate, Gate::Denied(_)));
    assert_eq!(report.step_id.unwrap().as_bytes()[14], if has_clock { b'7' } else { b'8' });

    // What waits cannot be ended at a deadline here: the guard fails, and its posture is deny.
    let waits = Hook::async_fn("waits", |_| Box::pin(async { Ok(Verdict::none()) }));
    let waits = waits.event(hookgate::Event::PreToolUse);
    engine.swap(HandlerTable::builder().insert(waits).build().unwrap());
    assert!(matches!(judge(&engine, "Bash", "{}"), Gate::Denied(_)));
    assert!(now(engine.close(Duration::from_secs(1))).is_clean());

    host::print(if has_clock { "ok with a host" } else { "ok without a host" });
}
