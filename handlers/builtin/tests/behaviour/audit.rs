//! Promise: `audit` logs a step without its payload, and only if a subscriber listens.

use std::io::Write;
use std::sync::{Arc, Mutex};

use hookgate_contract::payload::ToolCall;
use hookgate_contract::{Envelope, Handler, Invocation, StepContext, Verdict};
use hookgate_contract::{Observed, StepId};
use hookgate_test_support::listeners;
use serde_json::json;
use tracing::Level;

use crate::support::build;

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What `audit` writes for a decided step while events of this level are listened to.
fn logged(settings: &serde_json::Value, listening: Level) -> String {
    listeners::keep_second();
    let log = Log::default();
    let to = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(listening)
        .with_ansi(false)
        .with_writer(move || to.clone())
        .finish();
    let call = ToolCall::new("Bash", json!({"command": "echo hunter2"}));
    let context = StepContext::new("session-1");
    let id = StepId::new(None, || "made-step".into());
    let observed = Observed::new("deny", vec!["a", "b"], None, &[]);
    let envelope = Envelope::new(&call, &context, &id, 1, 1 << 20).decided(&observed);
    let Handler::Sync(handler) = build("audit", settings).unwrap().handler else { unreachable!() };
    tracing::subscriber::with_default(subscriber, || {
        assert_eq!(handler.handle(Invocation::new("hook", &envelope)), Ok(Verdict::none()));
    });
    String::from_utf8(log.0.lock().unwrap().clone()).unwrap()
}

#[test]
fn a_step_is_logged_without_its_payload() {
    for level in ["trace", "debug", "info", "warn", "error"] {
        let line = logged(&json!({ "level": level }), Level::TRACE);
        assert!(line.contains(&format!("{} hookgate::audit", level.to_uppercase())), "{line}");
        for part in ["pre_tool_use", "session-1", "made-step", "Bash", "deny", "a,b"] {
            assert!(line.contains(part), "{part} in {line}");
        }
        assert!(!line.contains("hunter2"), "{line}");
    }
}

#[test]
fn without_a_listener_nothing_is_written() {
    assert_eq!(logged(&json!({}), Level::WARN), "");
    assert!(logged(&json!({}), Level::INFO).contains("INFO"));
}
