//! Promise: what is left of a hook that fails is what its config says: a gap that the runtime learns of, a
//! contribution that stands in, or nothing; and each is told.

use hookgate::contract::contribution::{ContextPiece, Contribution, PolicySetting};
use hookgate::contract::payload::{Planning, PromptContext};
use hookgate::decision::Contributed;
use hookgate::table::{BuildProblem, TableBuilder};
use hookgate::{
    Engine, Event, Failure, FailureClass, Hook, HookEngine, Mode, Posture, Report, Role, Verdict,
};

use crate::support::{context, engine};

/// A hook at `prompt_context` that fails.
fn failing(id: &str) -> Hook {
    let failed = |_: hookgate::Invocation<'_>| {
        Err(Failure::new(FailureClass::Unreachable, "SECRET: no network"))
    };
    Hook::sync(id, failed).event(Event::PromptContext)
}

fn gathering(id: &'static str) -> Hook {
    let gather = move |_: hookgate::Invocation<'_>| {
        Ok(Verdict::none().contribute(ContextPiece::new(id, "found")))
    };
    Hook::sync(id, gather).event(Event::PromptContext)
}

fn piece(id: &str, content: &str) -> Contribution {
    ContextPiece::new(id, content).into()
}

async fn gathered(engine: &Engine) -> Report {
    let step = PromptContext(Planning::new("hello"));
    engine.dispatch_reported(step, &context()).await.1
}

#[tokio::test]
async fn the_failure_of_a_required_hook_is_an_error_of_the_phase() {
    let engine = engine([
        gathering("notes"),
        failing("memory").required(true),
        failing("index").required(true),
        failing("weather"),
    ]);
    let gate = engine.dispatch(PromptContext(Planning::new("hello")), &context()).await;
    let decision = gate.decision().unwrap();
    let error = decision.complete().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the required hook `memory` has failed (unreachable); the required hook `index` has failed (unreachable)"
    );
    let failed: Vec<_> = error.hooks().iter().map(|one| (one.hook.as_str(), one.class)).collect();
    let class = FailureClass::Unreachable;
    assert_eq!(failed, [("memory", class), ("index", class)], "in the order of the hooks");
    let found = Contributed::new("notes", piece("notes", "found"));
    assert_eq!(decision.contributions, [found], "the rest is there");
    // What a service has said may quote a secret: it is for the author of the hook, in the votes.
    let told = serde_json::to_string(&decision).unwrap();
    assert!(!told.contains("SECRET"), "{told}");

    let report = gathered(&engine).await;
    assert_eq!(report.failed_required, decision.failed_required);
    let line = serde_json::to_string(&report).unwrap();
    assert_eq!(Report::from_json(line.as_bytes()).unwrap(), report);
    let messages = report.messages.join("\n");
    assert!(messages.contains("2 hooks failed (unreachable) that are required: `memory`, `index`"));
    assert!(messages.contains("the hook `weather` failed (unreachable) and was not enforced"));
}

#[tokio::test]
async fn a_fallback_stands_in_for_a_hook_that_fails_and_for_no_other() {
    let stands_in = || ContextPiece::new("memory", "The memory cannot be read today.");
    let engine = engine([
        failing("memory").fallback(stands_in()),
        gathering("notes").fallback(piece("x", "never")),
    ]);
    let report = gathered(&engine).await;
    let expected = [
        Contributed::new("memory", stands_in()),
        Contributed::new("notes", piece("notes", "found")),
    ];
    assert_eq!(report.contributions, expected, "in the place of the hook");
    assert!(report.failed_required.is_empty());
    let fell_back: Vec<_> =
        report.votes.iter().map(|vote| (vote.hook.as_str(), vote.fallback)).collect();
    assert_eq!(fell_back, [("memory", true), ("notes", false)]);
    assert_eq!(
        report.messages,
        ["the hook `memory` failed (unreachable), and its fallback stands in"]
    );
    // Each failure counts for the hook, fallback or not.
    assert_eq!(engine.failures("memory", FailureClass::Unreachable), 1);
}

#[tokio::test]
async fn a_hook_that_only_warns_or_is_in_shadow_leaves_no_fallback_and_no_gap() {
    for mode in [Mode::Warn, Mode::Shadow] {
        let engine = engine([
            failing("memory").fallback(piece("memory", "stands in")).mode(mode),
            failing("index").required(true).mode(mode),
        ]);
        let report = gathered(&engine).await;
        assert!(report.contributions.is_empty() && report.failed_required.is_empty(), "{mode:?}");
        assert!(report.votes.iter().all(|vote| !vote.fallback), "{mode:?}");
    }
}

#[tokio::test]
async fn a_hook_that_is_off_is_not_called_and_leaves_nothing() {
    let engine = engine([failing("memory").fallback(piece("memory", "stands in")).mode(Mode::Off)]);
    let report = gathered(&engine).await;
    assert!(report.votes.is_empty() && report.contributions.is_empty());
}

#[test]
fn what_could_never_stand_in_or_be_missed_makes_no_table() {
    let problems = |hook: Hook| -> Vec<(&'static str, BuildProblem)> {
        let builder = [hook].into_iter().collect::<TableBuilder>();
        let errors = builder.build().err().map(|errors| errors.errors().to_vec());
        errors.unwrap_or_default().into_iter().map(|error| (error.key, error.problem)).collect()
    };
    let event = || "prompt_context".to_owned();
    let kind = BuildProblem::FallbackKind { kind: "policy", event: event() };
    let policy = PolicySetting::new("shell", "network", false);
    assert_eq!(problems(failing("h").fallback(policy)), [("fallback", kind)]);
    let unused = BuildProblem::UnusedFallback { event: event() };
    let both = failing("h").fallback(piece("h", "x")).required(true);
    assert_eq!(problems(both), [("fallback", unused)]);
    // A guard whose every failure denies.
    let audit = hookgate::contract::contribution::AuditLine::new("failed");
    let guard = || Hook::sync("h", |_| Ok(Verdict::none())).event(Event::PreToolUse);
    let found = problems(guard().fallback(audit.clone()).on_failure(Posture::Deny));
    assert!(
        found
            .contains(&("fallback", BuildProblem::UnusedFallback { event: "pre_tool_use".into() })),
        "{found:?}"
    );
    let instead = "a failure can be denied there: write `on_failure = \"deny\"`";
    let denied = BuildProblem::NotRequired { event: "pre_tool_use".into(), instead };
    assert_eq!(problems(guard().required(true)), [("required", denied)]);
    let observer = guard().required(true).role(Role::Observe);
    assert!(matches!(&problems(observer)[..], [("required", BuildProblem::NotRequired { .. })]));

    // The controls.
    assert_eq!(problems(failing("h").fallback(piece("h", "x"))), []);
    assert_eq!(problems(failing("h").required(true)), []);
    let late = guard().fallback(audit).on_failure(Posture::Allow);
    assert_eq!(problems(late), []);
}
