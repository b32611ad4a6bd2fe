//! The strict parser of verdicts.
//!
//! A verdict that is read wrongly could let a step pass, so nothing is guessed: an unknown key, a
//! wrong type, a key that appears twice or a reason without a decision refuses the whole. The message
//! says what to write instead, and recognises the verdicts of other agents.

use crate::json::{Object, as_name, as_object, as_text, as_texts, as_type};
use crate::quote::Quoted;
use serde_json::Value;

use super::parts::{Parts, ReasonCode};
use crate::decision::VerdictDecision;

const KEYS: &[&str] = &[
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

/// Keys and decisions by which the verdicts of other agents are known.
const FOREIGN: &[&str] = &[
    "hookSpecificOutput",
    "hook_specific_output",
    "permissionDecision",
    "permission",
    "continue",
    "stopReason",
    "systemMessage",
    "suppressOutput",
    "block",
    "approve",
];

const LOOKS_FOREIGN: &str = "; this looks like the answer of a hook for another agent: name the agent \
    (`dialect = \"claude\"`), or print hookgate's verdict instead, such as \
    {\"decision\":\"deny\",\"reason\":\"…\"}";

/// Reads the parts of a verdict, or says what is wrong. Only the table knows whether integers beyond
/// ±(2^53−1) are taken; it checks them again.
pub(super) fn read_parts(bytes: &[u8]) -> Result<Parts, String> {
    let mut object = Object::parse(bytes)?;
    if let Some((key, near)) = object.unknown_key(KEYS) {
        let hint = if FOREIGN.contains(&key) { LOOKS_FOREIGN.into() } else { near.to_string() };
        return Err(format!("unknown key `{}`{hint}", Quoted(key)));
    }
    let parts = Parts {
        decision: object.take("decision", decision)?,
        reason: object.take("reason", as_text)?,
        reason_code: object.take("reason_code", reason_code)?,
        patch: object.take("patch", as_object)?.unwrap_or_default().into(),
        context: object.take("context", as_texts)?.unwrap_or_default(),
        message: object.take("message", as_text)?,
        answer: object.take("answer", as_type)?,
        contributions: object.take("contributions", as_type)?.unwrap_or_default(),
        annotations: object.take("annotations", as_object)?.unwrap_or_default(),
        payload: object.take("payload", Ok)?,
        note: None,
    };
    if parts.decision.is_none() && (parts.reason.is_some() || parts.reason_code.is_some()) {
        return Err("there is a `reason` but no `decision`: say which".into());
    }
    Ok(parts)
}

fn decision(value: Value) -> Result<VerdictDecision, String> {
    let is_foreign = value.as_str().is_some_and(|name| FOREIGN.contains(&name));
    let hint = if is_foreign { LOOKS_FOREIGN } else { "" };
    as_name(value, VerdictDecision::from_name, "allow, ask, deny, halt")
        .map_err(|wrong| wrong + hint)
}

fn reason_code(value: Value) -> Result<ReasonCode, String> {
    let for_hooks = |name: &str| ReasonCode::from_name(name).filter(|code| code.is_for_hooks());
    as_name(value, for_hooks, "policy_violation, safety_violation, schema_violation")
}
