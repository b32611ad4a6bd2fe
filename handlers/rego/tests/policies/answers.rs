//! What the values of rules mean.

use hookgate_contract::{FailureClass, Verdict, VerdictDecision};
use serde_json::json;

use crate::Policy;

#[test]
fn an_allow_rule_that_does_not_hold_denies() {
    let policy =
        Policy::new("data.hookgate.allow", "allow if startswith(input.tool_input.command, \"ls\")");
    assert_eq!(policy.ask("ls -l").unwrap(), Verdict::allow());
    let denied = policy.ask("rm -rf /").unwrap();
    let reason = "the policy does not allow this: `data.hookgate.allow` does not hold";
    assert_eq!(denied, Verdict::deny(reason));
    // A default changes nothing but that the value is false and not undefined.
    let policy = Policy::new(
        "data.hookgate.allow",
        "default allow := false\nallow if startswith(input.tool_input.command, \"ls\")",
    );
    let policy = policy.set("reason", json!("only ls"));
    assert_eq!(policy.ask("ls").unwrap(), Verdict::allow());
    assert_eq!(policy.ask("rm").unwrap(), Verdict::deny("only ls"));
}

#[test]
fn a_deny_rule_denies_with_its_texts() {
    let rules = r#"
deny contains msg if {
    contains(input.tool_input.command, "--force")
    msg := sprintf("no force: %s", [input.tool_input.command])
}
deny contains {"msg": "no main", "severity": "HIGH"} if contains(input.tool_input.command, "main")
"#;
    let policy = Policy::new("data.hookgate.deny", rules);
    assert_eq!(policy.ask("git push").unwrap(), Verdict::none());
    assert_eq!(
        policy.ask("git push --force").unwrap(),
        Verdict::deny("no force: git push --force")
    );
    let both = policy.ask("git push --force main").unwrap();
    let parts = both.parts().unwrap();
    assert_eq!(parts.decision, Some(VerdictDecision::Deny));
    let reason = parts.reason.as_deref().unwrap();
    assert!(reason.contains("no main") && reason.contains("; "), "{reason}");
}

#[test]
fn a_deny_rule_may_have_any_usual_form() {
    for (rules, reason) in [
        ("deny if true", Some("the policy says so: `data.hookgate.deny` holds")),
        ("deny := \"no\" if true", Some("no")),
        ("deny := [\"a\", \"b\", \"a\"]", Some("a; b")),
        ("deny := {\"reason\": \"c\", \"rule_id\": \"r\"}", Some("c")),
        ("deny contains 7", Some("7")),
        ("deny contains \"\"", Some("the policy says so: `data.hookgate.deny` holds")),
        ("deny := false", None),
        ("deny := []", None),
        ("deny := {}", None),
        ("deny contains \"x\" if false", None),
    ] {
        let verdict = Policy::new("data.hookgate.deny", rules).ask("ls").unwrap();
        assert_eq!(verdict, reason.map_or_else(Verdict::none, Verdict::deny), "{rules}");
    }
}

#[test]
fn what_a_deny_rule_holds_is_never_less_than_a_deny() {
    for rules in ["deny := 1", "deny := null", "deny := {\"x\": 1}"] {
        let failure = Policy::new("data.hookgate.deny", rules).ask("ls").unwrap_err();
        assert_eq!(failure.class, FailureClass::Malformed, "{rules}");
        assert_eq!(failure.salvaged, Some(VerdictDecision::Deny), "{rules}");
    }
}

#[test]
fn an_allow_rule_of_another_form_is_a_failure() {
    for rules in ["allow := \"yes\"", "allow contains \"x\"", "allow := {\"x\": true}"] {
        let failure = Policy::new("data.hookgate.allow", rules).ask("ls").unwrap_err();
        assert_eq!(failure.class, FailureClass::Malformed, "{rules}");
    }
    let object = "allow := {\"allowed\": input.tool_name == \"Read\", \"reason\": \"only Read\"}";
    let policy = Policy::new("data.hookgate.allow", object);
    assert_eq!(policy.ask("ls").unwrap(), Verdict::deny("only Read"));
}

