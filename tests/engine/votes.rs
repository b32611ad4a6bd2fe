//! Promise: every vote has a reason.

use hookgate::contract::payload::PreLlmRequest;
use hookgate::contract::{BuiltHandler, Failure};
use hookgate::decision::VoteOutcome;
use hookgate::{Event, FailureClass, Hook, Mode, Outcome, Posture, Report, Role, Verdict};
use serde_json::{Value, json};

use crate::support::{bash, context, engine, sync};

fn because(report: &Report) -> Vec<(&str, Option<&str>)> {
    report.votes.iter().map(|vote| (vote.hook.as_str(), vote.reason.as_deref())).collect()
}

#[tokio::test]
async fn a_vote_says_why_whatever_it_is_and_whether_it_counts() {
    let allows = || Verdict::parse(br#"{"decision":"allow","reason":"only a listing"}"#);
    let fails = |_: hookgate::Invocation<'_>| Err(Failure::new(FailureClass::Exit, "exit 1"));
    let engine = engine([
        sync("silent", |_| Ok(Verdict::none())),
        sync("allows", move |_| allows()),
        sync("warns", |_| Ok(Verdict::deny("warned"))).mode(Mode::Warn),
        sync("shadow", |_| Ok(Verdict::ask("in shadow"))).mode(Mode::Shadow),
        sync("open", fails).on_failure(Posture::Allow),
        sync("asks", fails).on_failure(Posture::Ask),
        sync("denies", |_| Ok(Verdict::deny("no"))),
        sync("observer", |_| Ok(Verdict::none())).role(Role::Observe),
    ]);
    let (_, report) = engine.dispatch_reported(bash("ls"), &context()).await;
    assert_eq!(
        because(&report),
        [
            ("silent", None),
            ("allows", Some("only a listing")),
            ("warns", Some("warned")),
            ("shadow", Some("in shadow")),
            ("open", None),
            ("asks", Some("the hook `asks` failed (exit), which counts as ask")),
            ("denies", Some("no")),
            ("observer", None),
        ]
    );
    assert_eq!(report.votes[3].outcome, VoteOutcome::Would);
    assert!(report.votes.iter().all(|vote| !vote.rewrote && !vote.added_context));
    let record = serde_json::to_value(&report).unwrap();
    assert_eq!(record["votes"][1]["reason"], "only a listing");
    assert_eq!(record["votes"][0]["reason"], Value::Null, "the key is always there");
}

#[test]
fn the_vote_on_a_step_that_could_not_be_read_says_why() {
    let report = Report::malformed(
        "no JSON",
        hookgate::Generation::new(1),
        hookgate::ConfigHash::from_bytes([0; 32]),
    );
    assert_eq!(report.votes[0].reason, report.reason);
    assert_eq!(report.votes[0].detail.as_deref(), Some("no JSON"));
}

#[tokio::test]
async fn a_field_that_was_cleared_is_null_in_final() {
    let clears = BuiltHandler::from_sync(|_: hookgate::Invocation<'_>| {
        Ok(Verdict::none().patch("max_tokens", Value::Null).patch("model", "small"))
    });
    let hook = Hook::new("h", "test", clears).event(Event::PreLlmRequest).role(Role::Rewrite);
    let mut request = PreLlmRequest::new("large", 1);
    request.max_tokens = Some(100);
    let (gate, report) = engine([hook]).dispatch_reported(request, &context()).await;
    assert_eq!(report.decision, Outcome::Allow);
    assert_eq!(gate.cleared().unwrap().payload().max_tokens, None);
    let mut patched = report.patched.clone();
    patched.sort();
    assert_eq!(patched, ["max_tokens", "model"]);
    assert_eq!(Value::Object(report.final_fields), json!({"max_tokens": null, "model": "small"}));
}

#[tokio::test]
async fn a_vote_says_what_else_it_did() {
    let engine = engine([
        sync("rewrites", |_| Ok(Verdict::none().patch("tool_input", json!({"command": "ls -l"}))))
            .role(Role::Rewrite),
        sync("adds", |_| Ok(Verdict::none().context("it is a listing"))),
    ]);
    let (_, report) = engine.dispatch_reported(bash("ls"), &context()).await;
    let did: Vec<_> = report
        .votes
        .iter()
        .map(|vote| (vote.hook.as_str(), vote.rewrote, vote.added_context))
        .collect();
    assert_eq!(did, [("rewrites", true, false), ("adds", false, true)]);
}
