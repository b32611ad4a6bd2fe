//! How a step becomes a request: who, what, on what, and the context.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hookgate_contract::payload::{SessionEnd, ToolCall};
use hookgate_contract::{FailureClass, StepContext};
use serde_json::json;

use crate::{Policy, ask, ask_as, bash, is, said};

fn permits(policy: &Policy, call: &ToolCall) -> bool {
    said(ask(&policy.built(), call)).0 == "allow"
}

#[test]
fn the_defaults_are_agent_tool_and_subject() {
    let policy = Policy::new(
        "permit(principal == Agent::\"main\", action == Action::\"Bash\", resource == Resource::\"ls\");
         permit(principal == Agent::\"explorer\", action, resource == Resource::\"/srv/a\");
         permit(principal, action == Action::\"session_end\", resource == Resource::\"session_end\");",
    );
    assert!(permits(&policy, &bash("ls")) && !permits(&policy, &bash("rm")));
    let read = ToolCall::new("Read", json!({"file_path": "/srv/a", "limit": 3}));
    let explorer = StepContext::new("s").agent("sub-1", "explorer");
    assert_eq!(said(ask_as(&policy.built(), &read, explorer)).0, "allow");
    assert!(!permits(&policy, &read));
    assert_eq!(said(ask(&policy.built(), &SessionEnd::new("done"))).0, "allow");
}

#[test]
fn entities_may_come_from_templates_and_their_types_may_not() {
    let text = "permit(principal, action, resource == Shell::Command::\"ls\");";
    let policy = Policy::new(text)
        .set("resource", json!("Shell::Command::\"{{ tool_input.command }}\""))
        .set("principal", json!("User::\"{{ session_id }}\""));
    assert!(permits(&policy, &bash("ls")));
    for command in ["rm", "ls\", resource == Shell::Command::\"ls", "\\\"ls"] {
        assert!(!permits(&policy, &bash(command)), "{command}");
    }
    // A template without a value is a failure.
    let failure = ask(&policy.built(), &ToolCall::new("Read", json!({}))).unwrap_err();
    assert_eq!(failure.class, FailureClass::Malformed);
}

#[test]
fn the_context_is_the_envelope() {
    let text = r#"
permit(principal, action, resource) when {
    context.hook_event_name == "pre_tool_use" && context.session_id == "s" && context.cwd == "/srv"
    && context.tool_input.n == 7 && context.tool_input.half == decimal("0.5")
    && context.tool_input.list.contains("b") && context.tool_input.flag
    && !(context.tool_input has none) && context.tool_input.long == "0.123456789"
    && context.tool_input.deep.er like "x*"
};"#;
    let input = json!({"n": 7, "half": 0.5, "list": ["a", "b"], "flag": true, "none": null,
        "long": 0.123_456_789, "deep": {"er": "xy"}});
    let policy = Policy::new(text);
    assert!(permits(&policy, &ToolCall::new("T", input.clone())));
    let mut other = input;
    other["n"] = json!(8);
    assert!(!permits(&policy, &ToolCall::new("T", other)));
}

/// In Cedar's JSON these objects are an entity and a call of a function.
#[test]
fn a_step_cannot_name_an_entity_in_the_context() {
    let text = "permit(principal, action, resource) \
                when { context.tool_input.who == User::\"admin\" };
                forbid(principal, action, resource) \
                when { context.tool_input.who.__entity.id != \"admin\" };";
    let input = json!({"who": {"__entity": {"type": "User", "id": "admin"}}});
    assert!(!permits(&Policy::new(text), &ToolCall::new("T", input)));
    let text =
        "permit(principal, action, resource) when { context.tool_input.ip.__extn.fn == \"ip\" };";
    let input = json!({"ip": {"__extn": {"fn": "ip", "arg": "127.0.0.1"}}});
    assert!(permits(&Policy::new(text), &ToolCall::new("T", input)));
}

/// A number that Cedar does not hold is there as text, so a comparison fails instead of not applying.
#[test]
fn a_number_cannot_slip_through_a_test_of_its_size() {
    let text = "permit(principal, action, resource);
                forbid(principal, action, resource)
                when { context.tool_input has amount && context.tool_input.amount > 100 };";
    let policy = Policy::new(text);
    let amount = |amount: serde_json::Value| {
        ask(&policy.built(), &ToolCall::new("Pay", json!({"amount": amount})))
    };
    assert_eq!(said(amount(json!(100))).0, "allow");
    assert_eq!(said(amount(json!(101))).0, "deny");
    for other in [json!(100.5), json!(1e300), json!(0.123_456), json!(u64::MAX), json!("101")] {
        assert_eq!(amount(other.clone()).unwrap_err().class, FailureClass::Malformed, "{other}");
    }
}

#[test]
fn the_setting_context_chooses_fields() {
    let text = "permit(principal, action, resource) when { context == {\"command\": \"ls\"} };";
    let fields = json!({"command": "/tool_input/command", "path": "/tool_input/path"});
    let policy = Policy::new(text).set("context", fields);
    assert!(permits(&policy, &bash("ls")) && !permits(&policy, &bash("rm")));
}

#[test]
fn the_host_hands_in_the_effects_as_sets_of_names() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let kind = hookgate_cedar::kind_with(move |step| {
        counted.fetch_add(1, Ordering::Relaxed);
        let program = step.payload().tool().unwrap().tool_input["command"].clone();
        json!({"runs": [{"program": program, "args": []}], "deletes": [], "unclear": []})
    });
    let text = "permit(principal, action, resource) when {
        [\"ls\", \"git\"].containsAll(context.effects.runs) && context.effects.deletes.isEmpty()
    };";
    let policy = Policy::new(text);
    let built = policy.load(&kind).unwrap();
    assert_eq!(said(ask(&built, &bash("git"))).0, "allow");
    assert_eq!(said(ask(&built, &bash("rm"))).0, "deny");
    assert_eq!(calls.load(Ordering::Relaxed), 2);
    // Where the context has no effects, they are not computed.
    let policy = policy.set("context", json!({"tool": "/tool_name"}));
    let built = policy.load(&kind).unwrap();
    assert!(ask(&built, &bash("git")).is_err());
    assert_eq!(calls.load(Ordering::Relaxed), 2);
    let policy = policy.set("context", json!({"effects": "/effects"}));
    assert_eq!(said(ask(&policy.load(&kind).unwrap(), &bash("ls"))).0, "allow");
}

const SCHEMA: &str = "
entity Agent;
entity Team;
entity Command in Team;
action Bash, Read appliesTo {
    principal: Agent, resource: Command, context: { command?: String }
};
";

fn with_schema(policies: &str) -> Policy {
    let policy = Policy::new(policies)
        .set("schema", json!("s.cedarschema"))
        .set("resource", json!("Command::\"{{ tool_input.command | default('none') }}\""))
        .set("context", json!({"command": "/tool_input/command"}));
    policy.write("s.cedarschema", SCHEMA);
    policy
}

#[test]
fn a_request_that_does_not_fit_the_schema_is_a_failure() {
    let text = "permit(principal, action == Action::\"Bash\", resource)
                when { context has command && context.command == \"ls\" };";
    let policy = with_schema(text);
    assert!(permits(&policy, &bash("ls")));
    let other = ToolCall::new("Write", json!({"command": "ls"}));
    let failure = ask(&policy.built(), &other).unwrap_err();
    assert!(failure.detail.contains("no such action"), "{failure}");
    let failure = ask(&policy.built(), &ToolCall::new("Bash", json!({"command": 7}))).unwrap_err();
    assert_eq!(failure.class, FailureClass::Malformed);
    let other_field = with_schema(text).set("context", json!({"name": "/tool_name"}));
    let failure = other_field.ask("ls").unwrap_err();
    assert!(failure.detail.contains("with the setting `context`"), "{failure}");
}

#[test]
fn entities_bring_their_groups() {
    let text = "permit(principal, action, resource in Team::\"readers\");";
    let policy = with_schema(text).set("entities", json!("e.json"));
    let entities = json!([
        {"uid": {"type": "Team", "id": "readers"}, "attrs": {}, "parents": []},
        {"uid": {"type": "Command", "id": "ls"}, "attrs": {}, "parents": [{"type": "Team", "id": "readers"}]},
    ]);
    policy.write("e.json", &entities.to_string());
    assert!(permits(&policy, &bash("ls")));
    assert_eq!(said(policy.ask("rm")), is("deny", "no policy permits this call of `Bash`"));
}
