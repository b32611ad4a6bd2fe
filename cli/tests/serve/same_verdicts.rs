//! Promise: a step gets the same record in process, by `hookgate run`, over stdio, over a socket, by HTTP and from each
//! client, to the byte. The table is `clients/cases`, and what each event can have.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use hookgate::config::Loader;
use hookgate::contract::EventKind;
use hookgate::contract::json::canonical;
use hookgate::envelope::Incoming;
use hookgate::{Engine, Event, Registry, Report};
use hookgate_test_support::envelopes::event_fields;
use hookgate_test_support::needs;
use serde_json::{Value, json};

use crate::support::{Folder, Host};

/// A file of the clients.
fn of_clients(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../clients").join(name)
}

/// Steps of every event, the least and the whole of each, and the cases of the clients.
fn steps() -> Vec<Value> {
    let mut steps: Vec<Value> = Vec::new();
    for fields in event_fields() {
        steps.push(fields.least().into());
        steps.push(fields.whole().into());
    }
    let cases = std::fs::read_to_string(of_clients("cases/steps.jsonl")).unwrap();
    let cases: Vec<Value> = cases.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(cases.len() > 60, "{}", cases.len());
    steps.extend(cases);
    let secret = format!("key AKIA{} end", "ABCDEFGHIJKLMNOP");
    steps.push(
        json!({"hook_event_name": "post_tool_use", "tool_name": "Read", "tool_input": {}, "tool_response": secret}),
    );
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

/// What a host is told of a step, without what differs from run to run, in canonical JSON.
fn outcome(said: &Value) -> String {
    let Some(failed) = said.get("failed") else {
        let report: Value = serde_json::from_str(&stable(&said["report"])).unwrap();
        let step = said.get("step").unwrap_or(&Value::Null);
        return canonical(&json!({"verdict": said["verdict"], "step": step, "report": report}));
    };
    canonical(&json!({ "failed": failed }))
}

/// Has each step judged, or told: then its record is the one that subscribers get. Returns the records, and the outcomes.
fn served(host: &mut Host, steps: &[Value]) -> (Vec<String>, Vec<String>) {
    let mut events: Vec<&str> = Event::NAMED.into_iter().map(Event::name).collect();
    events.push("x.deploy");
    let all = &["deny", "ask", "halt", "patch", "answer", "context"];
    host.ok("hello", crate::support::hello(&events, all));
    host.ok("events", json!({}));
    let (mut records, mut outcomes) = (Vec::new(), Vec::new());
    for step in steps {
        let params = json!({"session": step["session_id"], "step": step});
        let event = Event::from_name(step["hook_event_name"].as_str().unwrap());
        if event.is_some_and(|event| event.contract().kind == EventKind::Observe) {
            outcomes.push(outcome(&host.ok("observe", params)));
        } else {
            let judged = host.ok("judge", params);
            let refused = ["ask", "deny", "halt", "cancelled", "answered"]
                .contains(&judged["verdict"].as_str().unwrap());
            assert_eq!(judged.get("step").is_none(), refused, "{judged}");
            records.push(stable(&judged["report"]));
            outcomes.push(outcome(&judged));
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
    (records, outcomes)
}

/// The outcomes of a client, which has got the program, the config and the file of steps.
fn by_client(folder: &Folder, mut client: Command) -> Vec<String> {
    let program = Path::new(env!("CARGO_BIN_EXE_hookgate"));
    client.args([program, &folder.path("hooks.toml"), &folder.path("steps.jsonl")]);
    client.env_remove("HOOKGATE_CONFIG").env("PYTHONDONTWRITEBYTECODE", "1");
    let output = client.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8(output.stdout).unwrap();
    said.lines().map(|line| outcome(&serde_json::from_str(line).unwrap())).collect()
}

/// A client that runs in its folder.
fn client(program: &str, args: &[&str], folder: &str) -> Command {
    let mut command = Command::new(program);
    command.args(args).current_dir(of_clients(folder));
    command
}

#[test]
fn a_step_gets_the_same_record_whichever_way_it_comes() {
    let hooks = std::fs::read_to_string(of_clients("cases/hooks.toml")).unwrap();
    let folder = Folder::with_hooks(&hooks);
    let steps = steps();
    let expected = in_process(&folder, &steps);
    for decision in ["allow", "deny", "ask", "halt", "answered"] {
        let of = format!("\"decision\":\"{decision}\"");
        assert!(expected.iter().any(|record| record.contains(&of)), "{decision}");
    }
    assert_eq!(by_run(&folder, &steps), expected);
    let (_server, mut host) = Host::spawn_silent(&folder, &["--stdio", "-c", "hooks.toml"]);
    let (records, outcomes) = served(&mut host, &steps);
    assert_eq!(records, expected);
    let (server, mut silent) =
        Host::spawn_silent(&folder, &["--socket", "run/s.sock", "-c", "hooks.toml"]);
    drop(silent.out.take());
    server.wait_for("listening");
    let by_socket = served(&mut Host::connect(&folder, "run/s.sock"), &steps);
    assert_eq!(by_socket, (expected.clone(), outcomes.clone()));
    let (_listening, http) = crate::http_client::listening(&folder, &[]);
    assert_eq!(served(&mut http.host(), &steps), (expected, outcomes.clone()), "HTTP");
    let python = client("python3", &["-m", "tests.cases"], "python");
    assert_eq!(by_client(&folder, python), outcomes, "Python");
    if needs::program("node") {
        let node = client("node", &["test/cases.js"], "typescript");
        assert_eq!(by_client(&folder, node), outcomes, "TypeScript");
    }
    if needs::program("go") {
        let go = client("go", &["run", "./internal/cases"], "go");
        assert_eq!(by_client(&folder, go), outcomes, "Go");
    }
}
