//! What policies decide, and why.

use hookgate_contract::payload::ToolCall;
use hookgate_contract::{FailureClass, VerdictDecision};
use serde_json::json;

use crate::{Policy, ask, is, said};

const PERMIT_ALL: &str = "permit(principal, action, resource);\n";

#[test]
fn what_no_policy_permits_is_denied() {
    let policy = Policy::new("permit(principal, action == Action::\"Read\", resource);");
    assert_eq!(said(policy.ask("ls")), is("deny", "no policy permits this call of `Bash`"));
    let read = ToolCall::new("Read", json!({"file_path": "/srv/a"}));
    let reply = ask(&policy.built(), &read).unwrap();
    let parts = reply.parts().unwrap();
    assert_eq!(parts.decision, Some(VerdictDecision::Allow));
    assert_eq!(parts.note.as_deref(), Some("permitted by `policy.cedar:1`"));
    let policy = policy.set("reason", json!("only reading"));
    assert_eq!(said(policy.ask("ls")), is("deny", "only reading"));
}

#[test]
fn a_forbid_is_stronger_than_any_permit_and_gives_its_reason() {
    for (annotation, reason) in [
        ("@reason(\"no force\")", "no force"),
        ("@advice(\"push without it\")", "push without it"),
        ("@id(\"force\")", "forbidden by the policy `force`"),
        ("", "forbidden by the policy `policy.cedar:2`"),
    ] {
        let forbid = format!(
            "{annotation} forbid(principal, action, resource)\n\
             when {{ context.tool_input.command like \"*--force*\" }};"
        );
        let policy = Policy::new(&format!("{PERMIT_ALL}{forbid}"));
        assert_eq!(said(policy.ask("git push --force")), is("deny", reason));
        assert_eq!(said(policy.ask("git push")).0, "allow");
    }
}

#[test]
fn several_policies_that_forbid_all_give_their_reasons() {
    let policy = Policy::new(&format!(
        "{PERMIT_ALL}
         @reason(\"b\") forbid(principal, action, resource);
         @reason(\"a\") forbid(principal, action, resource);
         @reason(\"not this\") forbid(principal, action == Action::\"Read\", resource);"
    ));
    assert_eq!(said(policy.ask("ls")), is("deny", "a; b"));
}

#[test]
fn a_forbid_may_ask_or_halt() {
    let rule = |decision: &str, word: &str| {
        format!(
            "@decision(\"{decision}\") @reason(\"{decision}\") forbid(principal, action, resource)\n\
             when {{ context.tool_input.command like \"*{word}*\" }};\n"
        )
    };
    let rules =
        format!("{PERMIT_ALL}{}{}{}", rule("ask", "a"), rule("deny", "d"), rule("halt", "h"));
    let policy = Policy::new(&rules);
    assert_eq!(said(policy.ask("a")), is("ask", "ask"));
    assert_eq!(said(policy.ask("ad")), is("deny", "deny"));
    assert_eq!(said(policy.ask("adh")), is("halt", "halt"));
    // What is not permitted is denied, even if the only policy that forbids would ask.
    let policy = Policy::new(&rule("ask", "a"));
    assert_eq!(said(policy.ask("x")).0, "deny");
}

/// In Cedar itself a policy that cannot be evaluated is left out: the first of these would permit.
#[test]
fn an_error_is_a_failure_and_never_an_allow() {
    for (condition, problem) in [
        (
            "context.tool_input.path like \"/etc/*\"",
            "an attribute that is not there: test it with `has`",
        ),
        ("context.tool_input.command < 3", "a value of another type"),
        ("context.tool_input.n * 9000000000000000000 > 3", "a number that is too large"),
        ("ip(context.tool_input.command).isLoopback()", "a value that a function refuses"),
        ("principal.level > 3", "an entity that is not in `entities`"),
    ] {
        let text = format!(
            "{PERMIT_ALL}@id(\"f\") forbid(principal, action, resource) when {{ {condition} }};"
        );
        let call = ToolCall::new("Bash", json!({"command": "s3cret", "n": 5}));
        let failure = ask(&Policy::new(&text).built(), &call).unwrap_err();
        assert_eq!(failure.class, FailureClass::Malformed, "{condition}");
        let expected = format!("the policy `f` cannot be evaluated: {problem}");
        assert_eq!(failure.detail, expected);
        assert!(!failure.detail.contains("s3cret"), "{failure}");
    }
}

#[test]
fn an_error_beside_a_forbid_keeps_the_deny() {
    let text = format!(
        "{PERMIT_ALL}forbid(principal, action, resource) when {{ context.none > 1 }};
         forbid(principal, action, resource);"
    );
    let failure = Policy::new(&text).ask("ls").unwrap_err();
    assert_eq!(failure.salvaged, Some(VerdictDecision::Deny));
}

/// A `forbid` that asks does not make a question of what nothing permits.
#[test]
fn what_nothing_permits_is_denied_and_not_asked() {
    let policy = Policy::new(
        "permit(principal, action == Action::\"Bash\", resource);
         @decision(\"ask\") @reason(\"sure?\") forbid(principal, action, resource);",
    );
    assert_eq!(said(policy.ask("ls")), is("ask", "sure?"));
    let other = ToolCall::new("Teleport", json!({"to": "mars"}));
    let denied = said(ask(&policy.built(), &other));
    assert_eq!(denied, is("deny", "no policy permits this call of `Teleport`"));
}
