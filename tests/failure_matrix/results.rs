//! Promise: a failure leaves nothing of a changed step or a shown result.

use hookgate::contract::{BuiltHandler, Event, Invocation, Reply};
use hookgate::{Failure, FailureClass, Gate, Hook, HookEngine, Role, Verdict};
use serde_json::json;

use crate::builtin::hide_panics_on_purpose;
use crate::defaults::failing;
use crate::support::{self, sync};

/// The result of a tool that printed a secret, evaluated by a rewriter that fails.
async fn withheld(reply: impl Fn() -> Reply + Send + Sync + 'static) -> String {
    let redact =
        Hook::new("redact", "test", BuiltHandler::from_sync(move |_: Invocation<'_>| reply()))
            .event(Event::PostToolUse)
            .event(Event::PostToolUseFailure);
    let engine = support::engine([redact]);
    let context = support::context();
    let mut feedback = String::new();
    for result in [Ok(json!("the key is hunter2")), Err("the key is hunter2")] {
        let Gate::Cleared(tool) = engine.dispatch(support::bash("env"), &context).await else {
            panic!("the guard is broken");
        };
        match engine.dispatch(tool.start().finish(result), &context).await {
            Gate::Denied(denied) => feedback.push_str(&denied.feedback()),
            Gate::Cleared(done) => feedback.push_str(&done.into_message()),
            Gate::Halted(halted) => feedback.push_str(halted.reason()),
        }
    }
    feedback
}

#[tokio::test]
async fn a_failed_redaction_withholds_the_result() {
    hide_panics_on_purpose();
    let null = || Ok(Verdict::none().patch("tool_response", json!(null)).patch("error", "clean"));
    let shown = [
        withheld(|| Err(Failure::new(FailureClass::Exit, "on purpose"))).await,
        withheld(|| panic!("on purpose")).await,
        withheld(|| Verdict::parse(br#"{"patch":{"tool_response":"#)).await,
        withheld(null).await,
    ];
    for text in shown {
        assert_eq!(text.matches("withheld by redact").count(), 2, "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
    // The control: a hook that has nothing to redact lets it through.
    assert_eq!(withheld(|| Ok(Verdict::none())).await.matches("hunter2").count(), 2);
}

/// A guard that fails after a rewrite: nothing of the rewrite happens either.
#[tokio::test]
async fn a_failure_after_a_rewrite_denies_the_whole_step() {
    let rewrite = sync("rewrite", |_| {
        Ok(Verdict::none().patch("tool_input", json!({"command": "rewritten"})))
    })
    .role(Role::Rewrite);
    let engine = support::engine([rewrite, failing(FailureClass::Auth, Event::PreToolUse)]);
    let gate = engine.dispatch(support::bash("ls"), &support::context()).await;
    let Gate::Denied(denied) = gate else { panic!("{gate:?}") };
    assert_eq!(denied.decision().by, ["failing"]);
}
