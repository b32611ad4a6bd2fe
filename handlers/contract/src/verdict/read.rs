//! The strict parser of verdicts.
//!
//! A verdict that is read wrongly could let a step pass, so nothing is guessed: an unknown key, a
//! wrong type, a key that appears twice or a reason without a decision refuses the whole. The message
//! says what to write instead, and recognises the verdicts of other agents.

use hookgate_input::json::{self, type_name};
use hookgate_input::quote::{self, Quoted};
use serde_json::{Map, Value};

use super::parts::{Answer, Parts, ReasonCode};
use crate::contribution::Contribution;
use crate::decision::VerdictDecision;

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
        // Only the table knows whether integers beyond ±(2^53−1) are taken; it checks them again.
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
    ReasonCode::from_name(&name).filter(|code| code.is_for_hooks()).ok_or_else(|| {
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
        .map_err(|error| format!("is not an answer: {}", quote::message(&error.to_string())))
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
