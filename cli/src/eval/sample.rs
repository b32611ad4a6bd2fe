//! A step that a hook is measured with.

use data_encoding::HEXLOWER;
use hmac_sha256::Hash;
use hookgate::contract::{json, visible};
use hookgate::envelope::Incoming;
use serde_json::{Map, Value};

/// How many characters of a step are shown.
const SUMMARY: usize = 100;

/// How many bytes of the hash a key has. Even in a gold set of a million steps, two keys are the same
/// with a chance of about one in 40 million.
const KEY_BYTES: usize = 8;

/// A step that a hook evaluates, as its envelope.
///
/// ```
/// use hookgate_cli::eval::Sample;
/// use serde_json::json;
///
/// let step = json!({"hook_event_name": "pre_tool_use", "tool_name": "Bash",
///     "tool_input": {"command": "git push --force"}, "step_id": "7"});
/// let sample = Sample::from_value(step)?;
/// assert_eq!(sample.summary(), r#"Bash "git push --force""#);
/// # Ok::<_, hookgate_cli::eval::SampleError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sample {
    key: String,
    key_of_version_1: String,
    envelope: Map<String, Value>,
}

/// Why a JSON value is not a step: it is not an object, or not an envelope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SampleError(String);

impl Sample {
    /// Reads an envelope, except for its `step_id`: a judge must not find anything in it.
    ///
    /// # Errors
    /// Why the value is not an envelope.
    pub fn from_value(value: Value) -> Result<Self, SampleError> {
        let Value::Object(mut envelope) = value else {
            return Err(SampleError("the envelope is not a JSON object".to_owned()));
        };
        Incoming::from_object(envelope.clone()).map_err(|error| SampleError(error.to_string()))?;
        envelope.remove("step_id");
        let value = Value::Object(envelope.clone());
        let key = content_key(&value);
        let key_of_version_1 = format!("{:016x}", fnv1a(value.to_string().as_bytes()));
        Ok(Self { key, key_of_version_1, envelope })
    }

    /// Returns the key that the step has in a recording: the first 8 bytes of the SHA-256 of its
    /// canonical JSON (RFC 8785), in hex. The same content has the same key in every version.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the key that the step has in a recording of a version of the format.
    pub(crate) fn key_in_version(&self, version: u32) -> &str {
        if version == 1 { &self.key_of_version_1 } else { &self.key }
    }

    /// Returns the step under a name, to be evaluated.
    pub(crate) fn incoming(&self, step_id: String) -> Option<Incoming> {
        // `from_value` has read the same envelope.
        let mut incoming = Incoming::from_object(self.envelope.clone()).ok()?;
        incoming.header.step_id = Some(step_id);
        Some(incoming)
    }

    /// Returns the step in a few words and on one line, safe to print: the tool or the event, and
    /// what it does.
    #[must_use]
    pub fn summary(&self) -> String {
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
        visible::line(&format!("{name} {}", text.unwrap_or_default()), SUMMARY)
    }
}

fn content_key(value: &Value) -> String {
    let hash = Hash::hash(json::canonical(value).as_bytes());
    HEXLOWER.encode(hash.get(..KEY_BYTES).unwrap_or(&hash))
}

/// Returns the FNV-1a hash of 64 bits, which version 1 of the recordings used.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(json: &str) -> Sample {
        Sample::from_value(serde_json::from_str(json).unwrap()).unwrap()
    }

    #[test]
    fn the_key_is_that_of_the_content() {
        let bash = r#"{"hook_event_name":"pre_tool_use","tool_name":"Bash","tool_input":{}}"#;
        let named = r#"{"step_id":"x","tool_name":"Bash","tool_input":{},"hook_event_name":"pre_tool_use"}"#;
        let read = r#"{"hook_event_name":"pre_tool_use","tool_name":"Read","tool_input":{}}"#;
        assert_eq!(sample(bash).key(), sample(named).key());
        assert_ne!(sample(bash).key(), sample(read).key());
    }

    #[test]
    fn the_key_stays_the_same_in_every_build() {
        let stop = sample(r#"{"hook_event_name":"stop"}"#);
        // The first 16 digits of `printf '{"hook_event_name":"stop"}' | sha256sum`.
        assert_eq!(stop.key(), "313c615162dda827");
        assert_eq!(stop.key_in_version(2), stop.key());
    }

    #[test]
    fn the_published_vectors_of_fnv1a() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn what_is_not_an_envelope_is_refused() {
        let refused = |value: Value| Sample::from_value(value).unwrap_err().to_string();
        assert_eq!(refused(Value::from(1)), "the envelope is not a JSON object");
        assert!(refused(serde_json::json!({})).contains("hook_event_name"));
    }
}
