//! What the tests share: building a handler from settings, invoking it, hooks that misbehave.

use std::path::{Path, PathBuf};

use hookgate_contract::BuildContext;
use hookgate_contract::StepId;
use hookgate_contract::payload::{AnyPayload, ToolCall};
use hookgate_contract::settings::{Node, Settings};
use hookgate_contract::{BuiltHandler, Envelope, Handler, Invocation, Reply, StepContext};
use serde_json::{Value, json};

/// How many bytes of stdout the handlers of these tests take.
pub(crate) const OUTPUT: usize = 64 * 1024;

/// Builds a handler in a folder, or tells what is wrong with its settings.
pub(crate) fn build_in(base: &Path, settings: &Value) -> Result<BuiltHandler, String> {
    let node = Node::from_json(settings);
    let mut settings = Settings::new(&node);
    let built = hookgate_command::build(&mut settings, &BuildContext::new(base, OUTPUT));
    let errors: Vec<_> = settings.finish().iter().map(ToString::to_string).collect();
    match built {
        Some(built) if errors.is_empty() => Ok(built),
        Some(_) => Err(errors.join("; ")),
        None => {
            assert!(!errors.is_empty(), "not built, and nothing says why");
            Err(errors.join("; "))
        }
    }
}

pub(crate) fn build(settings: &Value) -> BuiltHandler {
    build_in(Path::new("/"), settings).unwrap()
}

/// A handler that runs a text in the shell.
pub(crate) fn shell(text: &str) -> BuiltHandler {
    build(&json!({ "shell": text }))
}

/// Where the hook that misbehaves is.
pub(crate) fn hostile() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/faults/hostile.py")
}

/// A handler that misbehaves as its argument says, with further settings.
pub(crate) fn misbehaving(argument: &str, further: &Value) -> BuiltHandler {
    let mut settings = json!({"argv": ["python3", "-S", hostile(), argument]});
    if let (Value::Object(all), Value::Object(further)) = (&mut settings, further) {
        all.extend(further.clone());
    }
    build(&settings)
}

pub(crate) fn call() -> ToolCall {
    ToolCall::new("Bash", json!({"command": "ls"}))
}

pub(crate) async fn invoke(built: &BuiltHandler) -> Reply {
    invoke_with(built, &call(), &StepContext::new("session-1")).await
}

pub(crate) async fn invoke_with(
    built: &BuiltHandler,
    payload: &dyn AnyPayload,
    context: &StepContext<'_>,
) -> Reply {
    invoke_as(built, payload, context, None).await
}

/// Invokes a handler, as the run of this key if there is one.
pub(crate) async fn invoke_as(
    built: &BuiltHandler,
    payload: &dyn AnyPayload,
    context: &StepContext<'_>,
    key: Option<&str>,
) -> Reply {
    let id = StepId::new(Some("step-1"), String::new);
    let envelope = Envelope::new(payload, context, &id, 1, 4 << 20);
    let Handler::Async(handler) = &built.handler else { panic!("a program answers at once") };
    let invocation = Invocation::new("guard", &envelope);
    handler.handle(key.map_or(invocation, |key| invocation.keyed(key))).await
}

/// The text that the verdict of a handler adds.
pub(crate) async fn context_of(built: &BuiltHandler) -> String {
    invoke(built).await.unwrap().parts().unwrap().context.concat()
}

/// Small numbers that look random, the same in each run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below as u64).unwrap()
    }

    pub(crate) fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.next(of.len())]
    }
}
