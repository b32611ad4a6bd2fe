//! Promise: a phase of a turn without hooks allocates nothing, whatever the phases before have gathered. A program of its
//! own: the allocator counts.
#![allow(clippy::unreachable, clippy::unwrap_used, reason = "a test may fail")]

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use hookgate::contract::contribution::{ContextPiece, PolicySetting, ToolBundle};
use hookgate::contract::payload::{
    Planning, PromptCompile, PromptContext, PromptContextPlanned, ToolSelection, TurnPolicy,
};
use hookgate::decision::Contributed;
use hookgate::table::ContributionLimits;
use hookgate::turn::Turn;
use hookgate::{Engine, Event, HandlerTable, Hook, HookEngine, Noop, StepContext, Verdict};

fn planning() -> Planning {
    Planning::new("what is new?").model("m").tool_names(vec!["Bash".to_owned()])
}

/// The result of a future that is ready at once.
fn now<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => unreachable!("no hook waits"),
    }
}

fn allocations(engine: &impl HookEngine, turn: &mut Turn) -> u64 {
    let context = StepContext::new("session-1");
    let steps = (
        TurnPolicy(planning()),
        PromptContext(planning()),
        PromptContextPlanned(planning()),
        ToolSelection(planning()),
        PromptCompile(planning()),
    );
    let counted = allocation_counter::measure(|| {
        now(async {
            turn.policy(engine, steps.0, &context).await;
            turn.context(engine, steps.1, &context).await;
            turn.planned_context(engine, steps.2, &context).await;
            turn.tools(engine, steps.3, &context).await;
            turn.sections(engine, steps.4, &context).await;
        });
    });
    assert!(turn.tool_set().names().any(|name| name == "Bash"));
    counted.count_total
}

#[test]
fn a_phase_without_hooks_allocates_nothing() {
    let elsewhere = Hook::sync("h", |_| Ok(Verdict::none())).event(Event::PreToolUse);
    let armed_elsewhere = Engine::new(HandlerTable::builder().insert(elsewhere).build().unwrap());
    for full in [false, true] {
        let mut turn = Turn::new(ContributionLimits::new());
        if full {
            let given = [
                Contributed::new("h", PolicySetting::new("shell", "network", false)),
                Contributed::new("h", ContextPiece::new("likes", "tea")),
                Contributed::new("h", ToolBundle::new("web", vec!["Search".to_owned()])),
            ];
            turn.absorb(Event::PromptContext, &given);
        }
        assert_eq!(allocations(&Engine::without_hooks(), &mut turn), 0);
        assert_eq!(allocations(&armed_elsewhere, &mut turn), 0);
        assert_eq!(allocations(&Noop, &mut turn), 0);
    }
    // One that has a hook is counted by the same means.
    let hook = Hook::sync("h", |_| Ok(Verdict::none())).event(Event::PromptContext);
    let armed = Engine::new(HandlerTable::builder().insert(hook).build().unwrap());
    let mut turn = Turn::new(ContributionLimits::new());
    turn.absorb(Event::TurnPolicy, &[Contributed::new("h", PolicySetting::new("a", "b", 1))]);
    assert!(allocations(&armed, &mut turn) > 0, "the policy is written for it");
}
