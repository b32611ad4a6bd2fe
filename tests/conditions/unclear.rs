//! What cannot be told: who is called all the same, and what the others count as.

use hookgate::contract::{BuiltHandler, Truth};
use hookgate::decision::VoteOutcome;
use hookgate::{Engine, Event, FailureClass, Hook, Mode, Outcome, Posture, Report, Verdict};

use crate::says::{deny, load, says};
use crate::support::{self, Log};

fn fixed(of: Truth) -> Hook {
    let deny = BuiltHandler::sync(|_| Ok(Verdict::deny("fixed"))).static_answer();
    Hook::new("h", "test", deny).event(Event::PreToolUse).condition(says(of))
}

async fn report(hook: Hook) -> Report {
    let engine = support::engine([hook]);
    engine.dispatch_reported(support::bash("ls"), &support::context()).await.1
}

#[tokio::test]
async fn a_fixed_answer_is_not_given_and_counts_as_the_posture_says() {
    let found = report(fixed(Truth::Unknown)).await;
    assert_eq!(
        (found.decision, found.votes[0].failure),
        (Outcome::Ask, Some(FailureClass::Unclear))
    );
    assert_eq!(
        found.reason.as_deref(),
        Some("`$CMD` is not known before it runs; so the hook `h` is unclear, which counts as ask")
    );
    assert_eq!(found.votes[0].detail.as_deref(), Some("`$CMD` is not known before it runs"));
    for (posture, expected) in [
        (Posture::Deny, Outcome::Deny),
        (Posture::Ask, Outcome::Ask),
        (Posture::Allow, Outcome::Allow),
    ] {
        let own = fixed(Truth::Unknown).on_failure_of(FailureClass::Unclear, posture);
        assert_eq!(report(own).await.decision, expected);
        // It is no defect, so what a defect counts as does not matter.
        let general = fixed(Truth::Unknown).on_failure(posture);
        assert_eq!(report(general).await.decision, Outcome::Ask);
    }
    let allowed = fixed(Truth::Unknown).on_failure_of(FailureClass::Unclear, Posture::Allow);
    assert_eq!(
        report(allowed).await.messages,
        ["the hook `h` failed (unclear) and was not enforced"]
    );
}

#[tokio::test]
async fn without_an_ask_it_is_a_deny() {
    for (event, posture) in [
        (Event::PreToolUse, Posture::Ask),
        (Event::PostToolUse, Posture::Deny),
        (Event::UserPromptSubmit, Posture::Ask),
        (Event::Stop, Posture::Deny),
        (Event::SessionEnd, Posture::Allow),
    ] {
        let silent = BuiltHandler::sync(|_| Ok(Verdict::none())).static_answer();
        let table = hookgate::HandlerTable::builder()
            .insert(Hook::new("h", "test", silent).event(event))
            .build()
            .unwrap();
        assert_eq!(
            table.listing().next().unwrap().posture(FailureClass::Unclear),
            posture,
            "{event}"
        );
    }
}

#[tokio::test]
async fn who_never_refuses_asks_nothing_when_unclear() {
    let adds = || BuiltHandler::sync(|_| Ok(Verdict::none())).static_answer().never_refuses();
    let hook = |on: Option<Posture>| {
        let hook = Hook::new("h", "test", adds()).event(Event::PreToolUse);
        let hook = hook.condition(says(Truth::Unknown));
        match on {
            Some(posture) => hook.on_failure_of(FailureClass::Unclear, posture),
            None => hook,
        }
    };
    let found = report(hook(None)).await;
    assert_eq!(
        (found.decision, found.votes[0].failure),
        (Outcome::Allow, Some(FailureClass::Unclear))
    );
    let own = report(hook(Some(Posture::Ask))).await;
    assert_eq!(own.decision, Outcome::Ask, "what the hook says itself counts");
    // Beside it, a hook that can refuse asks as ever.
    let guard =
        Hook::new("guard", "test", BuiltHandler::sync(|_| Ok(Verdict::deny("no"))).static_answer())
            .event(Event::PreToolUse)
            .condition(says(Truth::Unknown));
    let engine = support::engine([hook(None), guard]);
    let both = engine.dispatch_reported(support::bash("ls"), &support::context()).await.1;
    assert_eq!(both.decision, Outcome::Ask);
}

#[tokio::test]
async fn a_false_condition_beats_one_that_cannot_be_told() {
    let both = fixed(Truth::Unknown).condition(says(Truth::False));
    assert_eq!(report(both).await.decision, Outcome::Allow);
    let both = fixed(Truth::Unknown).condition(says(Truth::True));
    assert_eq!(report(both).await.decision, Outcome::Ask);
}

#[tokio::test]
async fn what_the_engine_itself_does_not_know_calls_every_hook() {
    let own = fixed(Truth::True).agent("coder");
    assert_eq!(report(own).await.decision, Outcome::Deny);
    let both = fixed(Truth::Unknown).agent("coder");
    assert_eq!(report(both).await.decision, Outcome::Ask);
}

