//! The form that a JSON answer must have. Codex takes no other: a key that it does not know, a value of
//! another type or a missing name makes the whole answer void.

use serde_json::{Map, Value};

/// The names of all events.
const NAMES: &[&str] = &[
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "Interrupt",
];

/// What a value may be.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Bool,
    Text,
    Any,
    OneOf(&'static [&'static str]),
    Fields(&'static [Field]),
}

/// A key of an object.
#[derive(Debug, Clone, Copy)]
struct Field {
    name: &'static str,
    kind: Kind,
    /// Whether the key must be there.
    is_required: bool,
    /// Whether `null` means that it is not there.
    may_be_null: bool,
}

const fn optional(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, is_required: false, may_be_null: true }
}

const fn strict(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, is_required: false, may_be_null: false }
}

const fn required(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, is_required: true, may_be_null: false }
}

const CONTINUE: Field = strict("continue", Kind::Bool);
const STOP_REASON: Field = optional("stopReason", Kind::Text);
const SUPPRESS: Field = strict("suppressOutput", Kind::Bool);
const MESSAGE: Field = optional("systemMessage", Kind::Text);
const REASON: Field = optional("reason", Kind::Text);
const BLOCK: Field = optional("decision", Kind::OneOf(&["block"]));
/// Any event may be named, also another one.
const EVENT_NAME: Field = required("hookEventName", Kind::OneOf(NAMES));
const CONTEXT: Field = optional("additionalContext", Kind::Text);

const UNIVERSAL: &[Field] = &[CONTINUE, STOP_REASON, SUPPRESS, MESSAGE];

const PRE_TOOL_USE: &[Field] = &[
    CONTINUE,
    STOP_REASON,
    SUPPRESS,
    MESSAGE,
    REASON,
    optional("decision", Kind::OneOf(&["approve", "block"])),
    optional(
        "hookSpecificOutput",
        Kind::Fields(&[
            EVENT_NAME,
            CONTEXT,
            optional("permissionDecision", Kind::OneOf(&["allow", "deny", "ask"])),
            optional("permissionDecisionReason", Kind::Text),
            optional("updatedInput", Kind::Any),
        ]),
    ),
];

const PERMISSION_REQUEST: &[Field] = &[
    CONTINUE,
    STOP_REASON,
    SUPPRESS,
    MESSAGE,
    optional(
        "hookSpecificOutput",
        Kind::Fields(&[
            EVENT_NAME,
            optional(
                "decision",
                Kind::Fields(&[
                    required("behavior", Kind::OneOf(&["allow", "deny"])),
                    optional("updatedInput", Kind::Any),
                    optional("updatedPermissions", Kind::Any),
                    optional("message", Kind::Text),
                    strict("interrupt", Kind::Bool),
                ]),
            ),
        ]),
    ),
];

const POST_TOOL_USE: &[Field] = &[
    CONTINUE,
    STOP_REASON,
    SUPPRESS,
    MESSAGE,
    REASON,
    BLOCK,
    optional(
        "hookSpecificOutput",
        Kind::Fields(&[EVENT_NAME, CONTEXT, optional("updatedMCPToolOutput", Kind::Any)]),
    ),
];

const START: &[Field] = &[
    CONTINUE,
    STOP_REASON,
    SUPPRESS,
    MESSAGE,
    optional("hookSpecificOutput", Kind::Fields(&[EVENT_NAME, CONTEXT])),
];

const PROMPT: &[Field] = &[
    CONTINUE,
    STOP_REASON,
    SUPPRESS,
    MESSAGE,
    REASON,
    BLOCK,
    optional("hookSpecificOutput", Kind::Fields(&[EVENT_NAME, CONTEXT])),
];

const STOP: &[Field] = &[CONTINUE, STOP_REASON, SUPPRESS, MESSAGE, REASON, BLOCK];

const INTERRUPT: &[Field] = &[MESSAGE];

/// Returns what is wrong with the form of an answer at an event, which is written as Codex writes it.
///
/// ```
/// use hookgate_dialects::codex::form_fault;
/// use serde_json::json;
///
/// let answer = json!({"systemMessage": 1});
/// let fault = form_fault("Stop", answer.as_object().unwrap());
/// assert_eq!(fault.as_deref(), Some("`systemMessage` must be text"));
/// ```
#[must_use]
pub fn form_fault(event: &str, answer: &Map<String, Value>) -> Option<String> {
    match fields(event) {
        Some(fields) => check(answer, fields, "").err(),
        None => Some("there is no such event".to_owned()),
    }
}

