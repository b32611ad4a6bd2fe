use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{FieldRef, Payload, put, text_of};
use crate::contract::Contract;
use crate::event::Event;
use crate::patch_field;

/// What a tool can do to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Safety {
    /// It only looks.
    ReadOnly,
    /// It changes something that can be changed back.
    Mutating,
    /// It changes something for good.
    Destructive,
    /// It talks to other machines.
    Network,
}

impl Safety {
    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "read_only",
            Self::Mutating => "mutating",
            Self::Destructive => "destructive",
            Self::Network => "network",
        }
    }

    /// All classes.
    pub const ALL: [Self; 4] = [Self::ReadOnly, Self::Mutating, Self::Destructive, Self::Network];

    /// The class of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|safety| safety.name() == name)
    }
}

/// Where a tool comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Provenance {
    /// builtin, shell, mcp, …
    pub kind: String,
    /// Which one of these: the name of an MCP server, say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_id: Option<String>,
}

/// A tool is about to run: the payload of `pre_tool_use`, and a part of all events about a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolCall {
    /// The tool.
    pub tool_name: String,
    /// The call, as the model names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// The arguments.
    pub tool_input: Value,
    /// The group that the host puts the tool in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_category: Option<String>,
    /// What the tool can do to the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub safety: Option<Safety>,
    /// Where the tool comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

impl ToolCall {
    /// A call of a tool with these arguments.
    #[must_use]
    pub fn new(tool_name: impl Into<String>, tool_input: Value) -> Self {
        Self {
            tool_name: tool_name.into(),
            tool_use_id: None,
            tool_input,
            tool_category: None,
            safety: None,
            provenance: None,
        }
    }
}

impl Payload for ToolCall {
    fn contract(&self) -> &'static Contract {
        Event::PreToolUse.contract()
    }

    fn tool(&self) -> Option<&ToolCall> {
        Some(self)
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        (name == patch_field::TOOL_INPUT).then_some(FieldRef::Json(&self.tool_input))
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        if name != patch_field::TOOL_INPUT {
            return None;
        }
        put(&mut self.tool_input, value, patch_field::TOOL_INPUT)
    }
}

/// The user is about to be asked whether a tool may run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PermissionRequest {
    /// The call.
    #[serde(flatten)]
    pub call: ToolCall,
    /// Rules that the user may be offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestions: Option<Value>,
}

impl PermissionRequest {
    /// A request to run this call.
    #[must_use]
    pub const fn new(call: ToolCall) -> Self {
        Self { call, suggestions: None }
    }
}

impl Payload for PermissionRequest {
    fn contract(&self) -> &'static Contract {
        Event::PermissionRequest.contract()
    }

    fn tool(&self) -> Option<&ToolCall> {
        Some(&self.call)
    }
}

/// It was decided whether a tool may run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PermissionDecided {
    /// The call.
    #[serde(flatten)]
    pub call: ToolCall,
    /// allow, deny or canceled.
    pub approval_decision: String,
    /// Who decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_source: Option<String>,
}

impl PermissionDecided {
    /// What was decided about this call.
    #[must_use]
    pub fn new(call: ToolCall, approval_decision: impl Into<String>) -> Self {
        Self { call, approval_decision: approval_decision.into(), approval_source: None }
    }
}

impl Payload for PermissionDecided {
    fn contract(&self) -> &'static Contract {
        Event::PermissionDecided.contract()
    }

    fn tool(&self) -> Option<&ToolCall> {
        Some(&self.call)
    }
}

/// A tool has run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PostToolUse {
    /// The call.
    #[serde(flatten)]
    pub call: ToolCall,
    /// What the tool gave back.
    pub tool_response: Value,
    /// Whether a rewriter marked the result as an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// The result in blocks, images included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_blocks: Option<Value>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

impl PostToolUse {
    /// A call that gave this back.
    #[must_use]
    pub fn new(call: ToolCall, tool_response: impl Into<Value>) -> Self {
        Self {
            call,
            tool_response: tool_response.into(),
            is_error: None,
            content_blocks: None,
            duration_ms: None,
        }
    }
}

impl Payload for PostToolUse {
    fn contract(&self) -> &'static Contract {
        Event::PostToolUse.contract()
    }

    fn tool(&self) -> Option<&ToolCall> {
        Some(&self.call)
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        match name {
            patch_field::TOOL_RESPONSE => Some(FieldRef::Json(&self.tool_response)),
            patch_field::IS_ERROR => self.is_error.map(|flag| FieldRef::Owned(flag.into())),
            _ => None,
        }
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        match name {
            patch_field::TOOL_RESPONSE => {
                // The blocks would still show what the rewrite took away.
                let blocks = self.content_blocks.take().map(|_| patch_field::TOOL_RESPONSE);
                put(&mut self.tool_response, value, patch_field::TOOL_RESPONSE).or(blocks)
            }
            patch_field::IS_ERROR => {
                put(&mut self.is_error, value.as_bool(), patch_field::IS_ERROR)
            }
            _ => None,
        }
    }
}

/// A tool has failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PostToolUseFailure {
    /// The call.
    #[serde(flatten)]
    pub call: ToolCall,
    /// What went wrong.
    pub error: String,
    /// Whether somebody interrupted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_interrupt: Option<bool>,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

impl PostToolUseFailure {
    /// A call that failed with this error.
    #[must_use]
    pub fn new(call: ToolCall, error: impl Into<String>) -> Self {
        Self { call, error: error.into(), is_interrupt: None, duration_ms: None }
    }
}

impl Payload for PostToolUseFailure {
    fn contract(&self) -> &'static Contract {
        Event::PostToolUseFailure.contract()
    }

    fn tool(&self) -> Option<&ToolCall> {
        Some(&self.call)
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        (name == patch_field::ERROR).then_some(FieldRef::Text(&self.error))
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        if name != patch_field::ERROR {
            return None;
        }
        put(&mut self.error, text_of(value)?, patch_field::ERROR)
    }
}

/// How one call of a batch ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BatchResult {
    /// The tool.
    pub tool_name: String,
    /// The call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    /// Whether it failed.
    pub is_error: bool,
}

/// All tool calls of an answer are done.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PostToolBatch {
    /// How each ended.
    pub results: Vec<BatchResult>,
}

impl Payload for PostToolBatch {
    fn contract(&self) -> &'static Contract {
        Event::PostToolBatch.contract()
    }
}
