//! What is wrong with a policy is an error of the config, with its place in the file.

use hookgate_contract::{CONTRACTS, Event};
use serde_json::json;

use crate::Policy;

const DENY: &str = "data.hookgate.deny";

#[test]
fn mistakes_name_their_place() {
    for (rules, expected) in [
        ("deny contains \"x\" if {", "`file`: policy.rego:"),
        ("deny contains \"x\" if x == 1", "policy.rego:3:22: use of undefined variable `x`"),
        ("deny contains \"x\" if input.a = :b", "policy.rego:3:"),
    ] {
        let errors = Policy::new(DENY, rules).errors();
        assert!(errors.contains(expected), "{rules}: {errors}");
    }
}

#[test]
fn a_rule_that_is_not_there_is_an_error() {
    let errors =
        Policy::new("data.hookgate.denny", "deny contains \"x\"").set("result", json!("deny"));
    let errors = errors.errors();
    let expected = "`query`: there is no rule `data.hookgate.denny`: write the whole path, `data.`, \
                    the package and the name of the rule; the packages are `data.hookgate`";
    assert_eq!(errors, expected);
    for query in ["hookgate.deny", "deny", "data.hookgate", "data.other.deny", "1 + 1"] {
        let policy = Policy::new(query, "deny contains \"x\"").set("result", json!("deny"));
        assert!(policy.errors().contains("there is no rule"), "{query}");
    }
}

#[test]
fn files_that_cannot_be_used_are_errors() {
    let policy = |settings: serde_json::Value| {
        let mut policy = Policy::new(DENY, "deny contains \"x\"");
        policy.write("list.json", "[]");
        policy.write("twice.json", "{\"a\":1,\"a\":2}");
        policy.write("one.json", "{\"a\":1}");
        policy.write("two.json", "{\"a\":2}");
        policy.settings = settings;
        policy.errors()
    };
    let errors = policy(json!({"file": "none.rego", "query": DENY}));
    assert!(errors.starts_with("`file`: `none.rego` cannot be read"), "{errors}");
    let data = |files| policy(json!({"file": "policy.rego", "query": DENY, "data": files}));
    assert!(data(json!("list.json")).contains("does not hold a JSON object"));
    assert!(data(json!("twice.json")).contains("duplicate key"));
    assert!(data(json!(["one.json", "two.json"])).contains("`two.json` cannot be added"));
    assert_eq!(policy(json!({})), "`query` is missing\n`file` is missing");
    let errors = policy(json!({"file": [], "query": []}));
    assert!(errors.contains("names no rule") && errors.contains("names no file"), "{errors}");
    let verdict = json!(["data.hookgate.deny", "data.hookgate.verdict"]);
    assert!(policy(json!({"file": "policy.rego", "query": verdict})).contains("is asked alone"));
}

#[test]
fn the_identity_follows_the_files_and_not_their_folder() {
    let identity = |policy: &Policy| policy.built().identity.unwrap();
    let one = Policy::new(DENY, "deny contains \"x\"");
    let same = Policy::new(DENY, "deny contains \"x\"");
    let other = Policy::new(DENY, "deny contains \"y\"");
    assert_eq!(identity(&one), identity(&same));
    assert_ne!(identity(&one), identity(&other));
    let with_data = Policy::new(DENY, "deny contains \"x\"").set("data", json!("d.json"));
    with_data.write("d.json", "{}");
    let before = identity(&with_data);
    with_data.write("d.json", "{\"a\":1}");
    assert_ne!(identity(&with_data), before);
    let sources = with_data.built().sources;
    assert_eq!(sources.len(), 2);
    assert!(sources.iter().all(|path| path.is_absolute() && path.is_file()), "{sources:?}");
}

#[test]
fn a_rule_without_effect_at_an_event_is_refused_there() {
    let supports = |query: &str, event: Event| {
        let name = query.rsplit('.').next().unwrap();
        let rules = format!("{name} contains \"x\"");
        let contract = CONTRACTS.iter().find(|contract| contract.event == event).unwrap();
        (Policy::new(query, &rules).built().supports.unwrap())(contract).is_ok()
    };
    assert!(supports(DENY, Event::PreToolUse) && !supports(DENY, Event::Notification));
    assert!(supports("data.hookgate.ask", Event::PreToolUse));
    assert!(!supports("data.hookgate.ask", Event::PostToolUse));
    assert!(supports("data.hookgate.warn", Event::Notification));
}
