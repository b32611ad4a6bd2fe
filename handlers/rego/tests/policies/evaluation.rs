//! How a policy is evaluated: what it sees, and how it ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hookgate_contract::payload::{SessionEnd, ToolCall};
use hookgate_contract::{FailureClass, Verdict, VerdictDecision};
use serde_json::json;

use crate::{Policy, ask, bash};

#[test]
fn the_input_is_the_envelope() {
    let rules = r#"
deny contains msg if {
    msg := concat(" ", [input.hook_event_name, input.session_id, input.cwd, input.tool_name])
}
"#;
    let policy = Policy::new("data.hookgate.deny", rules);
    assert_eq!(policy.ask("ls").unwrap(), Verdict::deny("pre_tool_use s /srv Bash"));
    let rules = "deny contains input.reason";
    let policy = Policy::new("data.hookgate.deny", rules);
    let denied = ask(&policy.built(), &SessionEnd::new("done")).unwrap();
    assert_eq!(denied, Verdict::deny("done"));
}

#[test]
fn the_host_hands_in_the_effects() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let kind = hookgate_rego::kind_with(move |step| {
        counted.fetch_add(1, Ordering::Relaxed);
        let path = step.payload().tool().unwrap().tool_input["command"].clone();
        json!({"deletes": [{"path": path}]})
    });
    let rules = "deny contains d.path if some d in input.effects.deletes";
    let policy = Policy::new("data.hookgate.deny", rules);
    let built = policy.load(&kind).unwrap();
    assert_eq!(ask(&built, &bash("/etc")).unwrap(), Verdict::deny("/etc"));
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    // Without them, such a policy would never deny: it is not loaded.
    assert!(policy.errors().contains("this program knows no effects"), "{}", policy.errors());
}

#[test]
fn a_step_cannot_hide_its_fields() {
    let rules = "deny contains \"hidden\" if endswith(input.tool_input.path, \".env\")";
    let policy = Policy::new("data.hookgate.deny", rules);
    let input = json!({"$serde_json::private::Number": "1", "path": "/srv/.env"});
    let denied = ask(&policy.built(), &ToolCall::new("Read", input)).unwrap();
    assert_eq!(denied, Verdict::deny("hidden"));
}

#[test]
fn an_error_is_a_failure_and_never_an_allow() {
    // In OPA such an error makes the condition undefined, and the deny would not be said.
    for (rules, input) in [
        ("deny contains \"x\" if to_number(input.tool_input.command) > 1", "private-text"),
        ("deny contains \"x\" if input.tool_input.command / 2 > 1", "private-text"),
        ("deny := \"a\" if true\ndeny := input.tool_name if true", "private-text"),
        ("deny contains \"x\" if regex.match(input.tool_input.command, \"a\")", "private-text("),
        // What the library finds only here.
        ("deny contains \"x\" if contians(input.tool_input.command, \"b\")", "private-text"),
        ("deny contains \"x\" if deny[_] == \"x\"", "private-text"),
        ("deny contains x if true", "private-text"),
    ] {
        let failure = Policy::new("data.hookgate.deny", rules).ask(input).unwrap_err();
        assert_eq!(failure.class, FailureClass::Malformed, "{rules}");
        assert!(failure.detail.contains("policy.rego:"), "{failure}");
        assert!(!failure.detail.contains("private-text"), "{failure}");
    }
}

#[test]
fn an_evaluation_that_does_not_end_is_ended() {
    let rules = r#"
deny contains "never" if {
    some a in numbers.range(1, 1000)
    some b in numbers.range(1, 1000)
    some c in numbers.range(1, 1000)
    a * b * c == -1
}
"#;
    let policy = Policy::new("data.hookgate.deny", rules).set("max_time", json!("50ms"));
    let built = policy.built();
    let start = Instant::now();
    let failure = ask(&built, &bash("ls")).unwrap_err();
    assert_eq!(failure.class, FailureClass::Timeout);
    assert!(failure.detail.contains("raise `max_time`"), "{failure}");
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    // The next step has its own time.
    let quick = Policy::new("data.hookgate.deny", "deny contains \"x\"");
    assert!(quick.ask("ls").is_ok());
}

#[test]
fn steps_do_not_see_each_other() {
    let rules = "deny contains input.tool_input.command if input.tool_input.command != \"ls\"";
    let built = Policy::new("data.hookgate.deny", rules).built();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let built = &built;
            scope.spawn(move || {
                for round in 0..200 {
                    let command = format!("{thread} {round}");
                    assert_eq!(ask(built, &bash(&command)).unwrap(), Verdict::deny(command));
                    assert_eq!(ask(built, &bash("ls")).unwrap(), Verdict::none());
                }
            });
        }
    });
}

#[test]
fn data_files_are_seen_as_data() {
    let rules = "deny contains \"not listed\" if not input.tool_name in data.tools.known";
    let policy = Policy::new("data.hookgate.deny", rules).set("data", json!(["a.json", "b.json"]));
    policy.write("a.json", r#"{"tools":{"known":["Read"]}}"#);
    policy.write("b.json", r#"{"tools":{"others":[]}}"#);
    assert_eq!(policy.ask("ls").unwrap(), Verdict::deny("not listed"));
    policy.write("a.json", r#"{"tools":{"known":["Bash"]}}"#);
    assert_eq!(policy.ask("ls").unwrap(), Verdict::none());
}

#[test]
fn older_policies_are_read_if_asked_for() {
    let rules = "deny[msg] { input.tool_name == \"Bash\"; msg := \"old\" }";
    let policy = Policy::new("data.hookgate.deny", rules);
    assert!(policy.errors().contains("policy.rego:3:"), "{}", policy.errors());
    let policy = policy.set("v0", json!(true));
    assert_eq!(policy.ask("ls").unwrap(), Verdict::deny("old"));
}

#[test]
fn a_policy_of_several_files_is_one() {
    let rules = "import data.lib\ndeny contains \"lib\" if lib.is_shell(input)";
    let policy = Policy::new("data.hookgate.deny", rules);
    let policy = policy.set("file", json!(["policy.rego", "lib.rego"]));
    policy.write("lib.rego", "package lib\n\nis_shell(step) if step.tool_name == \"Bash\"\n");
    let denied = policy.ask("ls").unwrap();
    assert_eq!(denied.parts().unwrap().decision, Some(VerdictDecision::Deny));
}