fn fields(event: &str) -> Option<&'static [Field]> {
    Some(match event {
        "PreToolUse" => PRE_TOOL_USE,
        "PermissionRequest" => PERMISSION_REQUEST,
        "PostToolUse" => POST_TOOL_USE,
        "PreCompact" | "PostCompact" | "SessionEnd" => UNIVERSAL,
        "SessionStart" | "SubagentStart" => START,
        "UserPromptSubmit" => PROMPT,
        "Stop" | "SubagentStop" => STOP,
        "Interrupt" => INTERRUPT,
        _ => return None,
    })
}

fn check(object: &Map<String, Value>, fields: &[Field], at: &str) -> Result<(), String> {
    for (name, value) in object {
        let Some(field) = fields.iter().find(|field| field.name == name) else {
            return Err(format!("`{at}{name}` is not known"));
        };
        if !(value.is_null() && field.may_be_null) {
            check_value(value, field.kind, &format!("{at}{name}"))?;
        }
    }
    match fields.iter().find(|field| field.is_required && !object.contains_key(field.name)) {
        Some(missing) => Err(format!("`{at}{}` is missing", missing.name)),
        None => Ok(()),
    }
}

fn check_value(value: &Value, kind: Kind, at: &str) -> Result<(), String> {
    let wanted = match (kind, value) {
        (Kind::Bool, Value::Bool(_)) | (Kind::Text, Value::String(_)) | (Kind::Any, _) => {
            return Ok(());
        }
        (Kind::OneOf(words), Value::String(word)) if words.contains(&word.as_str()) => {
            return Ok(());
        }
        (Kind::Fields(fields), Value::Object(object)) => {
            return check(object, fields, &format!("{at}."));
        }
        (Kind::Bool, _) => "true or false".to_owned(),
        (Kind::Text, _) => "text".to_owned(),
        (Kind::OneOf(words), _) => format!("one of: {}", words.join(", ")),
        (Kind::Fields(_), _) => "an object".to_owned(),
    };
    Err(format!("`{at}` must be {wanted}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{NAMES, Value, form_fault};
    use crate::codex::events::EVENTS;

    fn fault(event: &str, text: &str) -> Option<String> {
        let answer: Value = serde_json::from_str(text).unwrap();
        form_fault(event, answer.as_object().unwrap())
    }

    #[test]
    fn every_event_has_a_form() {
        let names: BTreeSet<&str> = EVENTS.iter().map(|event| event.name).collect();
        assert_eq!(names, NAMES.iter().copied().collect());
        assert!(NAMES.iter().all(|name| fault(name, "{}").is_none()));
        assert!(fault("pre_tool_use", "{}").is_some());
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let fault = |event, text| fault(event, text).unwrap();
        let event = "PreToolUse";
        assert_eq!(fault(event, r#"{"terminalSequence": "x"}"#), "`terminalSequence` is not known");
        assert_eq!(
            fault(event, r#"{"hookSpecificOutput": {"permissionDecision": "deny"}}"#),
            "`hookSpecificOutput.hookEventName` is missing"
        );
        let other = fault(event, r#"{"hookSpecificOutput": {"hookEventName": "PreTool"}}"#);
        assert!(other.starts_with("`hookSpecificOutput.hookEventName` must be one of"), "{other}");
        assert_eq!(fault(event, r#"{"continue": null}"#), "`continue` must be true or false");
        assert_eq!(fault(event, r#"{"systemMessage": 1}"#), "`systemMessage` must be text");
        assert!(fault("Stop", r#"{"hookSpecificOutput": null}"#).contains("not known"));
        assert!(fault("Interrupt", r#"{"continue": true}"#).contains("not known"));
    }

    #[test]
    fn null_is_absence_where_a_value_is_optional() {
        let answer = r#"{"stopReason": null, "decision": null, "hookSpecificOutput": null}"#;
        assert_eq!(fault("PreToolUse", answer), None);
        let other = r#"{"hookSpecificOutput": {"hookEventName": "Stop"}}"#;
        assert_eq!(fault("PreToolUse", other), None, "the name of another event is taken");
    }
}
