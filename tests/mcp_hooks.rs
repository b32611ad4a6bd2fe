//! Promise: a tool of an MCP server is a guard like any other, over stdio and over HTTP: what it denies
//! does not happen, and whatever goes wrong counts as the posture of the hook.
#![cfg(feature = "mcp")]
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use hookgate::config::Loader;
use hookgate::{Engine, Gate, HookEngine, Registry, StepContext, ToolUse};
use hookgate_test_support::needs;

/// A server whose tool `scan` denies `rm`, and misbehaves as the command says.
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/handlers/mcp/tests/servers/server.py");

/// A server over HTTP; it ends with this value.
struct Service(Child, u16);

impl Service {
    fn start() -> Self {
        let mut command = Command::new("python3");
        command.args([SCRIPT, "--http"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut port = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut port).unwrap();
        Self(process, port.trim().parse().unwrap())
    }

    fn server(&self) -> String {
        let host = format!("127.0.0.1:{}", self.1);
        format!("{{ url = 'http://{host}/mcp', allow_loopback = ['{host}'] }}")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn process() -> String {
    format!("{{ command = ['python3', '{SCRIPT}'], grace = '100ms' }}")
}

/// An engine with one hook that asks a tool of a server; `keys` are further keys of the hook.
fn engine(server: &str, tool: &str, keys: &str) -> Engine {
    let text = format!(
        "[[hook]]\nid = 'h'\nevent = 'pre_tool_use'\n{keys}\nmcp = {{ server = {server}, tool = '{tool}' }}\n"
    );
    let registry = Registry::from_iter([hookgate::mcp::kind()]);
    let loaded = Loader::new(&registry).parse("hooks.toml", &text, Path::new("/"));
    Engine::new(loaded.unwrap_or_else(|errors| panic!("{errors}")).table)
}

/// What becomes of a command: cleared, asked or denied, and why.
async fn outcome(engine: &Engine, command: &str) -> (&'static str, String) {
    let arguments = serde_json::json!({"command": command}).to_string();
    let step = ToolUse::propose("Bash", arguments.as_str()).unwrap();
    match engine.dispatch(step, &StepContext::new("s")).await {
        Gate::Cleared(_) => ("cleared", String::new()),
        Gate::Denied(denied) => ("denied", denied.feedback()),
        Gate::Asked(asked) => ("asked", asked.question().to_owned()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_answer_of_the_tool_is_the_verdict() {
    if !needs::program("python3") {
        return;
    }
    let service = Service::start();
    for server in [process(), service.server()] {
        let engine = engine(&server, "scan", "");
        assert_eq!(outcome(&engine, "ls").await.0, "cleared", "{server}");
        let (state, reason) = outcome(&engine, "rm -rf /").await;
        assert_eq!(state, "denied", "{server}");
        assert!(reason.contains("no deletes"), "{server}: {reason}");
    }
}

/// A tool that fails, an error of the protocol, text that is no verdict, an unknown tool.
#[tokio::test]
async fn a_failure_counts_as_the_posture() {
    if !needs::program("python3") {
        return;
    }
    let service = Service::start();
    for server in [process(), service.server()] {
        for (keys, expected) in
            [("", "denied"), ("on_failure = 'ask'", "asked"), ("on_failure = 'allow'", "cleared")]
        {
            let scan = engine(&server, "scan", keys);
            for command in ["fail", "error", "prose"] {
                assert_eq!(outcome(&scan, command).await.0, expected, "{server} {keys} {command}");
            }
            // The control: what is denied is denied, whatever a failure counts as.
            assert_eq!(outcome(&scan, "rm").await.0, "denied", "{server} {keys}");
            let unknown = engine(&server, "scam", keys);
            assert_eq!(outcome(&unknown, "ls").await.0, expected, "{server} {keys}");
        }
    }
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_a_failure_at_the_deadline() {
    if !needs::program("python3") {
        return;
    }
    let service = Service::start();
    for server in [process(), service.server()] {
        for (keys, expected) in [("", "denied"), ("on_timeout = 'ask'", "asked")] {
            let engine = engine(&server, "scan", &format!("timeout = '2s'\n{keys}"));
            // The process is started by a call that it answers.
            assert_eq!(outcome(&engine, "ls").await.0, "cleared", "{server} {keys}");
            let begun = Instant::now();
            assert_eq!(outcome(&engine, "hang").await.0, expected, "{server} {keys}");
            assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        }
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_failure() {
    let nothing = "{ url = 'http://127.0.0.1:1/mcp', allow_loopback = ['127.0.0.1:1'] }";
    for server in ["{ command = ['/bin/false'] }", nothing] {
        for (keys, expected) in [("", "denied"), ("on_failure = 'ask'", "asked")] {
            let engine = engine(server, "scan", keys);
            assert_eq!(outcome(&engine, "ls").await.0, expected, "{server} {keys}");
        }
    }
}
