//! Promise: exit status, stdout and stderr become the reply that the documentation says.

use hookgate_contract::payload::SubagentStart;
use hookgate_contract::{Event, FailureClass, StepContext, Verdict, VerdictDecision};
use serde_json::json;

use crate::support::{build, build_in, invoke, invoke_with, shell};

#[tokio::test]
async fn success_is_what_stdout_says() {
    let denying = shell(r#"echo '{"decision":"deny","reason":"no"}'"#);
    assert_eq!(invoke(&denying).await.unwrap(), Verdict::deny("no"));
    assert_eq!(invoke(&shell("true")).await.unwrap(), Verdict::none());
    assert_eq!(invoke(&shell("echo '{}'; echo hello >&2")).await.unwrap(), Verdict::none());
}

#[tokio::test]
async fn the_envelope_comes_in_on_stdin() {
    let built = shell(r#"read -r line; case "$line" in *'"tool_name":"Bash"'*) exit 2;; esac"#);
    assert_eq!(invoke(&built).await.unwrap(), Verdict::deny("denied by `guard`"));
}

#[tokio::test]
async fn text_is_not_a_verdict() {
    let failure = invoke(&shell("echo sure, go on")).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Malformed);
    let failure = invoke(&shell(r#"echo '{"decision":"deny","x":1}'"#)).await.unwrap_err();
    assert_eq!(
        (failure.class, failure.salvaged),
        (FailureClass::Malformed, Some(VerdictDecision::Deny))
    );
}

#[tokio::test]
async fn two_is_a_deny_or_the_halt_on_stdout() {
    for stdout in [r#"{"decision":"allow"}"#, r#"{"decision":"ask","reason":"x"}"#, "no json", ""] {
        let built = shell(&format!("echo '{stdout}'; echo ' not here ' >&2; exit 2"));
        assert_eq!(invoke(&built).await.unwrap(), Verdict::deny("not here"), "{stdout}");
    }
    for stdout in [r#"{"decision":"halt","reason":"x"}"#, r#"{"Decision":"HALT""#] {
        let built = shell(&format!("echo '{stdout}'; echo ' not here ' >&2; exit 2"));
        assert_eq!(invoke(&built).await.unwrap(), Verdict::halt("not here"), "{stdout}");
    }
    // Where nothing can be halted it is a deny.
    let built = shell(r#"echo '{"decision":"halt"}'; echo no >&2; exit 2"#);
    let reply = invoke_with(&built, &SubagentStart::default(), &StepContext::new("s")).await;
    assert_eq!(reply, Ok(Verdict::deny("no")));
    let long =
        shell("i=0; while [ $i -lt 600 ]; do echo 'üüüüüüüüü' >&2; i=$((i+1)); done; exit 2");
    let verdict = invoke(&long).await.unwrap();
    let reason = verdict.parts().unwrap().reason.clone().unwrap();
    assert!((4090..=4096).contains(&reason.len()), "{}", reason.len());
}

#[tokio::test]
async fn any_other_status_is_a_failure_that_quotes_stderr() {
    let failure = invoke(&shell("echo first >&2; echo ValueError >&2; exit 1")).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Exit);
    assert_eq!(
        failure.detail,
        "exit status 1 (a failure: to deny, exit 2 or print a verdict): first | ValueError"
    );
    let failure = invoke(&shell("exec no-such-program-anywhere")).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Exit);
    assert!(failure.detail.starts_with("exit status 127 (command not found"), "{failure}");
    let failure = invoke(&shell("exec /dev/null")).await.unwrap_err();
    assert!(failure.detail.starts_with("exit status 126 (found, but"), "{failure}");
}

#[tokio::test]
async fn a_signal_is_a_failure() {
    let failure = invoke(&shell("kill -9 $$")).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Signal);
    assert_eq!(failure.detail, "the program was killed by signal 9, perhaps for want of memory");
}

#[tokio::test]
async fn a_program_that_has_gone_cannot_be_started() {
    let base = tempfile::tempdir().unwrap();
    let program = base.path().join("guard");
    std::fs::copy("/bin/true", &program).unwrap();
    let built = build_in(base.path(), &json!({"argv": ["./guard"]})).unwrap();
    std::fs::remove_file(&program).unwrap();
    let failure = invoke(&built).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Spawn);
    assert!(failure.detail.contains(program.to_str().unwrap()), "{failure}");
}

#[tokio::test]
async fn stdout_can_be_context() {
    let context = |text: &str| build(&json!({"shell": text, "stdout": "context"}));
    let cautious = invoke(&context("echo; echo ' be careful '; echo")).await.unwrap();
    assert_eq!(cautious, Verdict::none().context("be careful"));
    assert_eq!(invoke(&context("echo")).await.unwrap(), Verdict::none());
    let json = invoke(&context(r#"echo '{"decision":"deny"}'"#)).await.unwrap();
    assert_eq!(json, Verdict::none().context(r#"{"decision":"deny"}"#));
    let failure = invoke(&context(r"printf '\377'")).await.unwrap_err();
    assert_eq!(failure.class, FailureClass::Malformed);
    assert_eq!(invoke(&context("exit 2")).await.unwrap(), Verdict::deny("denied by `guard`"));

    let supports = context("true").supports.unwrap();
    assert!(supports(Event::PreToolUse.contract()).is_ok());
    assert!(supports(Event::PermissionRequest.contract()).is_err());
    assert!(shell("true").supports.is_none());
}
