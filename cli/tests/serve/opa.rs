//! Promise: who asks as OPA is asked gets an `allow` only for a step that goes on as it was sent, and never a 200 for what
//! was not understood.

use serde_json::{Value, json};

use crate::http_client::{Http, Reply, listening, refused};
use crate::support::{Folder, HOOKS, Random, bash};

fn ask(http: &Http, path: &str, body: &Value) -> Reply {
    http.send(&format!("POST {path}"), &[], body.to_string().as_bytes())
}

fn input(command: &str) -> Value {
    json!({"input": {"session": "s", "step": bash(command)}})
}

#[test]
fn a_step_is_allowed_only_if_it_goes_on_as_it_was_sent() {
    let allow = r#"
[[hook]]
id = "listing"
event = "pre_tool_use"
input = { "/command" = { equals = "ls -l" } }
command = { shell = "echo '{\"decision\":\"allow\"}'" }
may_allow = true

[[hook]]
id = "enough"
event = "pre_tool_use"
input = { "/command" = { equals = "halt" } }
command = { shell = "echo '{\"decision\":\"halt\",\"reason\":\"enough\"}'" }
"#;
    let folder = Folder::with_hooks(&format!("{HOOKS}{allow}"));
    let (_server, http) = listening(&folder, &["--opa"]);
    for (command, allow, verdict, reason) in [
        ("ls", true, "pass", ""),
        ("ls -l", true, "allow", ""),
        ("git push --force", false, "deny", "force push is not allowed here"),
        ("cargo publish", false, "deny", "the host can ask nobody"),
        ("npm install", false, "deny", "the host takes no rewritten step"),
        ("date", false, "deny", "the host takes no result of a hook"),
        ("halt", false, "deny", "the host cannot end the run"),
    ] {
        let reply = ask(&http, "/v1/data/hookgate", &input(command));
        let said = reply.json();
        let result = &said["result"];
        assert_eq!(
            (reply.status, &result["allow"], &result["verdict"]),
            (200, &json!(allow), &json!(verdict)),
            "{command}: {said}"
        );
        assert!(
            result["reason"].as_str().unwrap_or_default().contains(reason),
            "{command}: {said}"
        );
        assert_eq!(result["step_id"], said["decision_id"], "the journal knows it by this id");
        let id = said["decision_id"].as_str().unwrap();
        assert!(id.len() == 36 && id.split('-').count() == 5, "{id}");
        // For gateways that want a boolean.
        let bare = ask(&http, "/v1/data/hookgate/allow", &input(command)).json();
        assert_eq!(bare["result"], json!(allow), "{command}");
    }
    // The step alone names its session. Its id is the server's: a gateway may hand on what an agent has made up.
    let mut alone = bash("git push --force");
    alone["session_id"] = json!("t");
    alone["step_id"] = json!("step-7");
    let said = ask(&http, "/v1/data/hookgate", &json!({"input": alone})).json();
    assert_eq!(
        (&said["result"]["allow"], &said["result"]["step_id"]),
        (&json!(false), &said["decision_id"])
    );
    // A session counts as it does elsewhere.
    let count = |session: &str| {
        let step = crate::support::tool("Count", json!({}));
        ask(&http, "/v1/data/hookgate", &json!({"input": {"session": session, "step": step}}))
            .json()["result"]["allow"]
            .clone()
    };
    assert_eq!(
        [count("u"), count("u"), count("u"), count("v")],
        [json!(true), json!(true), json!(false), json!(true)]
    );
}

