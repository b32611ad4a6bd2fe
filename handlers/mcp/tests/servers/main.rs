//! Promise: a tool or an interceptor of an MCP server answers, over stdio and over HTTP, and whatever is
//! wrong with server or answer is a failure that counts as no less than what was said.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod http;
mod interceptors;
mod loading;
mod stdio;
mod tools;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hookgate_contract::payload::{AnyPayload, ToolCall};
use hookgate_contract::settings::{Node, Settings};
use hookgate_contract::{
    BuildContext, BuiltHandler, Envelope, Event, Handler, Invocation, Reply, StepContext, StepId,
    VerdictDecision,
};
use serde_json::{Value, json};

/// The program of the server.
fn script() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers/server.py").display().to_string()
}

/// The settings of a hook that calls the tool `scan` of a process with the command of the step.
fn scan(flags: &[&str]) -> Value {
    let script = script();
    let command: Vec<&str> = ["python3", &script].iter().chain(flags).copied().collect();
    json!({
        "server": {"command": command},
        "tool": "scan",
        "arguments": {"command": "{{ tool_input.command }}"},
    })
}

/// A server over HTTP; it ends with this value.
struct Service {
    process: Child,
    port: u16,
}

impl Service {
    fn start(flags: &[&str]) -> Self {
        let mut command = Command::new("python3");
        command
            .arg(script())
            .arg("--http")
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { process, port: line.trim().parse().unwrap() }
    }

    /// The settings of a hook that calls the tool `scan` of the service.
    fn scan(&self) -> Value {
        let authority = format!("127.0.0.1:{}", self.port);
        json!({
            "server": {"url": format!("http://{authority}/mcp"), "allow_loopback": [authority]},
            "tool": "scan",
            "arguments": {"command": "{{ tool_input.command }}"},
        })
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Builds the handler, or returns all that is wrong. The config is in the folder of these tests.
fn load(written: &Value) -> Result<BuiltHandler, String> {
    load_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers"), written)
}

fn load_in(base: &Path, written: &Value) -> Result<BuiltHandler, String> {
    let node = Node::from_json(written);
    let mut settings = Settings::new(&node);
    let events = [Event::PreToolUse];
    let context = BuildContext::new(base, 64 * 1024).at(&events);
    let built = hookgate_mcp::build(&mut settings, &context);
    let errors: Vec<String> = settings.finish().iter().map(ToString::to_string).collect();
    if errors.is_empty() { Ok(built.unwrap()) } else { Err(errors.join("\n")) }
}

fn bash(command: &str) -> ToolCall {
    ToolCall::new("Bash", json!({"command": command}))
}

async fn ask(built: &BuiltHandler, payload: &dyn AnyPayload) -> Reply {
    let Handler::Async(handler) = &built.handler else { panic!("it waits") };
    let (context, id) = (StepContext::new("s").cwd("/srv"), StepId::new(Some("1"), String::new));
    let envelope = Envelope::new(payload, &context, &id, 1, 1 << 20);
    handler.handle(Invocation::new("hook", &envelope)).await
}

/// Asks, and gives up after a time. Returns the decision that was left behind.
async fn give_up(built: &BuiltHandler, command: &str, after: Duration) -> Option<VerdictDecision> {
    let Handler::Async(handler) = &built.handler else { panic!("it waits") };
    let call = bash(command);
    let (context, id) = (StepContext::new("s"), StepId::new(Some("1"), String::new));
    let envelope = Envelope::new(&call, &context, &id, 1, 1 << 20);
    let invocation = Invocation::new("hook", &envelope);
    let given_up = tokio::time::timeout(after, handler.handle(invocation)).await;
    assert!(given_up.is_err(), "{given_up:?}");
    invocation.take_salvaged()
}

/// The reason of a deny.
fn reason(reply: Reply) -> String {
    let verdict = reply.unwrap();
    let parts = verdict.parts().unwrap();
    assert_eq!(parts.decision, Some(VerdictDecision::Deny));
    parts.reason.clone().unwrap()
}
