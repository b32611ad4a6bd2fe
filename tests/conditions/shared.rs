//! What is derived of a step is derived once for each version of it, whoever asks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookgate::contract::{BuiltCondition, BuiltHandler, Condition, Envelope, Truth};
use hookgate::{Event, Hook, HookEngine, Role, Verdict};
use serde_json::json;

use crate::support;

#[derive(Clone, Default)]
struct Count(Arc<AtomicUsize>);

/// The words of a command.
struct Words(usize);

struct HasWords(Count);

impl Condition for HasWords {
    fn hold(&self, step: &Envelope<'_>) -> Truth {
        let words = step.derived(|| {
            self.0.0.fetch_add(1, Ordering::SeqCst);
            let command =
                step.payload().tool().and_then(|call| call.tool_input["command"].as_str());
            Words(command.unwrap_or_default().split(' ').count())
        });
        (words.0 > 0).into()
    }

    fn explain(&self, _: &Envelope<'_>) -> String {
        "it counts words".to_owned()
    }

    fn subject(&self, step: &Envelope<'_>) -> Option<String> {
        Some(format!("{} words", step.derived(|| Words(0)).0))
    }
}

fn hooks(count: &Count) -> Vec<Hook> {
    let condition = || BuiltCondition::new("words", true, HasWords(count.clone()));
    let mut hooks: Vec<Hook> = (0..10)
        .map(|number| {
            let id = format!("guard-{number}");
            let hook = if number % 2 == 0 {
                Hook::sync(id, |_| Ok(Verdict::none()))
            } else {
                Hook::async_fn(id, |_| {
                    Box::pin(async {
                        tokio::task::yield_now().await;
                        Ok(Verdict::none())
                    })
                })
            };
            hook.event(Event::PreToolUse).condition(condition())
        })
        .collect();
    let observer = Hook::sync("observer", |_| Ok(Verdict::none())).role(Role::Observe);
    hooks.push(observer.event(Event::PreToolUse).condition(condition()));
    hooks
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_hooks_and_an_observer_share_one_computation() {
    // A large step is evaluated on other threads, by copies of it.
    for size in [1, 200 << 10] {
        let count = Count::default();
        let engine = support::engine(hooks(&count));
        let step = support::bash(&"x".repeat(size));
        assert!(engine.dispatch(step, &support::context()).await.cleared().is_some());
        assert_eq!(count.0.load(Ordering::SeqCst), 1, "{size}");
    }
}

#[tokio::test]
async fn a_rewritten_step_is_another_version() {
    let count = Count::default();
    let rewriter = Hook::sync("rewriter", |call| {
        let patch = json!({"command": "echo a b"});
        let done = call.envelope.is_rejudge();
        Ok(if done { Verdict::none() } else { Verdict::none().patch("tool_input", patch) })
    });
    let rewriter = rewriter.event(Event::PreToolUse).role(Role::Rewrite).priority(1);
    let late = Hook::sync("late", |_| Ok(Verdict::none())).event(Event::PreToolUse).priority(0);
    let built = BuiltCondition::new("words", true, HasWords(count.clone()));
    let mut all = hooks(&count);
    all.extend([rewriter, late.condition(built)]);
    let engine = support::engine(all);
    assert!(engine.dispatch(support::bash("ls"), &support::context()).await.cleared().is_some());
    assert_eq!(count.0.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_handler_learns_what_made_its_hook_hold() {
    let says = |call: hookgate::Invocation<'_>| {
        Ok(Verdict::deny(call.subject().unwrap_or_else(|| "nothing".to_owned())))
    };
    let reason = async |hook: Hook, size: usize| {
        let engine = support::engine([hook.event(Event::PreToolUse)]);
        let step = support::bash(&"x ".repeat(size));
        engine.dispatch_reported(step, &support::context()).await.1.reason.unwrap()
    };
    let words = || BuiltCondition::new("words", true, HasWords(Count::default()));
    assert_eq!(reason(Hook::sync("h", says), 1).await, "nothing");
    assert_eq!(reason(Hook::sync("h", says).condition(words()), 1).await, "2 words");
    let inside = hookgate::matcher::MatchSpec::new().condition(words());
    assert_eq!(reason(Hook::sync("h", says).matching(inside.clone()), 1).await, "2 words");
    let any = hookgate::matcher::MatchSpec::new().any([inside]);
    assert_eq!(reason(Hook::sync("h", says).matching(any), 1).await, "2 words");
    // Also on another thread.
    let heavy = Hook::new("h", "test", BuiltHandler::from_sync(says).heavy());
    let large = 100 << 10;
    assert_eq!(reason(heavy.condition(words()), large).await, format!("{} words", large + 1));
    let two = Hook::sync("h", says).condition(words()).condition(crate::says::says(Truth::True));
    assert_eq!(reason(two, 1).await, "2 words and `$CMD` does it");
}
