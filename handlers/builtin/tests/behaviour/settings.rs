//! Promise: wrong settings of a builtin are errors, and each builtin declares its role and its
//! events.

use hookgate_contract::{Event, Role};
use serde_json::{Value, json};

use crate::support::{build, supports};

fn wrong(name: &str, settings: Value) -> String {
    build(name, &settings).expect_err(&format!("{name} took {settings}"))
}

#[test]
fn wrong_settings_are_errors() {
    assert_eq!(wrong("deny", json!({})), "`reason` is missing");
    assert!(wrong("deny", json!({"reason": " "})).starts_with("`reason`: it is empty"));
    assert!(
        wrong("deny", json!({"reason": "x", "reason_code": "policy_violatio"}))
            .ends_with("did you mean `policy_violation`?")
    );
    assert!(wrong("deny", json!({"reason": "x", "reason_code": "timeout"})).contains("is not one"));
    assert_eq!(wrong("ask", json!({"reason": 1})), "`reason` must be a string, not an integer");
    assert!(wrong("audit", json!({"level": "inof"})).ends_with("did you mean `info`?"));
    assert!(wrong("audit", json!({"levle": "info"})).contains("did you mean `level`?"));
    assert_eq!(wrong("add_context", json!({})), "`text` is missing");
    let error = wrong("add_context", json!({"text": "a\n{{ tool_name "}));
    assert!(error.contains("syntax error") && error.contains("text:2"), "{error}");
    assert!(wrong("add_date", json!({"time_zone": "Mars/Olympus"})).starts_with("`time_zone`"));
    assert!(wrong("add_date", json!({"format": "%!"})).starts_with("`format`"));
    assert_eq!(wrong("max_iterations", json!({})), "`limit` is missing");
    assert!(wrong("max_iterations", json!({"limit": 0})).starts_with("`limit`: it must be 1"));
    assert!(wrong("max_iterations", json!({"limit": "9"})).contains("must be an integer"));
    assert!(wrong("redact_secrets", json!({"patterns": ["a("]})).contains("unclosed group"));
}

#[test]
fn each_declares_its_role() {
    let role = |name: &str, settings: Value| build(name, &settings).unwrap().role;
    assert_eq!(role("audit", json!({})), Some(Role::Observe));
    assert_eq!(role("deny", json!({"reason": "x"})), Some(Role::Guard));
    assert_eq!(role("ask", json!({"reason": "x"})), Some(Role::Guard));
    assert_eq!(role("add_context", json!({"text": "x"})), Some(Role::Guard));
    assert_eq!(role("add_date", json!({})), Some(Role::Guard));
    assert_eq!(role("redact_secrets", json!({})), Some(Role::Rewrite));
    assert_eq!(role("max_iterations", json!({"limit": 1})), Some(Role::Guard));
}

/// A builtin is accepted exactly where the contract lets it say what it says.
#[test]
fn each_supports_the_events_at_which_it_can_do_something() {
    let deny = build("deny", &json!({"reason": "x"})).unwrap();
    let ask = build("ask", &json!({"reason": "x"})).unwrap();
    let text = build("add_context", &json!({"text": "x"})).unwrap();
    let date = build("add_date", &json!({})).unwrap();
    let audit = build("audit", &json!({})).unwrap();
    let limit = build("max_iterations", &json!({"limit": 1})).unwrap();
    for contract in Event::NAMED.into_iter().map(Event::contract) {
        let name = contract.name;
        assert_eq!(supports(&deny, contract), contract.deny(), "{name}");
        assert_eq!(supports(&ask, contract), contract.ask, "{name}");
        assert_eq!(supports(&text, contract), contract.context, "{name}");
        assert_eq!(supports(&date, contract), contract.context, "{name}");
        assert!(supports(&audit, contract), "{name}");
        let stops = (contract.deny() || contract.halt) && name != "subagent_stop";
        assert_eq!(supports(&limit, contract), stops, "{name}");
    }
}

#[test]
fn a_redaction_supports_events_with_text() {
    let names = |settings: Value| {
        let built = build("redact_secrets", &settings).unwrap();
        Event::NAMED
            .into_iter()
            .filter(|event| supports(&built, event.contract()))
            .map(Event::name)
            .collect::<Vec<_>>()
    };
    let without = names(json!({}));
    assert_eq!(
        without,
        [
            "run_started",
            "run_completed",
            "user_prompt_submit",
            "pre_llm_request",
            "post_llm_response",
            "post_tool_use",
            "post_tool_use_failure",
            "pre_compact"
        ]
    );
    let mut with = names(json!({"tool_input": true}));
    with.retain(|name| !without.contains(name));
    assert_eq!(with, ["pre_tool_use"]);
}
