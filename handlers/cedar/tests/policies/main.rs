//! Promise: policies in Cedar are asked about a step, and what they say is what counts.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod decisions;
mod loading;
mod requests;

use hookgate_contract::payload::{AnyPayload, ToolCall};
use hookgate_contract::settings::{Node, Settings};
use hookgate_contract::{
    BuildContext, BuiltHandler, Envelope, Event, Handler, HandlerKind, Invocation, Reply,
    StepContext, StepId,
};
use serde_json::{Value, json};

/// A folder with policies.
struct Policy {
    folder: tempfile::TempDir,
    settings: Value,
}

impl Policy {
    fn new(policies: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let policy = Self { folder, settings: json!({"policies": "policy.cedar"}) };
        policy.write("policy.cedar", policies);
        policy
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    fn set(mut self, key: &str, value: Value) -> Self {
        self.settings[key] = value;
        self
    }

    /// Builds the handler, or returns all that is wrong.
    fn load(&self, kind: &HandlerKind) -> Result<BuiltHandler, String> {
        let node = Node::from_json(&self.settings);
        let mut settings = Settings::new(&node);
        let context = BuildContext::new(self.folder.path(), 64 * 1024);
        let context = context.at(&[Event::PreToolUse, Event::SessionEnd]);
        let (_, build) = kind.factories().next().unwrap();
        let built = build(&mut settings, &context);
        let errors: Vec<String> = settings.finish().iter().map(ToString::to_string).collect();
        if errors.is_empty() { Ok(built.unwrap()) } else { Err(errors.join("\n")) }
    }

    fn built(&self) -> BuiltHandler {
        self.load(&hookgate_cedar::kind()).unwrap()
    }

    fn errors(&self) -> String {
        self.load(&hookgate_cedar::kind()).err().unwrap_or_else(|| "it loads".to_owned())
    }

    /// Asks about a command of `Bash`.
    fn ask(&self, command: &str) -> Reply {
        ask(&self.built(), &bash(command))
    }
}

fn bash(command: &str) -> ToolCall {
    ToolCall::new("Bash", json!({"command": command}))
}

fn ask(built: &BuiltHandler, payload: &dyn AnyPayload) -> Reply {
    ask_as(built, payload, StepContext::new("s").cwd("/srv"))
}

fn ask_as(built: &BuiltHandler, payload: &dyn AnyPayload, context: StepContext<'_>) -> Reply {
    let Handler::Sync(handler) = &built.handler else { panic!("it answers at once") };
    let id = StepId::new(Some("1"), String::new);
    let envelope = Envelope::new(payload, &context, &id, 1, 1 << 20);
    handler.handle(Invocation::new("policy", &envelope))
}

/// The decision and the reason of a reply.
fn said(reply: Reply) -> (String, String) {
    let verdict = reply.unwrap();
    let parts = verdict.parts().unwrap();
    (parts.decision.unwrap().to_string(), parts.reason.clone().unwrap_or_default())
}

fn is(decision: &str, reason: &str) -> (String, String) {
    (decision.to_owned(), reason.to_owned())
}
