//! Promise: that a hook has failed, or would do something that does not count, is never kept quiet: the user, the log
//! and the reason code say it.

use hookgate::contract::{Failure, ReasonCode, VerdictDecision};
use hookgate::{
    Engine, FailureClass, HandlerTable, Hook, HookEngine as _, Invocation, Mode, Outcome, Posture,
    Role, Verdict,
};
use serde_json::json;
use std::time::Duration;
use tracing::Level;

use crate::spans::{Capture, run};
use crate::support::{bash, context, engine, sync};

fn failing(class: FailureClass) -> Hook {
    sync("h", move |_| Err(Failure::new(class, "of a test")))
}

#[tokio::test]
async fn what_a_hook_that_only_warns_would_do_is_told() {
    let patch = || Verdict::none().patch("tool_input", json!({ "command": "other" }));
    for (verdict, told) in [
        (Verdict::deny("no"), Some("warning: the hook `h` would deny: no")),
        (Verdict::allow(), Some("warning: the hook `h` would allow")),
        (patch(), Some("warning: the hook `h` would rewrite the step")),
        (patch().message("its own words"), Some("warning: the hook `h` would rewrite the step")),
        (Verdict::none().message("its own words"), Some("its own words")),
        (Verdict::none().context("for the model"), None),
        (Verdict::none(), None),
    ] {
        let text = format!("{verdict:?}");
        let hook = sync("h", move |_| Ok(verdict.clone())).role(Role::Rewrite).mode(Mode::Warn);
        let (gate, report) = engine([hook]).dispatch_reported(bash("ls"), &context()).await;
        assert!(gate.is_cleared());
        assert_eq!(report.messages, Vec::from_iter(told), "{text}");
    }
}

#[tokio::test]
async fn that_a_hook_which_only_warns_has_failed_is_told() {
    let exit = || failing(FailureClass::Exit).mode(Mode::Warn);
    // The decision of an illegal verdict counts if it lets nothing happen, and only then.
    let illegal = |decision| {
        let mut verdict = Verdict::none().patch("no_such_field", 1);
        verdict.parts_mut().unwrap().decision = Some(decision);
        let hook = sync("h", move |_| Ok(verdict.clone())).role(Role::Rewrite);
        hook.mode(Mode::Warn).on_failure(Posture::Allow)
    };
    for (hook, told) in [
        (exit(), "warning: the hook `h` failed (exit), it would deny"),
        (exit().on_failure(Posture::Ask), "warning: the hook `h` failed (exit), it would ask"),
        (exit().on_failure(Posture::Allow), "warning: the hook `h` failed (exit)"),
        (
            illegal(VerdictDecision::Ask),
            "warning: the hook `h` failed (illegal), it would ask: CAUSE",
        ),
        (illegal(VerdictDecision::Allow), "warning: the hook `h` failed (illegal): CAUSE"),
    ] {
        let (gate, report) = engine([hook]).dispatch_reported(bash("ls"), &context()).await;
        assert!(gate.is_cleared());
        assert_eq!(report.messages, [told.replace("CAUSE", NO_SUCH_FIELD)]);
    }
}

const NO_SUCH_FIELD: &str = "`no_such_field` cannot be patched at `pre_tool_use`, only tool_input";

