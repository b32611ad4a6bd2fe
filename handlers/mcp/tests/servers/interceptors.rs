//! Interceptors: what they are invoked with, and what their answers mean.

use hookgate_contract::payload::{PostToolUse, UserPromptSubmit};
use hookgate_contract::{FailureClass, Verdict, VerdictDecision};
use serde_json::{Value, json};

use crate::{Service, ask, bash, load, reason, scan};

/// The settings of a hook that invokes an interceptor of a process.
fn named(name: &str) -> Value {
    json!({"server": scan(&[])["server"], "interceptor": name})
}

#[tokio::test]
async fn a_validator_denies_with_its_messages() {
    let built = load(&named("deny-all")).unwrap();
    assert_eq!(ask(&built, &bash("ls")).await.unwrap(), Verdict::deny("denied by policy"));
    let service = Service::start(&[]);
    let mut settings = service.scan();
    settings["interceptor"] = json!("deny-all");
    for key in ["tool", "arguments"] {
        settings.as_object_mut().unwrap().remove(key);
    }
    let denied = ask(&load(&settings).unwrap(), &bash("ls")).await.unwrap();
    assert_eq!(denied, Verdict::deny("denied by policy"));
}

#[tokio::test]
async fn it_gets_the_operation_and_its_configuration() {
    let mut settings = named("note");
    settings["config"] = json!({"level": 3});
    let built = load(&settings).unwrap();
    let facts = |reply| -> Value { serde_json::from_str(&reason(reply)).unwrap() };
    let call = json!({"name": "Bash", "arguments": {"command": "ls"}});
    let config = json!({"level": 3});
    assert_eq!(
        facts(ask(&built, &bash("ls")).await),
        json!(["tools/call", "request", call, config])
    );
    let result = json!({"content": [{"type": "text", "text": "out"}], "isError": false});
    let ran = PostToolUse::new(bash("ls"), "out");
    assert_eq!(facts(ask(&built, &ran).await), json!(["tools/call", "response", result, config]));
    let prompt = UserPromptSubmit::new("hi");
    let noted = facts(ask(&built, &prompt).await);
    assert_eq!(
        (&noted[0], &noted[2]["prompt"]),
        (&json!("hookgate/user_prompt_submit"), &json!("hi"))
    );
}

#[tokio::test]
async fn a_mutator_changes_the_step() {
    let built = load(&named("upper")).unwrap();
    let patched = ask(&built, &bash("ls -l")).await.unwrap();
    assert_eq!(patched, Verdict::none().patch("tool_input", json!({"command": "LS -L"})));
    let ran = PostToolUse::new(bash("ls"), "a key");
    let patched = ask(&built, &ran).await.unwrap();
    assert_eq!(patched, Verdict::none().patch("tool_response", "A KEY"));
}

#[tokio::test]
async fn one_that_only_audits_decides_nothing() {
    let built = load(&named("auditor")).unwrap();
    let verdict = ask(&built, &bash("ls")).await.unwrap();
    let parts = verdict.parts().unwrap();
    assert_eq!(parts.decision, None);
    assert_eq!(parts.message.as_deref(), Some("audit, deny: denied by policy"));
}

#[tokio::test]
async fn one_that_is_not_there_for_the_step_is_a_failure() {
    let failure = ask(&load(&named("prompts")).unwrap(), &bash("ls")).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Illegal);
    assert!(
        failure.detail.contains("is not there for `tools/call` in the phase request"),
        "{failure}"
    );
    let failure = ask(&load(&named("deny-al")).unwrap(), &bash("ls")).await.unwrap_err();
    assert!(
        failure.detail.contains("the server has no interceptor `deny-al`: it has deny-all"),
        "{failure}"
    );
    assert_eq!(failure.salvaged, None::<VerdictDecision>);
    let probe = load(&named("deny-all")).unwrap().probe.unwrap();
    let found = probe.check("hook", std::time::Duration::from_secs(5)).await.unwrap();
    assert!(found.ends_with("and has the interceptor"), "{found}");
}