#[test]
fn an_object_can_be_a_whole_verdict() {
    let rules = r#"
default verdict := {}

verdict := {
    "decision": "ask",
    "reason": "it leaves the machine",
    "annotations": {"rule": "R7"},
} if contains(input.tool_input.command, "curl")
"#;
    let policy = Policy::new("data.hookgate.verdict", rules);
    let expected = Verdict::ask("it leaves the machine").annotate("rule", "R7");
    assert_eq!(policy.ask("curl example.com").unwrap(), expected);
    assert_eq!(policy.ask("ls").unwrap(), Verdict::none());
    let word = Policy::new("data.hookgate.verdict", "verdict := \"deny\"");
    assert_eq!(word.ask("ls").unwrap().parts().unwrap().decision, Some(VerdictDecision::Deny));
}

#[test]
fn a_verdict_that_is_undefined_is_a_failure() {
    let rules = "verdict := \"deny\" if startswith(input.tool_input.command, \"rm\")";
    let policy = Policy::new("data.hookgate.verdict", rules);
    let failure = policy.ask("ls").unwrap_err();
    assert_eq!(failure.class, FailureClass::Malformed);
    assert!(failure.detail.contains("`default verdict := {}`"), "{failure}");
    // The control: with a value it is none.
    assert!(policy.ask("rm").is_ok());
}

#[test]
fn a_broken_verdict_counts_as_no_less_than_it_says() {
    let rules = "verdict := {\"decision\": \"deny\", \"resaon\": \"typo\"}";
    let failure = Policy::new("data.hookgate.verdict", rules).ask("ls").unwrap_err();
    assert_eq!(failure.class, FailureClass::Malformed);
    assert_eq!(failure.salvaged, Some(VerdictDecision::Deny));
    assert!(failure.detail.contains("`resaon`"), "{failure}");
}

#[test]
fn several_rules_are_asked_and_the_strictest_counts() {
    let rules = r#"
deny contains "d" if contains(input.tool_input.command, "d")
ask contains "a" if contains(input.tool_input.command, "a")
halt contains "h" if contains(input.tool_input.command, "h")
add_context contains "c" if contains(input.tool_input.command, "c")
warn contains "w" if contains(input.tool_input.command, "w")
"#;
    let rule = |name: &str| json!(format!("data.hookgate.{name}"));
    let all = ["deny", "ask", "halt", "add_context", "warn"].map(rule);
    let policy = Policy::new("", rules).set("query", json!(all));
    assert_eq!(policy.ask("x").unwrap(), Verdict::none());
    assert_eq!(policy.ask("a").unwrap(), Verdict::ask("a"));
    assert_eq!(policy.ask("ad").unwrap(), Verdict::deny("d"));
    assert_eq!(policy.ask("adh").unwrap(), Verdict::halt("h"));
    assert_eq!(policy.ask("acw").unwrap(), Verdict::ask("a").context("c").message("w"));
    assert_eq!(policy.ask("cw").unwrap(), Verdict::none().context("c").message("w"));
}

#[test]
fn a_failure_of_one_rule_keeps_the_deny_of_another() {
    let rules = "deny contains \"d\"\nwarn := 1";
    let query = json!(["data.hookgate.deny", "data.hookgate.warn"]);
    let failure = Policy::new("", rules).set("query", query).ask("ls").unwrap_err();
    assert_eq!(failure.salvaged, Some(VerdictDecision::Deny));
}

#[test]
fn the_setting_result_says_what_another_name_means() {
    let policy = Policy::new("data.hookgate.ok", "ok if input.tool_name == \"Read\"");
    assert!(policy.errors().contains("`data.hookgate.ok` does not say what its value means"));
    let policy = policy.set("result", json!("allow"));
    assert_eq!(policy.ask("ls").unwrap().parts().unwrap().decision, Some(VerdictDecision::Deny));
}