#[tokio::test]
async fn what_is_illegal_is_told_with_its_cause_where_it_does_not_count_too() {
    let patches = || sync("h", |_| Ok(Verdict::none().patch("no_such_field", 1)));
    let rewriter = || patches().role(Role::Rewrite).on_failure(Posture::Allow);
    let another = sync("i", |_| Ok(Verdict::none().patch("no_such_field", 2)));
    let answers = sync("o", |_| Ok(Verdict::deny("no"))).role(Role::Observe);
    for (hooks, told) in [
        (vec![rewriter()], "the hook `h` failed (illegal) and was not enforced: CAUSE"),
        (
            vec![rewriter(), another.role(Role::Rewrite).on_failure(Posture::Allow)],
            "2 hooks failed (illegal) and were not enforced: `h`, `i`: CAUSE",
        ),
        (
            vec![answers],
            "the observer `o` failed (illegal): an observer must not answer, at `pre_tool_use` or elsewhere",
        ),
    ] {
        let (gate, report) = engine(hooks).dispatch_reported(bash("ls"), &context()).await;
        assert!(gate.is_cleared());
        assert_eq!(report.messages, [told.replace("CAUSE", NO_SUCH_FIELD)]);
    }
    // Where it counts it is the reason.
    let (_, report) =
        engine([patches().role(Role::Rewrite)]).dispatch_reported(bash("ls"), &context()).await;
    let reason = report.reason.unwrap();
    assert_eq!(
        reason,
        format!("{NO_SUCH_FIELD}; so the hook `h` failed (illegal), which counts as deny")
    );
    // The control: what may quote the step is not told.
    let exit = failing(FailureClass::Exit).on_failure(Posture::Allow);
    let (_, report) = engine([exit]).dispatch_reported(bash("ls"), &context()).await;
    assert_eq!(report.messages, ["the hook `h` failed (exit) and was not enforced"]);
}

#[tokio::test]
async fn the_reason_code_says_whether_time_or_money_was_over() {
    for (class, code) in [
        (FailureClass::Timeout, ReasonCode::Timeout),
        (FailureClass::Budget, ReasonCode::Budget),
        (FailureClass::Exit, ReasonCode::RuntimeError),
    ] {
        let engine = engine([failing(class)]);
        let (_, report) = engine.dispatch_reported(bash("ls"), &context()).await;
        assert_eq!((report.decision, report.reason_code), (Outcome::Deny, Some(code)));
    }
}

/// A failure that counts as no decision is a warning where a guard did not guard, and where nothing else tells of it.
#[test]
fn how_loud_the_log_is_about_a_failure_follows_what_depends_on_the_hook() {
    let open = || failing(FailureClass::Exit).on_failure(Posture::Allow);
    let observer = || failing(FailureClass::Exit).role(Role::Observe);
    for (hook, logged) in [
        (failing(FailureClass::Exit), "INFO message=a hook failed hook="),
        (open(), "WARN message=a hook failed and was not enforced hook="),
        (open().mode(Mode::Warn), "INFO message=a hook failed hook="),
        (open().mode(Mode::Shadow), "INFO message=a hook failed hook="),
        (observer(), "INFO message=a hook failed hook="),
        (observer().background(true), "WARN message=a background hook failed hook="),
    ] {
        let engine = Engine::new(HandlerTable::builder().insert(hook).build().unwrap());
        let capture = Capture::at(Level::INFO);
        run(&capture, async {
            drop(engine.dispatch(bash("ls"), &context()).await);
            engine.drain(Duration::from_secs(60)).await;
        });
        let events = capture.events();
        let [event] = &events[..] else { panic!("{events:?}") };
        assert!(event.starts_with(logged), "{event}");
        assert!(!event.contains("of a test"), "its detail may quote the step: {event}");
    }
}

/// It answers a step and can set nothing.
mod lookup {
    use hookgate::contract::payload::Payload;
    use hookgate::{Contract, EventKind};

    pub(super) static LOOKUP: Contract =
        Contract::custom("x.lookup", EventKind::Gate).takes_answer();

    #[derive(Debug, Clone, serde::Serialize)]
    pub(super) struct Lookup;

    impl Payload for Lookup {
        fn contract(&self) -> &'static Contract {
            &LOOKUP
        }
    }

    hookgate::hook_step!(Lookup: &LOOKUP => Cleared, Denied, Answered);
}

