//! The strict parser of verdicts, and the search for a decision in bytes that it refuses.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{Answer, Parts, ReasonCode, VerdictDecision};
use crate::contribution::Contribution;
use crate::json;
use hookgate_input::quote::{self, Quoted};

const KEYS: [&str; 10] = [
    "decision",
    "reason",
    "reason_code",
    "patch",
    "context",
    "message",
    "answer",
    "contributions",
    "annotations",
    "payload",
];

/// Keys by which the verdicts of other agents are known.
const FOREIGN: [&str; 8] = [
    "hookSpecificOutput",
    "hook_specific_output",
    "permissionDecision",
    "permission",
    "continue",
    "stopReason",
    "systemMessage",
    "suppressOutput",
];

pub(super) struct Reader(Map<String, Value>);

impl Reader {
    /// Reads the parts of a verdict, or says what is wrong.
    pub(super) fn read(bytes: &[u8]) -> Result<Parts, String> {
        if bytes.starts_with(b"\xef\xbb\xbf") {
            return Err("the answer begins with a byte order mark; print plain UTF-8".into());
        }
        // Whether integers beyond ±(2^53−1) are taken is known to the table, which looks at them again.
        match json::parse_with(bytes, json::Integers::Exact) {
            Ok(Value::Object(map)) => Self(map).parts(),
            Ok(other) => Err(format!("the answer is {}, not a JSON object", type_name(&other))),
            Err(error) => Err(format!("the answer is not one JSON object: {error}")),
        }
    }

    fn parts(mut self) -> Result<Parts, String> {
        if let Some(key) = self.0.keys().find(|key| !KEYS.contains(&key.as_str())) {
            return Err(unknown_key(key));
        }
        let parts = Parts {
            decision: self.take("decision", decision)?,
            reason: self.take("reason", text)?,
            reason_code: self.take("reason_code", reason_code)?,
            patch: self.take("patch", object)?.unwrap_or_default(),
            context: self.take("context", texts)?.unwrap_or_default(),
            message: self.take("message", text)?,
            answer: self.take("answer", answer)?,
            contributions: self.take("contributions", contributions)?.unwrap_or_default(),
            annotations: self.take("annotations", object)?.unwrap_or_default(),
            payload: self.0.remove("payload"),
            note: None,
        };
        if parts.decision.is_none() && (parts.reason.is_some() || parts.reason_code.is_some()) {
            return Err("there is a `reason` but no `decision`: say which".into());
        }
        Ok(parts)
    }

    fn take<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(Value) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        match self.0.remove(key) {
            None => Ok(None),
            Some(value) => read(value).map(Some).map_err(|wrong| format!("`{key}` {wrong}")),
        }
    }
}

fn decision(value: Value) -> Result<VerdictDecision, String> {
    let name = text(value)?;
    VerdictDecision::from_name(&name).ok_or_else(|| {
        let mut wrong = format!("is `{}`, not one of allow, ask, deny, halt", Quoted(&name));
        if matches!(name.as_str(), "block" | "approve") {
            wrong.push_str(LOOKS_FOREIGN);
        }
        wrong
    })
}

fn reason_code(value: Value) -> Result<ReasonCode, String> {
    let name = text(value)?;
    ReasonCode::from_name(&name).ok_or_else(|| {
        format!(
            "is `{}`, not one of policy_violation, safety_violation, schema_violation",
            Quoted(&name)
        )
    })
}

fn text(value: Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(format!("must be a string, not {}", type_name(&other))),
    }
}

fn texts(value: Value) -> Result<Vec<String>, String> {
    match value {
        Value::Array(all) => all.into_iter().map(text).collect(),
        other => Err(format!("must be an array of strings, not {}", type_name(&other))),
    }
}

fn object(value: Value) -> Result<Map<String, Value>, String> {
    match value {
        Value::Object(map) => Ok(map),
        other => Err(format!("must be an object, not {}", type_name(&other))),
    }
}

fn answer(value: Value) -> Result<Answer, String> {
    serde_json::from_value(value)
        .map_err(|error| format!("is no answer: {}", quote::message(&error.to_string())))
}

