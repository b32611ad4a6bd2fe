//! A step that a hook is measured with.

use hookgate::envelope::Incoming;
use serde_json::{Map, Value};

use crate::text::one_line;

/// How much of a step is shown.
const SHOWN: usize = 100;

/// A step.
#[derive(Debug)]
pub(crate) struct Case {
    key: String,
    envelope: Map<String, Value>,
}

impl Case {
    /// A step; an error says why it is none.
    pub(crate) fn new(mut envelope: Map<String, Value>) -> Result<Self, String> {
        Incoming::from_object(envelope.clone()).map_err(|error| error.to_string())?;
        // Names of steps do not matter, and a judge must not find anything in them.
        envelope.remove("step_id");
        let text = Value::Object(envelope.clone()).to_string();
        Ok(Self { key: format!("{:016x}", fnv1a(text.as_bytes())), envelope })
    }

    /// What the step is known by in a record.
    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// The step, to be judged under a name.
    pub(crate) fn incoming(&self, step_id: String) -> Option<Incoming> {
        // It was read before.
        let mut incoming = Incoming::from_object(self.envelope.clone()).ok()?;
        incoming.header.step_id = Some(step_id);
        Some(incoming)
    }

    /// The step in a few words.
    pub(crate) fn shown(&self) -> String {
        let input = self.envelope.get("tool_input").or_else(|| self.envelope.get("prompt"));
        let text = match input {
            Some(Value::Object(input)) if input.len() == 1 => {
                input.values().next().map(Value::to_string)
            }
            Some(Value::String(text)) => Some(text.clone()),
            other => other.map(Value::to_string),
        };
        let name = self.envelope.get("tool_name").or_else(|| self.envelope.get("hook_event_name"));
        let name = name.and_then(Value::as_str).unwrap_or_default();
        one_line(&format!("{name} {}", text.unwrap_or_default()), SHOWN)
    }
}

/// FNV-1a of 64 bits: the same in every version of every toolchain, so that records stay good.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_vectors_of_fnv1a() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn the_key_is_that_of_the_content() {
        let key =
            |json: &str| Case::new(serde_json::from_str(json).unwrap()).unwrap().key().to_owned();
        let bash = r#"{"hook_event_name":"pre_tool_use","tool_name":"Bash","tool_input":{}}"#;
        let named = r#"{"step_id":"x","tool_name":"Bash","tool_input":{},"hook_event_name":"pre_tool_use"}"#;
        let read = r#"{"hook_event_name":"pre_tool_use","tool_name":"Read","tool_input":{}}"#;
        assert_eq!(key(bash), key(named));
        assert_ne!(key(bash), key(read));
    }
}
