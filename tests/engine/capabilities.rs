//! Promise: a handler that says what it may do is held to it: it is called at no other event, and a contribution
//! without its capability is illegal. One handler serves several hooks, each with its own policy.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookgate::contract::contribution::{ContextPiece, ContributionKind, PolicySetting};
use hookgate::contract::payload::{Planning, PromptContext, TurnPolicy};
use hookgate::contract::{BuiltHandler, Capabilities};
use hookgate::table::{BuildProblem, TableBuilder};
use hookgate::{Event, FailureClass, Hook, Role, Verdict};

use crate::support::{context, engine};

/// A handler that contributes what its event takes, and counts its calls.
fn memory(calls: &Arc<AtomicUsize>) -> BuiltHandler {
    let calls = Arc::clone(calls);
    BuiltHandler::from_sync(move |call: hookgate::Invocation<'_>| {
        calls.fetch_add(1, Ordering::Relaxed);
        Ok(match call.contract().event {
            Event::TurnPolicy => {
                Verdict::none().contribute(PolicySetting::new("shell", "network", false))
            }
            _ => Verdict::none().contribute(ContextPiece::new(call.hook, "text")),
        })
    })
}

#[tokio::test]
async fn a_contribution_without_its_capability_is_illegal() {
    let declared = Capabilities::new().contributes([ContributionKind::PromptContext]);
    let handler = memory(&Arc::default()).capabilities(declared);
    let hook = |id: &str, event| Hook::new(id, "rust", handler.clone()).event(event);
    let engine = engine([hook("policy", Event::TurnPolicy), hook("context", Event::PromptContext)]);
    let (_, report) = engine.dispatch_reported(TurnPolicy(Planning::new("x")), &context()).await;
    let vote = &report.votes[0];
    assert_eq!(vote.failure, Some(FailureClass::Illegal));
    let detail = "the handler does not declare that it contributes `policy`";
    assert_eq!(vote.detail.as_deref(), Some(detail));
    assert!(report.contributions.is_empty(), "none of it counts");
    let (_, report) = engine.dispatch_reported(PromptContext(Planning::new("x")), &context()).await;
    assert_eq!((report.contributions.len(), report.votes[0].failure), (1, None));
}

#[tokio::test]
async fn a_handler_without_a_manifest_is_bounded_by_the_contract_alone() {
    let hook = Hook::new("policy", "rust", memory(&Arc::default())).event(Event::TurnPolicy);
    let (_, report) =
        engine([hook]).dispatch_reported(TurnPolicy(Planning::new("x")), &context()).await;
    assert_eq!((report.contributions.len(), report.votes[0].failure), (1, None));
}

#[test]
fn a_hook_at_an_event_that_is_not_declared_makes_no_table() {
    let declared = Capabilities::new().events([Event::PromptContext, Event::TurnPolicy]);
    let handler = memory(&Arc::default()).capabilities(declared);
    let hook = |event| Hook::new("h", "rust", handler.clone()).event(event);
    let build = |hook: Hook| {
        let builder = [hook].into_iter().collect::<TableBuilder>();
        builder.build().err().map(|errors| errors.errors()[0].problem.clone())
    };
    let undeclared = BuildProblem::UndeclaredEvent {
        event: "prompt_compile".into(),
        declared: "`prompt_context`, `turn_policy`".into(),
    };
    assert_eq!(build(hook(Event::PromptCompile)), Some(undeclared));
    assert_eq!(build(hook(Event::TurnPolicy)), None);
    // What it would fall back to is bound by it as well.
    let only = Capabilities::new().contributes([ContributionKind::Audit]);
    let bound = Hook::new("h", "rust", memory(&Arc::default()).capabilities(only))
        .event(Event::PromptContext)
        .fallback(ContextPiece::new("a", "b"));
    assert_eq!(build(bound), Some(BuildProblem::UndeclaredFallback("prompt_context")));
}

#[tokio::test]
async fn one_handler_serves_several_hooks_each_with_its_own_priority_role_and_policy() {
    let calls = Arc::default();
    let handler = memory(&calls);
    let hook = |id: &str| Hook::new(id, "rust", handler.clone()).event(Event::PromptContext);
    let engine = engine([
        hook("late").priority(200),
        hook("early").priority(1),
        hook("watches").role(Role::Observe),
        hook("off").mode(hookgate::Mode::Off),
    ]);
    let (_, report) = engine.dispatch_reported(PromptContext(Planning::new("x")), &context()).await;
    assert_eq!(calls.load(Ordering::Relaxed), 3, "one instance for all");
    let votes: Vec<_> =
        report.votes.iter().map(|vote| (vote.hook.as_str(), vote.failure)).collect();
    let illegal = Some(FailureClass::Illegal);
    assert_eq!(votes, [("early", None), ("late", None), ("watches", illegal)]);
    assert_eq!(report.contributions.len(), 2);
}
