//! What is wrong with policies is an error of the config, with its place in the file.

use hookgate_contract::{CONTRACTS, Event, Role};
use serde_json::json;

use crate::Policy;

const PERMIT: &str = "permit(principal, action, resource);\n";

#[test]
fn mistakes_name_their_place() {
    for (text, expected) in [
        (
            "permit(principal, action, resource);\nforbid(principal, acton, resource);",
            "policy.cedar:2:19: ",
        ),
        ("permit(principal, action, resource)\nwhen { contex.a };", "policy.cedar:2:8: "),
        ("@decision(\"ask\")\npermit(principal, action, resource);", "policy.cedar:1: `@decision`"),
        (
            "\n@decision(\"no\") forbid(principal, action, resource);",
            "policy.cedar:2: `@decision(\"no\")`",
        ),
        (
            "@id(\"a\") permit(principal, action, resource);\n@id(\"a\") forbid(principal, action, resource);",
            "policy.cedar:2: there is another policy with the id `a`",
        ),
        ("@id(\"t\") permit(principal == ?principal, action, resource);", "would never apply"),
        ("", "there is no policy: each step would be denied"),
        ("// nothing", "there is no policy"),
    ] {
        let errors = Policy::new(text).errors();
        assert!(
            errors.starts_with("`policies`: ") && errors.contains(expected),
            "{text}: {errors}"
        );
    }
}

#[test]
fn policies_must_fit_the_schema() {
    let schema = "entity Agent, Resource;
        action Bash appliesTo { principal: Agent, resource: Resource, context: { n: Long } };";
    let load = |text: &str, schema: &str| {
        let policy = Policy::new(text).set("schema", json!("s.cedarschema"));
        policy.write("s.cedarschema", schema);
        policy.load(&hookgate_cedar::kind()).err().unwrap_or_default()
    };
    let text = "permit(principal, action, resource)\nwhen { context.n > 1 };";
    assert_eq!(load(text, schema), "");
    for (wrong, place) in [("context.m > 1", ":2:"), ("context.n == \"x\"", ":2:")] {
        let text = text.replace("context.n > 1", wrong);
        let errors = load(&text, schema);
        assert!(errors.starts_with("`policies`: policy.cedar"), "{errors}");
        assert!(errors.contains(place), "{errors}");
    }
    let errors = load(text, "entity Agent\nentity;");
    assert!(errors.starts_with("`schema`: s.cedarschema:2:"), "{errors}");
}

#[test]
fn a_schema_may_be_json() {
    let schema = json!({"": {"entityTypes": {"Agent": {}, "Resource": {}}, "actions": {"Bash":
        {"appliesTo": {"principalTypes": ["Agent"], "resourceTypes": ["Resource"]}}}}});
    let policy = Policy::new(PERMIT).set("schema", json!("s.json"));
    policy.write("s.json", &schema.to_string());
    assert!(policy.load(&hookgate_cedar::kind()).is_ok());
    policy.write("s.json", "{\"\": {}}");
    assert!(policy.errors().starts_with("`schema`: s.json"), "{}", policy.errors());
}

#[test]
fn files_and_settings_that_cannot_be_used_are_errors() {
    let errors = |key: &str, value: serde_json::Value| Policy::new(PERMIT).set(key, value).errors();
    assert!(errors("policies", json!("no.cedar")).contains("`no.cedar` cannot be read"));
    assert!(errors("policies", json!([])).contains("names no file"));
    assert!(errors("entities", json!("no.json")).contains("cannot be read"));
    for uid in
        ["Agent", "Agent::main", "{{ tool_name }}", "A b::\"{{ tool_name }}\"", "Agent::\"{{\""]
    {
        assert!(errors("principal", json!(uid)).starts_with("`principal`: "), "{uid}");
    }
    assert!(errors("resource", json!("R::\"{{ tol_name }}\"")).contains("tool_name"));
    assert!(errors("context", json!({"a": "tool_name"})).contains("must be a pointer"));
    let mut policy = Policy::new(PERMIT);
    policy.settings = json!({"polices": "policy.cedar"});
    let all = policy.errors();
    assert!(
        all.contains("`policies` is missing") && all.contains("did you mean `policies`"),
        "{all}"
    );
    let policy = Policy::new(PERMIT).set("entities", json!("e.json"));
    policy.write("e.json", "[{\"uid\": 1}]");
    assert!(policy.errors().starts_with("`entities`: e.json"), "{}", policy.errors());
}

#[test]
fn the_identity_follows_the_files() {
    let identity = |policy: &Policy| policy.built().identity.unwrap();
    let one = Policy::new(PERMIT);
    assert_eq!(identity(&one), identity(&Policy::new(PERMIT)));
    assert_ne!(identity(&one), identity(&Policy::new("forbid(principal, action, resource);")));
    let built = one.built();
    assert_eq!((built.sources.len(), built.role, built.heavy), (1, Some(Role::Guard), true));
    let supports = |event: Event| {
        let contract = CONTRACTS.iter().find(|contract| contract.event == event).unwrap();
        (built.supports.unwrap())(contract).is_ok()
    };
    assert!(supports(Event::PreToolUse) && !supports(Event::Notification));
}
