//! Which hooks the user has reviewed. Codex records a hash of each reviewed hook, and which hooks are
//! switched off, in the config of the user.

use data_encoding::HEXLOWER;
use serde_json::{Map, Value};

use super::event::Event;
use super::limit;
use super::source::Source;
use super::timeouts;
use crate::foreign::Host;

/// The flag that leaves out the comparison of hashes for one run.
const BYPASS: &str = "--dangerously-bypass-hook-trust";

/// What is recorded about hooks.
#[derive(Debug)]
pub(super) struct Reviews<'a> {
    states: Vec<(String, Value)>,
    /// What holds for a hook about which nothing is recorded.
    default: bool,
    is_bypassed: bool,
    host: &'a Host,
}

impl<'a> Reviews<'a> {
    /// Reads what is recorded, the weakest file first. A project cannot vouch for itself: only what the
    /// user and the administrator wrote counts.
    pub(super) fn read(sources: &[Source<'_>], host: &'a Host) -> Self {
        let flags = host.facts.get("flags").and_then(Value::as_array);
        let is_flag = |flag: &Value| flag.as_str() == Some(BYPASS);
        let mut states = Vec::new();
        for source in sources.iter().filter(|source| source.may_record_reviews()) {
            let table = source.content().get("hooks").and_then(|hooks| hooks.get("state"));
            for (key, state) in table.and_then(Value::as_object).into_iter().flatten() {
                states.push((key.clone(), state.clone()));
            }
        }
        Self {
            states,
            default: host.facts.get("trusted").and_then(Value::as_bool).unwrap_or(true),
            is_bypassed: flags.is_some_and(|flags| flags.iter().any(is_flag)),
            host,
        }
    }

    /// Returns why a hook does not run, if so. `place` is the part of its key behind the file:
    /// `pre_tool_use:0:0`.
    pub(super) fn objection(&self, source: &Source<'_>, place: &str, hash: &str) -> Option<String> {
        if source.is_managed() {
            return None;
        }
        let is_meant = |key: &&(String, Value)| {
            let file = key.0.strip_suffix(place).and_then(|key| key.strip_suffix(':'));
            file.is_some_and(|file| source.is_called(file, self.host))
        };
        let recorded = |name: &str| {
            self.states.iter().rev().filter(is_meant).find_map(|(_, state)| state.get(name))
        };
        if recorded("enabled") == Some(&Value::Bool(false)) {
            return Some("it is switched off".to_owned());
        }
        if self.is_bypassed {
            return None;
        }
        match recorded("trusted_hash").and_then(Value::as_str) {
            Some(known) if digits(known) == digits(hash) => None,
            Some(_) => Some("it has changed since it was reviewed".to_owned()),
            None if self.default => None,
            None => Some("nobody has reviewed it".to_owned()),
        }
    }
}

fn digits(hash: &str) -> &str {
    hash.strip_prefix("sha256:").unwrap_or(hash)
}

/// Returns the hash under which Codex records the review of a hook: `sha256:…`. It is that of its event,
/// its matcher and its definition, with the defaults filled in; the file does not matter.
///
/// ```
/// use hookgate_agent_systems::codex::trust_hash;
/// use serde_json::json;
///
/// let short = trust_hash("PreToolUse", Some("Bash"), &json!({"type": "command", "command": "x"}));
/// let long = json!({"type": "command", "command": "x", "timeout": 600, "async": false});
/// assert_eq!(short, trust_hash("PreToolUse", Some("Bash"), &long));
/// assert_ne!(short, trust_hash("PreToolUse", None, &long));
/// ```
#[must_use]
pub fn trust_hash(event: &str, matcher: Option<&str>, hook: &Value) -> String {
    let known = Event::named(event);
    let mut identity = Map::new();
    let key = known.map_or_else(|| event.to_owned(), Event::key);
    identity.insert("event_name".to_owned(), key.into());
    identity.insert("hooks".to_owned(), vec![normal(known, hook)].into());
    if let Some(matcher) = matcher.filter(|_| known.is_none_or(Event::has_matcher)) {
        identity.insert("matcher".to_owned(), matcher.into());
    }
    let text = sorted(&Value::Object(identity)).to_string();
    format!("sha256:{}", HEXLOWER.encode(&hmac_sha256::Hash::hash(text.as_bytes())))
}

/// Fills in the defaults that matter, and leaves out what Codex does not know.
fn normal(event: Option<Event>, hook: &Value) -> Value {
    let kind = hook.get("type").and_then(Value::as_str).unwrap_or_default();
    let kept: &[&str] = match kind {
        "command" => &["type", "command", "statusMessage"],
        _ => &["type", "server", "tool", "statusMessage"],
    };
    let mut normal = Map::new();
    for name in kept {
        if let Some(value) = hook.get(name).filter(|value| !value.is_null()) {
            normal.insert((*name).to_owned(), value.clone());
        }
    }
    let seconds = timeouts::seconds(event, hook.get("timeout").and_then(Value::as_u64));
    normal.insert("timeout".to_owned(), seconds.into());
    if kind == "command" {
        let is_async = hook.get("async").and_then(Value::as_bool).unwrap_or_default();
        normal.insert("async".to_owned(), is_async.into());
        let tokens = hook.get("additionalContextLimit").and_then(Value::as_u64);
        if let Some(tokens) = tokens.filter(|tokens| *tokens != limit::DEFAULT_TOKENS) {
            normal.insert("additionalContextLimit".to_owned(), tokens.into());
        }
    } else {
        let input = hook.get("input").cloned().unwrap_or_else(|| Map::new().into());
        normal.insert("input".to_owned(), input);
    }
    Value::Object(normal)
}

/// Sorts the keys of all objects, whatever the map of `serde_json` does.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            let sort = |(name, value): (&String, &Value)| (name.clone(), sorted(value));
            Value::Object(fields.into_iter().map(sort).collect())
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::trust_hash;
    use serde_json::json;

    #[test]
    fn the_hash_is_that_of_the_definition_with_its_defaults() {
        // The text that is hashed was observed with Codex 0.169.0.
        let text = r#"{"event_name":"pre_tool_use","hooks":[{"async":false,"command":"./a","timeout":600,"type":"command"}]}"#;
        let expected = hmac_sha256::Hash::hash(text.as_bytes());
        let hook = json!({"type": "command", "command": "./a", "future": 1});
        assert_eq!(
            trust_hash("PreToolUse", None, &hook),
            format!("sha256:{}", data_encoding::HEXLOWER.encode(&expected))
        );
        let edited = json!({"type": "command", "command": "./b"});
        assert_ne!(trust_hash("PreToolUse", None, &hook), trust_hash("PreToolUse", None, &edited));
    }

    #[test]
    fn a_matcher_that_codex_ignores_does_not_count() {
        let hook = json!({"type": "command", "command": "./a"});
        assert_eq!(trust_hash("Stop", Some("x"), &hook), trust_hash("Stop", None, &hook));
    }
}
