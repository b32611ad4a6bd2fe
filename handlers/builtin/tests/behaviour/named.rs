//! Promise: what docker agent calls its builtins is what they are called here, and each is one that works.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;

use hookgate_builtin::{BUILTINS, Host, builtin};
use hookgate_contract::payload::{RunFailed, ToolCall};
use hookgate_contract::{Event, FailureClass, Role, Verdict};
use serde_json::json;

use crate::support::{build_in, full_host, invoke};

/// Row E7.
#[test]
fn every_builtin_of_docker_agent_is_here_under_its_name() {
    for name in [
        "add_context",
        "add_date",
        "add_environment_info",
        "add_prompt_files",
        "add_git_status",
        "add_git_diff",
        "add_directory_listing",
        "add_user_info",
        "add_recent_commits",
        "max_iterations",
        "redact_secrets",
        "limit_large_tool_results",
        "elide_repeated_tool_results",
        "safer_shell",
        "http_post",
        "snapshot",
    ] {
        let doc = builtin(name).unwrap_or_else(|| panic!("{name}"));
        assert!(!doc.events().is_empty() && doc.example.contains(name), "{name}");
    }
    // Those of defect, too.
    for name in ["audit", "redact_secrets", "skill_manifest", "goal_gate"] {
        assert!(BUILTINS.iter().any(|doc| doc.name == name), "{name}");
    }
}

/// Row E7.
#[test]
fn safer_shell_says_the_class_and_decides_nothing() {
    let built = build_in("safer_shell", &json!({}), &[], Path::new("/"), &full_host()).unwrap();
    assert!(built.never_refuses, "no guard is required by it");
    let told = invoke(&built, &ToolCall::new("Bash", json!({"remove": "a.txt"}))).unwrap();
    let expected = Verdict::none()
        .annotate("safety_label", "destructive")
        .annotate("blast_radius", "project")
        .annotate("category", "delete")
        .annotate("reason", "it deletes `a.txt`");
    assert_eq!(told, expected);
    let nothing = invoke(&built, &ToolCall::new("Read", json!({"file_path": "a.txt"})));
    assert_eq!(nothing, Ok(Verdict::none()));
    let alone = build_in("safer_shell", &json!({}), &[], Path::new("/"), &Host::new());
    assert_eq!(alone.unwrap_err(), "`name`: this program does not know what calls do");
}

/// Row E7: the request is the text of the hook, and nothing that a service answers is a verdict.
#[test]
fn http_post_tells_a_service() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let authority = listener.local_addr().unwrap().to_string();
    let service = std::thread::spawn(move || {
        let mut bodies = Vec::new();
        for status in ["200 OK", "500 Internal Server Error"] {
            let (mut connection, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            let mut part = [0; 4096];
            while !request.ends_with(b"}") {
                let length = connection.read(&mut part).unwrap();
                request.extend_from_slice(&part[..length]);
            }
            let answer = r#"{"decision":"deny","reason":"no"}"#;
            let length = answer.len();
            write!(
                connection,
                "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{answer}"
            )
            .unwrap();
            let text = String::from_utf8(request).unwrap();
            bodies.push(text.split_once("\r\n\r\n").unwrap().1.to_owned());
        }
        bodies
    });
    let settings = json!({
        "url": format!("http://{authority}/tell"),
        "allow_loopback": [authority],
        "body": {"text": "it failed: {{ error }}", "urgent": true},
    });
    let events = [Event::RunFailed];
    let built = build_in("http_post", &settings, &events, Path::new("/"), &full_host()).unwrap();
    assert_eq!(built.role, Some(Role::Observe));
    let told = observed(&built);
    assert_eq!(told.unwrap(), Verdict::none(), "a deny of such a service is none");
    assert_eq!(observed(&built).unwrap_err().class, FailureClass::HttpStatus);
    let bodies = service.join().unwrap();
    let body: serde_json::Value = serde_json::from_str(&bodies[0]).unwrap();
    assert_eq!(body, json!({"text": "it failed: out of memory", "urgent": true}));
}

/// Row E7: it goes nowhere that a config could not name for the kind `http`.
#[test]
fn http_post_has_the_rules_of_the_kind_http() {
    let wrong = |url: &str| {
        let settings = json!({"url": url, "body": {"text": "x"}});
        build_in("http_post", &settings, &[Event::RunFailed], Path::new("/"), &full_host())
            .unwrap_err()
    };
    assert!(wrong("http://169.254.169.254/latest").contains("link-local"));
    assert!(wrong("http://127.0.0.1:9/x").contains("allow_loopback"));
    let alone = json!({"url": "https://example.com", "body": {"text": "x"}});
    let alone = build_in("http_post", &alone, &[], Path::new("/"), &Host::new());
    assert!(
        alone.unwrap_err().starts_with("`name`: this program has no handlers of the kind `http`")
    );
    let silent = json!({"url": "https://example.com"});
    let silent = build_in("http_post", &silent, &[], Path::new("/"), &full_host());
    assert_eq!(silent.unwrap_err(), "`body` is missing");
}

/// Tells the handler of a failed run, as an observer is told: with what was decided.
fn observed(built: &hookgate_contract::BuiltHandler) -> hookgate_contract::Reply {
    use hookgate_contract::{Envelope, Invocation, Observed, StepContext, StepId};
    let context = StepContext::new("session/1").turn(1).cwd("/srv");
    let id = StepId::new(Some("step-1"), String::new);
    let payload = RunFailed::new("out of memory");
    let decision = Observed::new("allow", Vec::new(), None, &[]);
    let envelope = Envelope::new(&payload, &context, &id, 1, 1 << 20).decided(&decision);
    let reply = built.handler.invoke(Invocation::new("hook", &envelope));
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(reply)
}
