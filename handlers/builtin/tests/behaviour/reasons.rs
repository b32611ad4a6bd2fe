//! Promise: the reason of a decision may be a template, its names are checked when it is loaded, and
//! a decision never gets lost because of its reason.

use hookgate_contract::payload::ToolCall;
use hookgate_contract::{
    Condition, Envelope, Event, Handler, Invocation, StepContext, StepId, Truth, Verdict,
    VerdictDecision,
};
use serde_json::json;

use crate::support::{build, build_at, invoke};

fn cat() -> ToolCall {
    ToolCall::new("Bash", json!({"command": "cat .env"}))
}

#[test]
fn a_reason_may_name_the_step_and_the_session() {
    let reason = "`{{ tool_name }}` in {{ cwd }} (turn {{ turn }}): {{ tool_input.command }}";
    let built = build_at("deny", &json!({"reason": reason}), &[Event::PreToolUse]).unwrap();
    let expected = Verdict::deny("`Bash` in /srv/ledger (turn 3): cat .env");
    assert_eq!(invoke(&built, &cat()).unwrap(), expected);
    let built = build("ask", &json!({"reason": "{% if agent_id %}sub{% endif %} sure?"})).unwrap();
    assert_eq!(invoke(&built, &cat()).unwrap(), Verdict::ask(" sure?"));
}

/// What the conditions of a hook found.
struct Reads;

impl Condition for Reads {
    fn hold(&self, _: &Envelope<'_>) -> Truth {
        Truth::True
    }

    fn explain(&self, _: &Envelope<'_>) -> String {
        "it reads".into()
    }

    fn subject(&self, _: &Envelope<'_>) -> Option<String> {
        Some("`cat` reads /srv/ledger/.env".into())
    }
}

#[test]
fn the_effect_is_what_the_conditions_found() {
    let built = build("deny", &json!({"reason": "{{ effect }}: secrets stay"})).unwrap();
    let Handler::Sync(handler) = &built.handler else { unreachable!() };
    let (call, context) = (cat(), StepContext::new("session-1"));
    let id = StepId::new(Some("step-1"), String::new);
    let envelope = Envelope::new(&call, &context, &id, 1, 1 << 20);
    let invocation = Invocation::new("hook", &envelope);
    let verdict = handler.handle(invocation.under(&Reads)).unwrap();
    assert_eq!(verdict, Verdict::deny("`cat` reads /srv/ledger/.env: secrets stay"));
    let verdict = handler.handle(invocation).unwrap();
    assert_eq!(verdict, Verdict::deny("this call of `Bash`: secrets stay"));
}

#[test]
fn an_unknown_name_is_an_error_that_lists_the_names() {
    for name in ["deny", "ask"] {
        let settings = json!({"reason": "{{ efect }} is not allowed"});
        let error = build_at(name, &settings, &[Event::PreToolUse]).unwrap_err();
        assert!(error.starts_with("`reason`: `efect` is not a name that it can use"), "{error}");
        for known in ["`effect`", "`tool_input`", "`session_id`"] {
            assert!(error.contains(known), "{known} in {error}");
        }
        let error = build_at(name, &json!({"reason": "{{ effect "}), &[]).unwrap_err();
        assert!(error.starts_with("`reason`: it is not a valid template"), "{error}");
    }
    let text = json!({"text": "{{ tool_inptu.command }}"});
    let error = build_at("add_context", &text, &[Event::PreToolUse]).unwrap_err();
    assert!(error.contains("`tool_inptu` is not a name"), "{error}");
    // A name of one event is enough, own names and functions are none of the envelope.
    let reason = "{% set a = prompt %}{% for i in range(3) %}{{ i }}{% endfor %}{{ a }}";
    let events = [Event::PreToolUse, Event::UserPromptSubmit];
    assert!(build_at("deny", &json!({"reason": reason}), &events).is_ok());
}

#[test]
fn a_decision_never_gets_lost_because_of_its_reason() {
    for reason in [
        "{{ tool_input.command|int }}",
        "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}",
        "{% if false %}never{% endif %}",
    ] {
        let built = build("deny", &json!({"reason": reason})).unwrap();
        let verdict = invoke(&built, &cat()).unwrap();
        let parts = verdict.parts().unwrap();
        assert_eq!(parts.decision, Some(VerdictDecision::Deny));
        assert_eq!(parts.reason.as_deref(), Some(reason));
        let note = parts.note.as_deref().unwrap();
        assert!(note.contains("render") && !note.contains("cat"), "{note}");
    }
    // A field that is not there is empty.
    let built = build("deny", &json!({"reason": "no {{ tool_input.a.b }}."})).unwrap();
    assert_eq!(invoke(&built, &cat()).unwrap(), Verdict::deny("no ."));
}

#[test]
fn a_long_value_makes_no_long_reason() {
    let built = build("deny", &json!({"reason": "{{ tool_input.command }}"})).unwrap();
    let call = ToolCall::new("Bash", json!({"command": "é".repeat(100_000)}));
    let verdict = invoke(&built, &call).unwrap();
    let reason = verdict.parts().unwrap().reason.clone().unwrap();
    assert!(reason.len() < 5000 && reason.ends_with('…'), "{}", reason.len());
}
