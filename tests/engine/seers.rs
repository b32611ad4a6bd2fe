//! Promise: a condition that wants to see every call of a tool sees each at the events of its hook, also those for
//! which the hook is not called.

use hookgate::contract::{BuiltCondition, Condition, Envelope, Truth};
use hookgate::matcher::MatchSpec;
use hookgate::{Event, Hook, HookEngine as _, Role, Verdict};
use serde_json::json;

use crate::support::{Log, bash, context, engine, sync, waiting};

/// Holds never, and notes what it sees.
struct Seer {
    log: Log,
    sees: bool,
}

impl Condition for Seer {
    fn hold(&self, _: &Envelope<'_>) -> Truth {
        Truth::False
    }

    fn explain(&self, _: &Envelope<'_>) -> String {
        "it never holds".to_owned()
    }

    fn sees_calls(&self) -> bool {
        self.sees
    }

    fn saw(&self, step: &Envelope<'_>) {
        let call = step.payload().tool().unwrap();
        self.log.push(call.tool_input["command"].as_str().unwrap());
    }
}

fn seer(log: &Log, sees: bool) -> MatchSpec {
    let condition = Seer { log: log.clone(), sees };
    MatchSpec::new().condition(BuiltCondition::new("seer", "", condition))
}

/// What a condition saw of a call of a shell.
async fn seen(log: &Log, hooks: impl IntoIterator<Item = Hook>) -> Vec<String> {
    let engine = engine(hooks);
    assert!(engine.dispatch(bash("make"), &context()).await.is_cleared());
    let mut seen = log.take();
    // It may be told more than once.
    seen.dedup();
    seen
}

fn of_another_tool() -> Hook {
    sync("guard", |_| Ok(Verdict::deny("no"))).tool("Read")
}

#[tokio::test]
async fn a_condition_sees_calls_for_which_its_hook_is_not_called() {
    let log = Log::default();
    for hook in [
        of_another_tool().matching(seer(&log, true)),
        of_another_tool().matching(MatchSpec::new().any([seer(&log, true)])),
        of_another_tool().matching(MatchSpec::new().except(seer(&log, true))),
    ] {
        assert_eq!(seen(&log, [hook]).await, ["make"]);
    }
    // One that does not want to is not told, and none of a step of another event.
    assert!(seen(&log, [of_another_tool().matching(seer(&log, false))]).await.is_empty());
    let at_result = Hook::sync("guard", |_| Ok(Verdict::none())).event(Event::PostToolUse);
    assert!(seen(&log, [at_result.tool("Read").matching(seer(&log, true))]).await.is_empty());
}

#[tokio::test]
async fn a_condition_sees_what_a_call_was_rewritten_to() {
    let log = Log::default();
    let watched = || of_another_tool().matching(seer(&log, true));
    let patch = || Verdict::none().patch("tool_input", json!({"command": "make -n"}));
    let guard = || sync("first", |_| Ok(Verdict::none()));
    let at_once = sync("dry-run", move |_| Ok(patch())).role(Role::Rewrite);
    let later = waiting("dry-run", move |_| Box::pin(async move { Ok(patch()) }));
    for rewriter in [at_once, later.role(Role::Rewrite)] {
        assert_eq!(seen(&log, [watched(), guard(), rewriter]).await, ["make", "make -n"]);
    }
}
