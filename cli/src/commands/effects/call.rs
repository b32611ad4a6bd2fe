//! A tool call, as much of its step as its effects depend on.

use hookgate::contract::json::Integers;
use hookgate::envelope::Incoming;
use serde_json::{Value, json};

use crate::input::envelope::{self, Unreadable};

/// A tool call.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    /// The tool; `None` if the step is about none.
    pub(super) tool_name: Option<String>,
    pub(super) tool_input: Value,
    /// The folder of the session.
    pub(super) cwd: Option<String>,
}

impl Call {
    /// A call of Bash.
    pub(super) fn of_command(text: String) -> Self {
        let tool_input = json!({ "command": text });
        Self { tool_name: Some("Bash".to_owned()), tool_input, cwd: None }
    }

    /// Reads a step. `tool_name`, `tool_input` and `cwd` are enough: effects depend on nothing else.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let mut map = envelope::object(bytes, Integers::default())?;
        let cwd = match map.get("cwd") {
            None | Some(Value::Null) => None,
            Some(Value::String(cwd)) => Some(cwd.clone()),
            Some(_) => return Err(Unreadable::at_start("`cwd` must be a string")),
        };
        match map.remove("tool_name") {
            Some(Value::String(tool)) => {
                let tool_input = map.remove("tool_input").unwrap_or_default();
                Ok(Self { tool_name: Some(tool), tool_input, cwd })
            }
            Some(_) => Err(Unreadable::at_start("`tool_name` must be a string")),
            None if !map.contains_key("hook_event_name") => Err(Unreadable::at_start(
                "a step has `tool_name` and `tool_input`; without a tool it has `hook_event_name`",
            )),
            // The event says whether a tool had to be there.
            None => match Incoming::from_object(map) {
                Ok(_) => Ok(Self { tool_name: None, tool_input: Value::Null, cwd }),
                Err(error) => Err(Unreadable::at_start(error.to_string())),
            },
        }
    }

    /// Returns the name of the tool; it is empty without one.
    pub(super) fn name(&self) -> &str {
        self.tool_name.as_deref().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_needs_its_tool_only() {
        let call = Call::read(br#"{"tool_name":"Read","tool_input":{"file_path":"a"}}"#).unwrap();
        assert_eq!((call.name(), &call.tool_input), ("Read", &json!({"file_path": "a"})));
        assert_eq!(Call::read(br#"{"hook_event_name":"stop"}"#).unwrap().name(), "");
    }

    #[test]
    fn a_step_whose_tool_is_missing_is_a_mistake() {
        let message = |text: &str| Call::read(text.as_bytes()).unwrap_err().message;
        let gate = r#"{"hook_event_name":"pre_tool_use","tool_nam":"Bash","tool_input":{}}"#;
        assert!(message(gate).contains("tool_name"), "{}", message(gate));
        assert!(message("{}").contains("a step has `tool_name`"));
        assert!(message(r#"{"tool_name":1}"#).contains("must be a string"));
        assert!(message(r#"{"tool_name":"a","cwd":1}"#).contains("`cwd` must be a string"));
    }
}
