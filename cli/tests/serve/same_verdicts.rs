//! Promise: a step gets the same record in process, by `hookgate run`, over stdio and over a socket, to the byte.

use std::process::Stdio;
use std::sync::Arc;

use hookgate::config::Loader;
use hookgate::contract::EventKind;
use hookgate::envelope::Incoming;
use hookgate::{Engine, Event, Registry, Report};
use hookgate_test_support::envelopes::event_fields;
use serde_json::{Value, json};

use crate::support::{Folder, Host, bash, tool};

/// Hooks at many events, of many roles.
const MANY: &str = r#"
[[hook]]
id = "no-force-push"
event = "pre_tool_use"
tool = "Bash"
input = { "/command" = { regex = "push.*--force" } }
builtin = { name = "deny", reason = "force push is not allowed here" }

[[hook]]
id = "confirm"
event = "pre_tool_use"
input = { "/command" = { regex = "publish" } }
tool = "Bash"
builtin = { name = "ask", reason = "a published version stays" }

[[hook]]
id = "confirm-change"
event = "config_change"
builtin = { name = "ask", reason = "other settings from now on?" }

[[hook]]
id = "fails"
event = ["pre_tool_use", "post_tool_use"]
tool = "Write"
command = { argv = ["sh", "-c", "exit 3"] }

[[hook]]
id = "says-no"
event = ["pre_tool_use"]
tool = "Edit"
command = { argv = ["sh", "-c", "echo not this file >&2; exit 2"] }

[[hook]]
id = "brief"
event = ["user_prompt_submit", "session_start", "turn_start", "subagent_start"]
builtin = { name = "add_context", text = "be brief" }

[[hook]]
id = "redact"
event = ["post_tool_use", "post_llm_response", "run_completed"]
builtin = "redact_secrets"

[[hook]]
id = "not-for-ever"
event = "pre_llm_request"
builtin = { name = "max_iterations", limit = 5 }

[[hook]]
id = "closed"
event = ["worktree_create", "run_started", "pre_compact"]
builtin = { name = "deny", reason = "not here" }
"#;

/// Steps of every event, the least and the whole of each, and some that hooks are about.
fn steps() -> Vec<Value> {
    let mut steps: Vec<Value> = Vec::new();
    for fields in event_fields() {
        steps.push(fields.least().into());
        steps.push(fields.whole().into());
    }
    let secret = format!("key AKIA{} end", "ABCDEFGHIJKLMNOP");
    steps.extend([
        bash("git push --force"),
        bash("cargo publish"),
        bash("ls \u{1F980}"),
        tool("Write", json!({"path": "a", "text": "b"})),
        tool("Edit", json!({"path": "a"})),
        tool("Read", json!([1, 2.5, null, {"deep": [[[]]]}])),
        json!({"hook_event_name": "post_tool_use", "tool_name": "Read", "tool_input": {}, "tool_response": secret}),
        json!({"hook_event_name": "post_tool_use", "tool_name": "Write", "tool_input": {}, "tool_response": "x"}),
        json!({"hook_event_name": "x.deploy", "target": "prod"}),
    ]);
    for (number, step) in steps.iter_mut().enumerate() {
        step["step_id"] = json!(format!("step-{number}"));
        step["session_id"] = json!(format!("session-{}", number % 5));
    }
    steps
}

/// A record without what differs from run to run.
fn stable(record: &Value) -> String {
    let report = Report::from_json(record.to_string().as_bytes()).unwrap();
    serde_json::to_string(&report.stable(false)).unwrap()
}

fn in_process(folder: &Folder, steps: &[Value]) -> Vec<String> {
    let registry = Registry::new();
    registry.add(hookgate::builtin::kind());
    registry.add(hookgate::command::kind());
    let table = Loader::new(&registry).load(&folder.path("hooks.toml")).unwrap().table;
    let engine = Arc::new(Engine::new(table));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let evaluate = |step: &Value| {
        let mut incoming = Incoming::parse(step.to_string().as_bytes()).unwrap();
        let report = runtime.block_on(engine.evaluate(&mut incoming));
        serde_json::to_string(&report.stable(false)).unwrap()
    };
    steps.iter().map(evaluate).collect()
}

fn by_run(folder: &Folder, steps: &[Value]) -> Vec<String> {
    let text: Vec<String> = steps.iter().map(Value::to_string).collect();
    std::fs::write(folder.path("steps.jsonl"), text.join("\n")).unwrap();
    let ran = folder.hookgate(&["run", "-c", "hooks.toml", "--json", "--quiet", "steps.jsonl"]);
    let output = { ran }.stdin(Stdio::null()).output().unwrap();
    let records = String::from_utf8(output.stdout).unwrap();
    records.lines().map(|line| stable(&serde_json::from_str(line).unwrap())).collect()
}

/// Has each step judged, or told: then its record is the one that subscribers get.
fn served(host: &mut Host, steps: &[Value]) -> Vec<String> {
    let mut events: Vec<&str> = Event::NAMED.into_iter().map(Event::name).collect();
    events.push("x.deploy");
    let all = &["deny", "ask", "halt", "patch", "answer", "context"];
    host.ok("hello", crate::support::hello(&events, all));
    host.ok("events", json!({}));
    let mut records = Vec::new();
    for step in steps {
        let params = json!({"session": step["session_id"], "step": step});
        let event = Event::from_name(step["hook_event_name"].as_str().unwrap());
        if event.is_some_and(|event| event.contract().kind == EventKind::Observe) {
            host.ok("observe", params);
        } else {
            let judged = host.ok("judge", params);
            let refused = ["ask", "deny", "halt", "cancelled", "answered"]
                .contains(&judged["verdict"].as_str().unwrap());
            assert_eq!(judged.get("step").is_none(), refused, "{judged}");
            records.push(stable(&judged["report"]));
        }
        while host.told.is_empty() {
            let line = host.line().unwrap();
            host.told.push(line["params"].clone());
        }
        let told = stable(&host.told.remove(0)["told"]["decision"]);
        match event.is_some_and(|event| event.contract().kind == EventKind::Observe) {
            true => records.push(told),
            false => assert_eq!(records.last(), Some(&told)),
        }
    }
    records
}

#[test]
fn a_step_gets_the_same_record_whichever_way_it_comes() {
    let folder = Folder::with_hooks(MANY);
    let steps = steps();
    assert!(steps.len() > 60, "{}", steps.len());
    let expected = in_process(&folder, &steps);
    for decision in ["allow", "deny", "ask"] {
        let of = format!("\"decision\":\"{decision}\"");
        assert!(expected.iter().filter(|record| record.contains(&of)).count() > 1, "{decision}");
    }
    assert_eq!(by_run(&folder, &steps), expected);
    let (_server, mut host) = Host::spawn_silent(&folder, &["--stdio", "-c", "hooks.toml"]);
    assert_eq!(served(&mut host, &steps), expected);
    let (server, mut silent) =
        Host::spawn_silent(&folder, &["--socket", "run/s.sock", "-c", "hooks.toml"]);
    drop(silent.out.take());
    server.wait_for("listening");
    assert_eq!(served(&mut Host::connect(&folder, "run/s.sock"), &steps), expected);
}
