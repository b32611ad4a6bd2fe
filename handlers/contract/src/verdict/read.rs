//! The strict parser of verdicts, and the search for a decision in bytes that it refuses.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::{Answer, Parts, ReasonCode, Word};
use crate::contribution::Contribution;
use crate::json;

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
        match json::parse(bytes) {
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

fn decision(value: Value) -> Result<Word, String> {
    let name = text(value)?;
    Word::from_name(&name).ok_or_else(|| {
        let mut wrong = format!("is `{}`, not one of allow, ask, deny, halt", shown(&name));
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
            shown(&name)
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
    serde_json::from_value(value).map_err(|error| format!("is no answer: {error}"))
}

fn contributions(value: Value) -> Result<Vec<Contribution>, String> {
    serde_json::from_value(value).map_err(|error| format!("cannot be read: {error}"))
}

fn unknown_key(key: &str) -> String {
    let mut wrong = format!("unknown key `{}`", shown(key));
    if FOREIGN.contains(&key) {
        wrong.push_str(LOOKS_FOREIGN);
    } else if let Some(near) = crate::near::nearest(key, &KEYS) {
        wrong.push_str(&format!("; did you mean `{near}`?"));
    }
    wrong
}

const LOOKS_FOREIGN: &str = "; this looks like the answer of a hook for another agent: print \
    hookgate's verdict instead, such as {\"decision\":\"deny\",\"reason\":\"…\"}";

/// A piece of what a handler wrote, short enough for a message.
fn shown(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(40) {
        None => text.into(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
    }
}

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
/// every object that can be read, and in the whole text where reading fails.
pub(super) fn salvage(bytes: &[u8]) -> Option<Word> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}');
    let found = Cell::new(None);
    let mut parser = serde_json::Deserializer::from_str(text);
    // Each round reads one value.
    while parser.end().is_err() {
        if Salvage(&found).deserialize(&mut parser).is_err() {
            found.set(found.get().max(written(text)));
            break;
        }
    }
    found.get().filter(|word| *word > Word::Allow)
}

/// The decision that a word in a refused verdict was meant as, those of other agents included.
fn meant(name: &str) -> Option<Word> {
    match name {
        "block" | "reject" => Some(Word::Deny),
        ours => Word::from_name(ours),
    }
}

/// The strictest decision that is written in a text, wherever it stands. A quote or a newline that
/// was not escaped must not hide what comes after it.
fn written(text: &str) -> Option<Word> {
    let word = |(at, key): (usize, &str)| {
        let (before, after) = text.split_at_checked(at)?;
        let value = after.strip_prefix(key)?.trim_start().strip_prefix(':')?.trim_start();
        let name = value.strip_prefix('"')?.split_once('"')?.0;
        before.ends_with('"').then(|| meant(name))?
    };
    text.match_indices("decision\"").filter_map(word).max()
}

struct Salvage<'a>(&'a Cell<Option<Word>>);

impl<'de> DeserializeSeed<'de> for Salvage<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<(), D::Error> {
        parser.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Salvage<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Salvage(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(key) = entries.next_key::<Cow<'_, str>>()? {
            if matches!(&*key, "decision" | "permissionDecision" | "permission") {
                if let Value::String(name) = entries.next_value()? {
                    self.0.set(self.0.get().max(meant(&name)));
                }
            } else if matches!(&*key, "hookSpecificOutput" | "hook_specific_output") {
                entries.next_value_seed(Salvage(self.0))?;
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}
