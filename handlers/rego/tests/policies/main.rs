//! Promise: a policy in Rego is asked about a step, and what it says is what counts.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod answers;
mod evaluation;
mod loading;

use hookgate_contract::payload::{AnyPayload, ToolCall};
use hookgate_contract::settings::{Node, Settings};
use hookgate_contract::{
    BuildContext, BuiltHandler, Envelope, Handler, HandlerKind, Invocation, Reply, StepContext,
    StepId,
};
use serde_json::{Value, json};

/// A folder with a policy.
struct Policy {
    folder: tempfile::TempDir,
    settings: Value,
}

impl Policy {
    /// Makes a policy of a text; the package is `hookgate`.
    fn new(query: &str, rules: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let policy = Self { folder, settings: json!({"file": "policy.rego", "query": query}) };
        policy.write("policy.rego", &format!("package hookgate\n\n{rules}\n"));
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
        let (_, build) = kind.factories().next().unwrap();
        let built = build(&mut settings, &context);
        let errors: Vec<String> = settings.finish().iter().map(ToString::to_string).collect();
        if errors.is_empty() { Ok(built.unwrap()) } else { Err(errors.join("\n")) }
    }

    fn built(&self) -> BuiltHandler {
        self.load(&hookgate_rego::kind()).unwrap()
    }

    fn errors(&self) -> String {
        self.load(&hookgate_rego::kind()).err().unwrap_or_else(|| "it loads".to_owned())
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
    let Handler::Sync(handler) = &built.handler else { panic!("it answers at once") };
    let (context, id) = (StepContext::new("s").cwd("/srv"), StepId::new(Some("1"), String::new));
    let envelope = Envelope::new(payload, &context, &id, 1, 1 << 20);
    handler.handle(Invocation::new("policy", &envelope))
}