#[test]
fn what_is_missing_or_unknown_is_a_400_in_the_shape_of_opa() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, http) = listening(&folder, &["--opa"]);
    let step = bash("ls");
    let with = |key: &str, value: Value| {
        let mut input = json!({"session": "s", "step": step});
        input[key] = value;
        json!({ "input": input })
    };
    let mut alone = step.clone();
    alone["session_id"] = json!("");
    let stop = json!({"hook_event_name": "stop"});
    let session_end = json!({"hook_event_name": "session_end", "reason": "x"});
    let wrong = [
        ("/v1/data/hookgate", json!({}), "invalid_params"),
        ("/v1/data/hookgate", json!([]), "parse_error"),
        ("/v1/data/hookgate", json!({"input": null}), "invalid_params"),
        ("/v1/data/hookgate", json!({"input": [step]}), "invalid_params"),
        ("/v1/data/hookgate", json!({"inputs": {"session": "s", "step": step}}), "invalid_params"),
        (
            "/v1/data/hookgate",
            json!({"input": {"session": "s", "step": step}, "explain": "full"}),
            "invalid_params",
        ),
        ("/v1/data/hookgate", json!({"input": {}}), "invalid_params"),
        ("/v1/data/hookgate", json!({"input": step}), "invalid_params"),
        ("/v1/data/hookgate", json!({"input": alone}), "invalid_params"),
        ("/v1/data/hookgate", json!({"input": {"step": step}}), "invalid_params"),
        ("/v1/data/hookgate", json!({"input": {"session": "", "step": step}}), "invalid_session"),
        ("/v1/data/hookgate", json!({"input": {"session": "s", "step": {}}}), "invalid_step"),
        ("/v1/data/hookgate", json!({"input": {"session": "s", "step": stop}}), "undeclared_event"),
        (
            "/v1/data/hookgate",
            json!({"input": {"session": "s", "step": session_end}}),
            "undeclared_event",
        ),
        ("/v1/data/hookgate", with("verdict", json!("allow")), "invalid_params"),
        ("/v1/data/hookgate", with("session", json!(7)), "invalid_params"),
        ("/v1/data/hookgate?explain=full", input("ls"), "invalid_params"),
        ("/v1/data/hookgate/deny", input("ls"), "invalid_params"),
        ("/v1/data/hookgate/allow/", input("ls"), "invalid_params"),
        ("/v1/data/hookgate%2Fallow", input("ls"), ""),
        ("/v1/data/httpapi/authz", input("ls"), "invalid_params"),
    ];
    for (path, body, name) in wrong {
        let reply = ask(&http, path, &body);
        let is_named_otherwise = name.is_empty();
        if is_named_otherwise {
            // The same path in other letters.
            assert_eq!(reply.json()["result"], json!(true));
            continue;
        }
        let said = reply.json();
        assert_eq!(
            (reply.status, &said["code"]),
            (400, &json!("invalid_parameter")),
            "{path} {body}: {said}"
        );
        assert_eq!(said["errors"][0]["code"], name, "{path} {body}: {said}");
        assert!(said["message"].as_str().is_some_and(|message| message.len() > 10), "{said}");
        assert!(said.get("result").is_none() && said.get("warning").is_none(), "{said}");
    }
    let twice = br#"{"input":{"session":"s","step":{"hook_event_name":"pre_tool_use","tool_name":"Bash","tool_input":{"command":"ls","command":"git push --force"}}}}"#;
    assert_eq!(http.send("POST /v1/data/hookgate", &[], twice).status, 400);
    let late = json!({"input": {"session": "s", "step": bash("slow"), "deadline_ms": 50}});
    let late = ask(&http, "/v1/data/hookgate", &late);
    assert_eq!((late.status, &late.json()["code"]), (504, &json!("internal_error")));
    // Whatever is taken out of a request that is allowed, or cut off, is allowed by no other one.
    let whole = input("git push --force").to_string();
    let mut random = Random(7);
    for _ in 0..200 {
        let mut bytes = whole.clone().into_bytes();
        let (from, length) = (random.below(bytes.len()), 1 + random.below(8));
        bytes.drain(from..(from + length).min(bytes.len()));
        let reply = http.send("POST /v1/data/hookgate", &[], &bytes);
        let is_allowed = reply.status == 200 && reply.json()["result"]["allow"] == true;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        // With another command, tool or field it is another step.
        let same =
            ["\"git push --force\"", "\"Bash\"", "\"command\"", "\"tool_input\"", "\"tool_name\""];
        assert!(!is_allowed || !same.iter().all(|part| text.contains(part)), "{text}");
    }
}

#[test]
fn a_guard_that_would_not_be_enforced_refuses_the_start_and_later_the_requests() {
    let stop = "\n[[hook]]\nid = \"tests-first\"\nevent = \"stop\"\nbuiltin = { name = \"deny\", reason = \"run the tests\" }\n";
    let folder = Folder::with_hooks(&format!("{HOOKS}{stop}"));
    let start = |more: &[&str]| {
        let args = ["-c", "hooks.toml", "--http", "127.0.0.1:0", "--opa"];
        let all: Vec<&str> = args.iter().chain(more).copied().collect();
        refused(&folder, &all)
    };
    for more in [&[][..], &["--accept-unenforced", "other"]] {
        let (code, said) = start(more);
        assert!(
            code == Some(1)
                && said.contains("`tests-first` at `stop`")
                && said.contains("--accept-unenforced"),
            "{said}"
        );
    }
    // Who does not ask so is not concerned.
    let (server, http) = listening(&folder, &[]);
    assert_eq!(http.get("/health").json()["ok"], true);
    drop(server);
    let (server, http) = listening(&folder, &["--opa", "--accept-unenforced", "tests-first"]);
    assert_eq!(ask(&http, "/v1/data/hookgate", &input("ls")).json()["result"]["allow"], true);
    folder.write("hooks.toml", &format!("{HOOKS}{}", stop.replace("tests-first", "later")));
    server.wait_for("reloaded");
    let refused = ask(&http, "/v1/data/hookgate", &input("ls"));
    assert_eq!((refused.status, &refused.json()["errors"][0]["code"]), (400, &json!("unenforced")));
    let health = http.get("/health");
    assert!(
        health.status == 503 && health.json()["why"].as_str().unwrap().contains("later"),
        "{health:?}"
    );
}

#[test]
fn sessions_in_which_nothing_is_asked_end() {
    let folder = Folder::with_hooks(HOOKS);
    let (_server, http) = listening(&folder, &["--opa", "--idle", "2"]);
    assert_eq!(ask(&http, "/v1/data/hookgate", &input("ls")).status, 200);
    let sessions =
        |number: u32| http.get("/metrics").body.contains(&format!("hookgate_sessions {number}\n"));
    let began = std::time::Instant::now();
    while !sessions(0) {
        assert!(began.elapsed() < crate::support::PATIENCE);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(ask(&http, "/v1/data/hookgate", &input("ls")).json()["result"]["allow"], true);
}
