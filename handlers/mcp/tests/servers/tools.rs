//! What a tool is given, and what its answers mean.

use hookgate_contract::{FailureClass, Verdict, VerdictDecision};
use serde_json::json;

use crate::{ask, bash, load, reason, scan};

#[tokio::test]
async fn the_text_of_a_tool_is_the_verdict() {
    let built = load(&scan(&[])).unwrap();
    assert_eq!(ask(&built, &bash("rm -rf /")).await.unwrap(), Verdict::deny("no deletes"));
    assert_eq!(ask(&built, &bash("ls")).await.unwrap(), Verdict::none());
}

#[tokio::test]
async fn arguments_are_templates_and_keep_their_types() {
    let mut settings = scan(&[]);
    settings["tool"] = json!("structured");
    settings["arguments"] =
        json!({"input": "{{ tool_input }}", "who": "{{ session_id }}!", "n": 3});
    let asked = ask(&load(&settings).unwrap(), &bash("ls")).await.unwrap();
    let arguments = r#"{"input": {"command": "ls"}, "n": 3, "who": "s!"}"#;
    assert_eq!(asked, Verdict::ask(arguments));
}

#[tokio::test]
async fn without_arguments_a_tool_gets_the_envelope() {
    let mut settings = scan(&[]);
    settings.as_object_mut().unwrap().remove("arguments");
    let built = load(&settings).unwrap();
    assert_eq!(ask(&built, &bash("rm x")).await.unwrap(), Verdict::deny("no deletes"));
}

#[tokio::test]
async fn what_is_no_verdict_is_a_failure_with_a_class_that_fits() {
    let built = load(&scan(&[])).unwrap();
    for (command, class, detail) in [
        ("fail", FailureClass::Exit, "the tool failed: the database is down"),
        ("error", FailureClass::Exit, "the server answers with error -32603: it broke"),
        ("prose", FailureClass::Malformed, "the text of the tool is not a verdict"),
        ("big", FailureClass::Oversize, "raise limits.output"),
    ] {
        let failure = ask(&built, &bash(command)).await.unwrap_err();
        assert_eq!(failure.class, class, "{failure}");
        assert!(failure.detail.contains(detail), "{failure}");
    }
    let failure = ask(&built, &bash("fail-deny")).await.unwrap_err();
    assert_eq!(failure.salvaged, Some(VerdictDecision::Deny));
    // After each of them it can be asked again.
    assert_eq!(ask(&built, &bash("ls")).await.unwrap(), Verdict::none());
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_a_failure_and_the_probe_says_so() {
    let mut settings = scan(&[]);
    settings["tool"] = json!("scann");
    let built = load(&settings).unwrap();
    let failure = ask(&built, &bash("ls")).await.unwrap_err();
    assert!(failure.detail.contains("unknown tool"), "{failure}");
    let probe = built.probe.unwrap();
    let failure = probe.check("hook", std::time::Duration::from_secs(5)).await.unwrap_err();
    let expected = "the server has no tool `scann`: it has scan, structured, environment";
    assert_eq!(failure.detail, expected);
    let probe = load(&scan(&[])).unwrap().probe.unwrap();
    let found = probe.check("hook", std::time::Duration::from_secs(5)).await.unwrap();
    assert!(found.contains("python3") && found.ends_with("and has the tool"), "{found}");
}

#[tokio::test]
async fn a_program_gets_only_the_variables_that_are_listed() {
    let mut settings = scan(&[]);
    settings["tool"] = json!("environment");
    settings["arguments"] = json!({});
    settings["server"]["set_env"] = json!({"LEVEL": "high"});
    let names = reason(ask(&load(&settings).unwrap(), &bash("ls")).await);
    assert!(names.split(' ').any(|name| name == "LEVEL"), "{names}");
    assert!(!names.contains("CARGO"), "{names}");
    assert!(std::env::vars().any(|(name, _)| name.starts_with("CARGO")));
}

#[tokio::test]
async fn secrets_of_the_program_are_not_repeated() {
    let mut settings = scan(&[]);
    settings["server"]["set_env"] = json!({"API_TOKEN": "s3cret-of-the-server"});
    let failure = ask(&load(&settings).unwrap(), &bash("error")).await.unwrap_err();
    assert!(failure.detail.contains("it broke") && !failure.detail.contains("s3cret"), "{failure}");
    // The control: without the variable it is a text like any other.
    let failure = ask(&load(&scan(&[])).unwrap(), &bash("error")).await.unwrap_err();
    assert!(failure.detail.contains("s3cret"), "{failure}");
}
