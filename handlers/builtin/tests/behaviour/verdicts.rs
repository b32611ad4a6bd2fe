//! Promise: each builtin answers as its documentation says.

use hookgate_contract::payload::{PostLlmResponse, PreLlmRequest, Stop, ToolCall, TurnBoundary};
use hookgate_contract::{FailureClass, ReasonCode, Verdict, VerdictDecision};
use serde_json::json;

use crate::support::{build, invoke, invoke_in};

fn ls() -> ToolCall {
    ToolCall::new("Bash", json!({"command": "ls -l"}))
}

#[test]
fn deny_and_ask_give_their_reason() {
    let deny = build("deny", &json!({"reason": "no", "reason_code": "safety_violation"})).unwrap();
    assert_eq!(
        invoke(&deny, &ls()).unwrap(),
        Verdict::deny("no").reason_code(ReasonCode::SafetyViolation)
    );
    let user = build("ask", &json!({"reason": "sure?"})).unwrap();
    assert_eq!(invoke(&user, &ls()).unwrap(), Verdict::ask("sure?"));
}

#[test]
fn a_text_is_added_as_it_is() {
    let built = build("add_context", &json!({"text": "be {careful}"})).unwrap();
    assert_eq!(invoke(&built, &ls()).unwrap(), Verdict::none().context("be {careful}"));
}

#[test]
fn a_template_sees_the_envelope() {
    let text = "{{ tool_name }} runs {{ tool_input.command }} in {{ cwd }}, turn {{ turn }}";
    let built = build("add_context", &json!({ "text": text })).unwrap();
    assert_eq!(
        invoke(&built, &ls()).unwrap(),
        Verdict::none().context("Bash runs ls -l in /srv/ledger, turn 3")
    );
}

#[test]
fn a_template_that_renders_to_nothing_adds_nothing() {
    let text = "{% if tool_name == 'Write' %}careful{% endif %}";
    let built = build("add_context", &json!({ "text": text })).unwrap();
    assert_eq!(invoke(&built, &ls()).unwrap(), Verdict::none());
    let write = ToolCall::new("Write", json!({}));
    assert_eq!(invoke(&built, &write).unwrap(), Verdict::none().context("careful"));
}

#[test]
fn a_template_that_cannot_be_rendered_fails_and_shows_no_data() {
    let built = build("add_context", &json!({"text": "x\n{{ tool_inptu.command }}"})).unwrap();
    let failure = invoke(&built, &ls()).unwrap_err();
    assert_eq!(failure.class, FailureClass::Malformed);
    assert!(failure.detail.contains("line 2, `{{ tool_inptu.command }}`"), "{failure}");
    assert!(failure.detail.contains("no such field"), "{failure}");

    let built = build("add_context", &json!({"text": "{{ tool_input.command|int }}"})).unwrap();
    let failure = invoke(&built, &ls()).unwrap_err();
    assert!(!failure.detail.contains("ls -l"), "{failure}");

    let endless = "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}";
    let built = build("add_context", &json!({ "text": endless })).unwrap();
    let failure = invoke(&built, &ls()).unwrap_err();
    assert!(failure.detail.contains("loops for too long"), "{failure}");
}

#[test]
fn the_date_follows_its_format() {
    let built = build("add_date", &json!({"time_zone": "UTC", "format": "%Y"})).unwrap();
    let verdict = invoke(&built, &ls()).unwrap();
    let year: u32 = verdict.parts().unwrap().context.concat().parse().unwrap();
    assert!(year >= 2026);
    let built = build("add_date", &json!({})).unwrap();
    let verdict = invoke(&built, &ls()).unwrap();
    let text = verdict.parts().unwrap().context.concat();
    assert!(text.starts_with("Today is 2") && text.ends_with("day)."), "{text}");
}

#[test]
fn iterations_are_counted_by_session_and_once_a_step() {
    let built = build("max_iterations", &json!({"limit": 2})).unwrap();
    let decision = |session: &str, rejudge: bool| {
        let verdict = invoke_in(&built, &ls(), session, rejudge).unwrap();
        verdict.parts().map(|parts| (parts.decision.unwrap(), parts.reason.clone().unwrap()))
    };
    assert_eq!(decision("a", false), None);
    assert_eq!(decision("a", true), None);
    assert_eq!(decision("a", false), None);
    assert_eq!(decision("a", true), None);
    let stopped = decision("a", false);
    assert_eq!(
        stopped,
        Some((VerdictDecision::Halt, "the limit of 2 iterations is reached".into()))
    );
    assert_eq!(decision("b", false), None);
}

#[test]
fn the_runtimes_own_count_comes_first() {
    let built = build("max_iterations", &json!({"limit": 2})).unwrap();
    let mut request = PreLlmRequest::new("m", 1);
    let mut boundary = TurnBoundary::default();
    let mut stop = Stop::default();
    for (number, halts) in [(1, false), (2, false), (3, true), (1, false)] {
        request.iteration = Some(number);
        // So many were already made.
        boundary.continues_so_far = Some(number - 1);
        stop.continues_so_far = Some(number - 1);
        for verdict in [invoke(&built, &request), invoke(&built, &boundary), invoke(&built, &stop)]
        {
            let decision = verdict.unwrap().parts().and_then(|parts| parts.decision);
            assert_eq!(decision, halts.then_some(VerdictDecision::Halt), "{number}");
        }
    }
}

#[test]
fn it_denies_at_events_that_cannot_halt() {
    let built = build("max_iterations", &json!({"limit": 1})).unwrap();
    let request = hookgate_contract::payload::PermissionRequest::new(ls());
    assert_eq!(invoke(&built, &request).unwrap(), Verdict::none());
    let verdict = invoke(&built, &request).unwrap();
    assert_eq!(verdict.parts().unwrap().decision, Some(VerdictDecision::Deny));
    // Another event of the same session, the same count.
    let verdict = invoke(&built, &PostLlmResponse::new("", vec![])).unwrap();
    assert_eq!(verdict.parts().unwrap().decision, Some(VerdictDecision::Halt));
}

#[test]
fn an_answer_is_given_as_it_is_written() {
    let built = build("answer", &json!({"result": {"a": [1, 2.5, true]}})).unwrap();
    let expected = Verdict::none().answer(json!({"a": [1, 2.5, true]}), false);
    assert_eq!(invoke(&built, &ls()).unwrap(), expected);
    let built = build("answer", &json!({"result": "no", "is_error": true})).unwrap();
    assert_eq!(invoke(&built, &ls()).unwrap(), Verdict::none().answer("no", true));
    let error = build("answer", &json!({"result": "x".repeat(2000)})).unwrap_err();
    assert!(error.contains("2002 bytes"), "{error}");
}
