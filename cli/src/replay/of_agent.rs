//! Steps as an agent tells them: what it sends to its hooks, or the transcript of a session.
//!
//! Of transcripts, those of Claude Code are read: a prompt, each call of a tool, and its result.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;

use hookgate::contract::dialect::Dialect;
use serde_json::{Map, Value, json};

use crate::input::now;

/// The agent whose transcripts are read.
const WITH_TRANSCRIPTS: &str = "claude";

/// A step that an agent has told.
#[derive(Debug, PartialEq)]
pub(super) struct Told {
    /// The step, as an envelope of ours.
    pub(super) envelope: Map<String, Value>,
    /// When it was, if the line says it.
    pub(super) time: Option<SystemTime>,
}

/// Reads the lines of an agent.
#[derive(Debug)]
pub(super) struct AgentLines {
    dialect: Arc<dyn Dialect>,
    /// The calls whose results may come: the name of the tool and its arguments, by the id of the call.
    calls: HashMap<String, (Value, Value)>,
}

impl AgentLines {
    pub(super) fn new(dialect: Arc<dyn Dialect>) -> Self {
        Self { dialect, calls: HashMap::new() }
    }

    /// Reads a line, which has any number of steps.
    ///
    /// # Errors
    /// Why it is none of the agent's.
    pub(super) fn read(&mut self, line: Map<String, Value>) -> Result<Vec<Told>, String> {
        let time =
            line.get("timestamp").and_then(Value::as_str).and_then(|text| now::read(text).ok());
        let natives = match self.is_transcript(&line) {
            true => self.of_transcript(&line),
            false => vec![line],
        };
        let told = natives.into_iter().map(|native| {
            let step = self.dialect.read(None, native).map_err(|error| error.to_string())?;
            Ok(Told { envelope: step.envelope, time })
        });
        told.collect()
    }

    fn is_transcript(&self, line: &Map<String, Value>) -> bool {
        self.dialect.name() == WITH_TRANSCRIPTS
            && line.contains_key("type")
            && !line.contains_key("hook_event_name")
    }

    /// Returns what Claude Code has sent to its hooks when it wrote this line.
    fn of_transcript(&mut self, line: &Map<String, Value>) -> Vec<Map<String, Value>> {
        let word = |key: &str| line.get(key).cloned().unwrap_or_default();
        // What Claude Code has put in itself is no prompt.
        let is_its_own = line.get("isMeta") == Some(&Value::Bool(true));
        let message = word("message");
        let content = message.get("content").cloned().unwrap_or_default();
        let blocks = match (&content, word("type").as_str()) {
            (Value::String(prompt), Some("user")) if !is_its_own => {
                vec![json!({"hook_event_name": "UserPromptSubmit", "prompt": prompt})]
            }
            (Value::Array(blocks), _) => {
                blocks.iter().filter_map(|block| self.of_block(block)).collect()
            }
            _ => Vec::new(),
        };
        let steps = blocks.into_iter().filter_map(|step| {
            let Value::Object(mut step) = step else { return None };
            step.insert("session_id".to_owned(), word("sessionId"));
            step.insert("cwd".to_owned(), word("cwd"));
            Some(step)
        });
        steps.collect()
    }

    fn of_block(&mut self, block: &Value) -> Option<Value> {
        let part = |key: &str| block.get(key).cloned().unwrap_or_default();
        match block.get("type")?.as_str()? {
            "tool_use" => {
                let id = part("id");
                let (name, input) = (part("name"), part("input"));
                self.calls.insert(id.as_str()?.to_owned(), (name.clone(), input.clone()));
                Some(json!({
                    "hook_event_name": "PreToolUse", "tool_name": name, "tool_input": input, "tool_use_id": id,
                }))
            }
            "tool_result" => {
                let id = part("tool_use_id");
                let (name, input) = self.calls.remove(id.as_str()?)?;
                let said = part("content");
                Some(match block.get("is_error") == Some(&Value::Bool(true)) {
                    true => json!({
                        "hook_event_name": "PostToolUseFailure", "tool_name": name, "tool_input": input,
                        "tool_use_id": id, "error": text(&said),
                    }),
                    false => json!({
                        "hook_event_name": "PostToolUse", "tool_name": name, "tool_input": input,
                        "tool_use_id": id, "tool_response": said,
                    }),
                })
            }
            _ => None,
        }
    }
}

/// Returns the text of a result.
fn text(said: &Value) -> String {
    match said {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        said => said.to_string(),
    }
}