#[tokio::test]
async fn a_handler_that_looks_for_itself_is_called() {
    let looks = Hook::sync("h", |_| Ok(Verdict::deny("looked"))).event(Event::PreToolUse);
    let found = report(looks.condition(says(Truth::Unknown))).await;
    assert_eq!(found.reason.as_deref(), Some("looked"));
    let waits = Hook::async_fn("h", |_| Box::pin(async { Ok(Verdict::deny("waited")) }));
    let found = report(waits.event(Event::PreToolUse).condition(says(Truth::Unknown))).await;
    assert_eq!(found.reason.as_deref(), Some("waited"));
}

#[tokio::test]
async fn a_mode_that_does_not_enforce_only_tells() {
    let found = report(fixed(Truth::Unknown).mode(Mode::Shadow)).await;
    assert_eq!((found.decision, found.votes[0].outcome), (Outcome::Allow, VoteOutcome::Failed));
    let found = report(fixed(Truth::Unknown).mode(Mode::Warn)).await;
    assert_eq!(found.decision, Outcome::Allow);
    assert_eq!(found.messages, ["warning: the hook `h` failed (unclear), it would ask"]);
}

#[tokio::test]
async fn the_builtins_deny_and_ask_are_fixed() {
    for handler in ["deny", "ask"] {
        let text = deny("says = \"unknown\"").replace("\"deny\"", &format!("\"{handler}\""));
        let engine = Engine::new(load(&Log::default(), &text).unwrap().table);
        let (_, found) = engine.dispatch_reported(support::bash("ls"), &support::context()).await;
        assert_eq!(found.decision, Outcome::Ask);
        assert_eq!(found.votes[0].failure, Some(FailureClass::Unclear), "{handler}");
        assert_eq!(engine.failures("h", FailureClass::Unclear), 1);
    }
}

#[tokio::test]
async fn a_condition_that_panics_is_a_failure_of_its_hook() {
    struct Panics;
    impl hookgate::contract::Condition for Panics {
        fn hold(&self, _: &hookgate::Envelope<'_>) -> Truth {
            panic!("on purpose")
        }
        fn explain(&self, _: &hookgate::Envelope<'_>) -> String {
            panic!("on purpose")
        }
    }
    let built = hookgate::contract::BuiltCondition::new("panics", true, Panics);
    let hook = Hook::sync("h", |_| Ok(Verdict::none())).event(Event::PreToolUse).condition(built);
    let found = report(hook).await;
    assert_eq!(
        (found.decision, found.votes[0].failure),
        (Outcome::Deny, Some(FailureClass::Panic))
    );
    assert_eq!(found.votes[0].detail.as_deref(), Some("a condition panicked: on purpose"));
}

#[tokio::test]
async fn many_that_cannot_be_told_have_one_reason() {
    let hook = |at: usize| {
        let asks = BuiltHandler::sync(|_| Ok(Verdict::deny("fixed"))).static_answer();
        Hook::new(format!("guard-{at}"), "test", asks)
            .event(Event::PreToolUse)
            .condition(says(Truth::Unknown))
    };
    let engine = support::engine((0..32).map(hook));
    let found = engine.dispatch_reported(support::bash("ls"), &support::context()).await.1;
    assert_eq!(
        found.reason.as_deref(),
        Some(
            "`$CMD` is not known before it runs; so 32 hooks are unclear, which counts as ask: `guard-0`, \
             `guard-1`, `guard-2` and 29 more"
        )
    );
    // All of it is in the votes.
    assert_eq!((found.by.len(), found.votes.len()), (32, 32));
    assert!(found.votes.iter().all(|vote| vote.reason.is_some()));
    // Those that only warn are told together, too.
    let warned = support::engine((0..3).map(|at| hook(at).mode(Mode::Warn)));
    let found = warned.dispatch_reported(support::bash("ls"), &support::context()).await.1;
    assert_eq!(
        found.messages,
        ["warning: 3 hooks failed (unclear), they would ask: `guard-0`, `guard-1`, `guard-2`"]
    );
}

#[tokio::test]
async fn of_a_long_explanation_only_the_beginning_is_kept() {
    struct Long;
    impl hookgate::contract::Condition for Long {
        fn hold(&self, _: &hookgate::Envelope<'_>) -> Truth {
            Truth::Unknown
        }
        fn explain(&self, _: &hookgate::Envelope<'_>) -> String {
            "ä".repeat(5000)
        }
    }
    let built = hookgate::contract::BuiltCondition::new("long", true, Long);
    let deny = BuiltHandler::sync(|_| Ok(Verdict::deny("fixed"))).static_answer();
    let found =
        report(Hook::new("h", "test", deny).event(Event::PreToolUse).condition(built)).await;
    let kept = "ä".repeat(2000) + "…";
    assert_eq!(found.votes[0].detail.as_deref(), Some(&*kept));
}
