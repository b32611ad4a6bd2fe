//! The fields of `hookSpecificOutput` that each event reads, and their types.

use serde_json::Value;

/// A field and what it may hold.
pub(super) type Field = (&'static str, Type);

/// What a field may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    /// Anything.
    Any,
    /// `true` or `false`.
    Bool,
    /// A text.
    Text,
    /// A list of texts.
    Texts,
    /// A list.
    List,
    /// An object.
    Object,
    /// One of these texts.
    OneOf(&'static [&'static str]),
    /// An object with these fields, as far as they are there.
    Shape(&'static [Field]),
}

impl Type {
    /// Tells whether a value is of the type.
    pub(super) fn fits(self, value: &Value) -> bool {
        match self {
            Self::Any => true,
            Self::Bool => value.is_boolean(),
            Self::Text => value.is_string(),
            Self::Texts => value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
            Self::List => value.is_array(),
            Self::Object => value.is_object(),
            Self::OneOf(texts) => value.as_str().is_some_and(|text| texts.contains(&text)),
            Self::Shape(fields) => value.is_object() && wrong(fields, value).is_none(),
        }
    }

    /// Names the type.
    pub(super) fn title(self) -> String {
        match self {
            Self::Any => "any value".to_owned(),
            Self::Bool => "true or false".to_owned(),
            Self::Text => "a text".to_owned(),
            Self::Texts => "a list of texts".to_owned(),
            Self::List => "a list".to_owned(),
            Self::Object | Self::Shape(_) => "an object".to_owned(),
            Self::OneOf(texts) => format!("one of {}", texts.join(", ")),
        }
    }
}

/// Returns the first field that holds what it may not.
pub(super) fn wrong<'a>(fields: &'a [Field], value: &Value) -> Option<&'a Field> {
    fields.iter().find(|(name, kind)| value.get(*name).is_some_and(|value| !kind.fits(value)))
}

/// The fields that every answer may have.
pub(super) const COMMON: &[Field] = &[
    ("continue", Type::Bool),
    ("stopReason", Type::Text),
    ("suppressOutput", Type::Bool),
    ("systemMessage", Type::Text),
    ("terminalSequence", Type::Text),
    ("decision", Type::OneOf(&["approve", "block"])),
    ("reason", Type::Text),
    ("hookSpecificOutput", Type::Object),
];

pub(super) const CONTEXT: &[Field] = &[("additionalContext", Type::Text)];

pub(super) const SESSION_START: &[Field] = &[
    ("additionalContext", Type::Text),
    ("initialUserMessage", Type::Text),
    ("sessionTitle", Type::Text),
    ("watchPaths", Type::Texts),
    ("reloadSkills", Type::Bool),
];

pub(super) const USER_PROMPT_SUBMIT: &[Field] = &[
    ("additionalContext", Type::Text),
    ("sessionTitle", Type::Text),
    ("suppressOriginalPrompt", Type::Bool),
];

pub(super) const MESSAGE_DISPLAY: &[Field] = &[("displayContent", Type::Text)];

pub(super) const PRE_TOOL_USE: &[Field] = &[
    ("permissionDecision", Type::OneOf(&["allow", "deny", "ask", "defer"])),
    ("permissionDecisionReason", Type::Text),
    ("updatedInput", Type::Object),
    ("additionalContext", Type::Text),
];

pub(super) const PERMISSION_REQUEST: &[Field] = &[("decision", Type::Shape(PERMISSION_DECISION))];

const PERMISSION_DECISION: &[Field] = &[
    ("behavior", Type::OneOf(&["allow", "deny"])),
    ("updatedInput", Type::Object),
    ("updatedPermissions", Type::List),
    ("message", Type::Text),
    ("interrupt", Type::Bool),
];

pub(super) const PERMISSION_DENIED: &[Field] = &[("retry", Type::Bool)];

pub(super) const POST_TOOL_USE: &[Field] = &[
    ("additionalContext", Type::Text),
    ("updatedToolOutput", Type::Any),
    ("updatedMCPToolOutput", Type::Any),
    ("classifierContext", Type::Text),
];

pub(super) const WATCH: &[Field] = &[("watchPaths", Type::Texts)];

pub(super) const WORKTREE_CREATE: &[Field] = &[("worktreePath", Type::Text)];

pub(super) const ELICITATION: &[Field] =
    &[("action", Type::OneOf(&["accept", "decline", "cancel"])), ("content", Type::Object)];