#[tokio::test]
async fn a_patch_that_is_not_allowed_says_which_would_be_and_repeats_only_a_plain_name() {
    let patches = |field: &str| {
        let field = field.to_owned();
        let patch = move |_: Invocation<'_>| Ok(Verdict::none().patch(field.clone(), 1));
        Hook::sync("h", patch).role(Role::Rewrite)
    };
    let detail = |report: hookgate::Report| report.votes[0].detail.clone().unwrap();
    let plain = "a".repeat(40);
    for (field, named) in [
        ("no_such-field.2", "`no_such-field.2`"),
        (&*plain, &*format!("`{plain}`")),
        (&*format!("{plain}a"), "a field of the patch"),
        ("x y", "a field of the patch"),
        ("`", "a field of the patch"),
    ] {
        let engine = engine([patches(field).event(hookgate::Event::PreToolUse)]);
        let (_, report) = engine.dispatch_reported(bash("ls"), &context()).await;
        let expected = format!("{named} cannot be patched at `pre_tool_use`, only tool_input");
        assert_eq!(detail(report), expected);
    }
    let mut builder = HandlerTable::builder();
    builder.contract(&lookup::LOOKUP).insert(patches("field").custom_event("x.lookup"));
    let engine = Engine::new(builder.build().unwrap());
    let (_, report) = engine.dispatch_reported(lookup::Lookup, &context()).await;
    assert_eq!(detail(report), "nothing can be patched at `x.lookup`");
}

#[tokio::test]
async fn what_the_agent_could_bring_about_is_let_through_only_by_its_own_name() {
    for class in [FailureClass::Oversize, FailureClass::State] {
        let outcome =
            async |hook: Hook| engine([hook]).dispatch(bash("ls"), &context()).await.outcome();
        assert_eq!(outcome(failing(class)).await, Outcome::Deny);
        let general = failing(class).on_failure(Posture::Allow);
        assert_eq!(outcome(general).await, Outcome::Deny, "{class:?}");
        let named = failing(class).on_failure_of(class, Posture::Allow);
        assert_eq!(outcome(named).await, Outcome::Allow, "{class:?}");
        // An observer decides nothing, and of other classes the general posture is the one.
        let observes = failing(class).on_failure(Posture::Allow).role(Role::Observe);
        assert_eq!(outcome(observes).await, Outcome::Allow, "{class:?}");
    }
    let exit = failing(FailureClass::Exit).on_failure(Posture::Allow);
    assert!(engine([exit]).dispatch(bash("ls"), &context()).await.is_cleared());
    // At an event that fails open the state of a hook does so, too; an oversized step does not.
    for (class, outcome) in
        [(FailureClass::State, Outcome::Allow), (FailureClass::Oversize, Outcome::Deny)]
    {
        let hook = Hook::sync("h", move |_| Err(Failure::new(class, "of a test")));
        let engine = engine([hook.event(hookgate::Event::Stop)]);
        let stop = hookgate::contract::payload::Stop::new();
        assert_eq!(engine.dispatch(stop, &context()).await.outcome(), outcome, "{class:?}");
    }
}

/// Says nothing, and panics when it is dropped.
struct Bomb;

impl hookgate::contract::SyncHandler for Bomb {
    fn handle(&self, _: Invocation<'_>) -> hookgate::contract::Reply {
        Ok(Verdict::none())
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("given up");
    }
}

#[tokio::test]
async fn a_handler_that_panics_when_its_table_is_given_up_keeps_no_swap_from_its_end() {
    let denies =
        || HandlerTable::builder().insert(sync("denies", |_| Ok(Verdict::deny("no")))).build();
    type Change = fn(&Engine, HandlerTable) -> hookgate::Generation;
    let changes: [Change; 2] =
        [Engine::swap, |engine, table| engine.swap_if(engine.generation(), table).unwrap()];
    for change in changes {
        let capture = Capture::at(Level::ERROR);
        let told = tracing::subscriber::set_default(capture.clone());
        let bomb = hookgate::contract::BuiltHandler::from_sync(Bomb);
        let bomb = Hook::new("bomb", "rust", bomb).event(hookgate::Event::PreToolUse);
        let engine = engine([bomb]);
        assert!(engine.dispatch(bash("ls"), &context()).await.is_cleared());
        assert_eq!(change(&engine, denies().unwrap()), 2);
        drop(told);
        assert!(
            capture.events().concat().contains("panicked when the table"),
            "{:?}",
            capture.events()
        );
        assert_eq!(engine.dispatch(bash("ls"), &context()).await.outcome(), Outcome::Deny);
    }
}