fn contributions(value: Value) -> Result<Vec<Contribution>, String> {
    serde_json::from_value(value)
        .map_err(|error| format!("cannot be read: {}", quote::message(&error.to_string())))
}

fn unknown_key(key: &str) -> String {
    let mut wrong = format!("unknown key `{}`", Quoted(key));
    if FOREIGN.contains(&key) {
        wrong.push_str(LOOKS_FOREIGN);
    } else if let Some(near) = hookgate_input::suggest::nearest(key, &KEYS) {
        wrong.push_str(&format!("; did you mean `{near}`?"));
    }
    wrong
}

const LOOKS_FOREIGN: &str = "; this looks like the answer of a hook for another agent: print \
    hookgate's verdict instead, such as {\"decision\":\"deny\",\"reason\":\"…\"}";

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Looks for the strictest ask, deny or halt in bytes that are no verdict: at the top level of
/// every object that can be read, and in the whole text where reading fails. Upper and lower case
/// are the same here. It takes time in proportion to the text.
pub(super) fn salvage(bytes: &[u8]) -> Option<VerdictDecision> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let mut found = None;
    for value in serde_json::Deserializer::from_str(text).into_iter::<Found>() {
        match value {
            Ok(Found(word)) => found = found.max(word),
            Err(_) => {
                found = found.max(written(text));
                break;
            }
        }
    }
    found.filter(|word| *word > VerdictDecision::Allow)
}

/// The strictest ask, deny or halt that is written in bytes, at whatever depth.
pub(super) fn anywhere(bytes: &[u8]) -> Option<VerdictDecision> {
    written(&String::from_utf8_lossy(bytes)).filter(|word| *word > VerdictDecision::Allow)
}

/// The decision that a word in a refused verdict was meant as, whatever its case; the words of
/// other agents are known, too.
fn meant(name: &str) -> Option<VerdictDecision> {
    match &*name.trim().to_ascii_lowercase() {
        "block" | "blocked" | "denied" | "forbid" | "reject" | "rejected" => {
            Some(VerdictDecision::Deny)
        }
        ours => VerdictDecision::from_name(ours),
    }
}

/// The strictest decision that is written in a text, wherever it stands: as JSON with a quote or a
/// newline that was not escaped, as JSON in a string, as the dictionary of another language, in
/// UTF-16. Each letter is looked at a bounded number of times.
fn written(text: &str) -> Option<VerdictDecision> {
    const KEY: &str = "decision";
    let text = text.replace('\0', "").to_ascii_lowercase();
    let around = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '\\' | '*');
    let word = |(at, key): (usize, &str)| {
        let (before, after) = text.split_at_checked(at)?;
        let before = before.strip_suffix("permission").unwrap_or(before);
        if before.ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            return None;
        }
        let value = after.strip_prefix(key)?.trim_start_matches(around);
        let value = value.strip_prefix([':', '='])?.trim_start_matches(around);
        let letters = value.bytes().take(16).take_while(u8::is_ascii_alphabetic).count();
        meant(value.get(..letters)?)
    };
    text.match_indices(KEY).filter_map(word).max()
}

/// The strictest decision at the top level of the objects in one JSON value.
struct Found(Option<VerdictDecision>);

impl<'de> Deserialize<'de> for Found {
    fn deserialize<D: Deserializer<'de>>(parser: D) -> Result<Self, D::Error> {
        parser.deserialize_any(Salvage).map(Self)
    }
}

struct Salvage;

impl<'de> Visitor<'de> for Salvage {
    type Value = Option<VerdictDecision>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        // A verdict that was encoded twice is a string.
        Ok(written(text))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(Found(word)) = items.next_element()? {
            found = found.max(word);
        }
        Ok(found)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = entries.next_key::<Cow<'_, str>>()? {
            let key = key.trim().to_ascii_lowercase();
            if matches!(&*key, "decision" | "permissiondecision" | "permission") {
                if let Value::String(name) = entries.next_value()? {
                    found = found.max(meant(&name));
                }
            } else if matches!(&*key, "hookspecificoutput" | "hook_specific_output") {
                found = found.max(entries.next_value::<Found>()?.0);
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}
