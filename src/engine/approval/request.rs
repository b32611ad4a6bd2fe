//! What a person is asked.

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{StepContext, visible};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::clock;
use crate::config_hash::ConfigHash;
use crate::decision::Decision;
use crate::digest::digest;
use crate::generation::Generation;
use crate::hook_id::HookId;
use crate::panic_boundary::catch;

/// A question to a person: what would happen, who asks, and why. It holds what would run, not what the model says of
/// it.
///
/// It is not redacted: who answers must see what would run. A host that keeps it beside other records seals it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The id: the same for the same step of a session with the same arguments.
    pub id: String,
    /// The event.
    pub event: String,
    /// The session.
    pub session_id: String,
    /// The step, as hooks and records know it.
    pub step_id: String,
    /// The agent, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The folder that the session works in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The step as it would happen, after all rewriters: the fields of its payload.
    pub step: Map<String, Value>,
    /// The SHA-256 of event, session and step as canonical JSON (RFC 8785): `sha256:` and 64 hexadecimal digits.
    pub digest: String,
    /// The SHA-256 of what would happen, whoever asks and when: of event and step without session and id of the call. A
    /// grant is for this.
    pub action: String,
    /// Why the hooks ask.
    pub question: String,
    /// The hooks that ask.
    pub by: Vec<HookId>,
    /// What these hooks are made of: a grant ends when it changes.
    pub asking: ConfigHash,
    /// The table that has evaluated the step.
    pub generation: Generation,
    /// When it was asked, in milliseconds since 1970.
    pub asked: u64,
}

impl ApprovalRequest {
    /// Makes the question about a step. `None` if its payload cannot be written as a JSON object.
    pub(crate) fn of(
        payload: &dyn AnyPayload,
        decision: &Decision,
        asking: ConfigHash,
        context: &StepContext<'_>,
    ) -> Option<Self> {
        let Ok(Ok(Value::Object(step))) = catch("the payload", || payload.to_value()) else {
            return None;
        };
        let event = payload.event_name().to_owned();
        let session_id = context.session_id.to_owned();
        let of_step = digest_of(&event, &session_id, &step);
        let step_id = decision.step_id.clone().unwrap_or_default();
        let id = digest(&json!([of_step, step_id]));
        Some(Self {
            id: id.trim_start_matches("sha256:").chars().take(32).collect(),
            event,
            session_id,
            step_id,
            agent_id: context.agent_id.map(str::to_owned),
            cwd: context.cwd.map(str::to_owned),
            action: action(payload.event_name(), &step),
            digest: of_step,
            step,
            question: decision.reason.clone().unwrap_or_default(),
            by: decision.by.to_vec(),
            asking,
            generation: decision.generation,
            asked: clock::unix_ms(),
        })
    }

    /// Whether the digest is that of the step in it.
    pub(super) fn is_whole(&self) -> bool {
        self.digest == digest_of(&self.event, &self.session_id, &self.step)
    }

    /// Returns the step as lines to be shown, `name: value`, the name of a tool first: a text as it is, line by line, the
    /// fields of an object one by one, anything else as JSON. What
    /// cannot be seen, or changes the order of what is seen, is replaced by a mark, and a line after it says so.
    ///
    /// ```
    /// use hookgate::{Engine, Event, Gate, HandlerTable, Hook, HookEngine, StepContext, ToolUse, Verdict};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let hook = Hook::sync("confirm", |_| Ok(Verdict::ask("really?"))).event(Event::PreToolUse);
    /// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?);
    /// let context = StepContext::new("s");
    /// let bash = ToolUse::propose("Bash", r#"{"command":"echo \u202e cod.exe"}"#).unwrap();
    /// let Gate::Asked(asked) = engine.dispatch(bash, &context).await else { panic!() };
    /// let shown = asked.request(&engine, &context).unwrap().shown();
    /// assert_eq!(shown[0], "tool_name: Bash");
    /// assert_eq!(shown[1], "tool_input.command: echo \u{fffd} cod.exe");
    /// assert_eq!(shown[2], "  (1 hidden character)");
    /// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn shown(&self) -> Vec<String> {
        let mut fields: Vec<(&String, &Value)> = self.step.iter().collect();
        fields.sort_by_key(|(name, _)| *name != "tool_name");
        let mut lines = Vec::new();
        for (name, value) in fields {
            match value {
                Value::Object(inner) if !inner.is_empty() => {
                    let inner = inner.iter().map(|(key, value)| (format!("{name}.{key}"), value));
                    lines.extend(inner.flat_map(|(name, value)| shown(&name, value)));
                }
                _ => lines.extend(shown(name, value)),
            }
        }
        lines
    }
}

fn shown(name: &str, value: &Value) -> Vec<String> {
    let text = match value {
        Value::String(text) => format!("{name}: {text}"),
        other => format!("{name}: {other}"),
    };
    let is_shown = |c: char| matches!(c, '\n' | '\t') || !visible::is_hidden(c);
    let hidden = text.chars().filter(|c| !is_shown(*c)).count();
    let mark = |c: char| if is_shown(c) { c } else { '\u{fffd}' };
    let text: String = text.chars().map(mark).collect();
    let mut lines = text.split('\n');
    let mut out = vec![lines.next().unwrap_or_default().to_owned()];
    out.extend(lines.map(|line| format!("  {line}")));
    match hidden {
        0 => {}
        1 => out.push("  (1 hidden character)".to_owned()),
        many => out.push(format!("  ({many} hidden characters)")),
    }
    out
}

fn digest_of(event: &str, session_id: &str, step: &Map<String, Value>) -> String {
    digest(&json!({"event": event, "session_id": session_id, "step": step}))
}

/// Returns the digest of what would happen.
fn action(event: &str, step: &Map<String, Value>) -> String {
    let names_call = |name: &str| name == "tool_use_id";
    let of_step = step.iter().filter(|(name, _)| !names_call(name));
    let step: Map<_, _> = of_step.map(|(name, value)| (name.clone(), value.clone())).collect();
    digest(&json!({"event": event, "step": step}))
}
