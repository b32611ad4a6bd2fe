//! A tool call, from the moment before it runs to its result.

use crate::{data, name_enum};
use serde_json::Value;

use super::{FieldRef, put, text_of};
use crate::patch_field;

name_enum! {
    /// What a tool can do to the world.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    pub enum Safety {
        /// It only looks.
        ReadOnly = "read_only",
        /// It changes something that can be changed back.
        Mutating = "mutating",
        /// It changes something for good.
        Destructive = "destructive",
        /// It talks to other machines.
        Network = "network",
    }
}

data! {
    /// Where a tool comes from.
    #[derive(Eq, Hash)]
    struct Provenance {
        /// builtin, shell, mcp, …
        kind: String,
        /// Which one of these: the name of an MCP server, say.
        optional source_id: String,
    }
}

payload! {
    /// A tool is about to run: the payload of `pre_tool_use`, and a part of all events about a tool.
    struct ToolCall {
        /// The tool.
        tool_name: String,
        /// The id of the call, as the model gives it.
        optional tool_use_id: String,
        /// The arguments, as one JSON value.
        tool_input: Value,
        /// The group that the host puts the tool in.
        optional tool_category: String,
        /// What the tool can do to the world.
        optional safety: Safety,
        // In a box, since few hosts say it and every step is moved.
        /// Where the tool comes from.
        optional provenance: Box<Provenance>,
    }

    fn tool(&self) -> Option<&ToolCall> {
        Some(self)
    }

    fn add_fields(&self, fields: &mut Vec<(String, Value)>) -> bool {
        let Self { tool_name, tool_use_id, tool_input, tool_category, safety, provenance } = self;
        // It is not a JSON value and few hosts say it: there is nothing to gain.
        if provenance.is_some() {
            return false;
        }
        let mut add = |name: &str, value: Value| fields.push((name.to_owned(), value));
        add("tool_name", tool_name.as_str().into());
        if let Some(id) = tool_use_id {
            add("tool_use_id", id.as_str().into());
        }
        add("tool_input", tool_input.clone());
        if let Some(category) = tool_category {
            add("tool_category", category.as_str().into());
        }
        if let Some(safety) = safety {
            add("safety", safety.name().into());
        }
        true
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

payload! {
    /// The user is about to be asked whether a tool may run.
    struct PermissionRequest {
        /// The call.
        flattened call: ToolCall,
        /// Rules that the user may be offered.
        optional suggestions: Value,
    }

    fn tool(&self) -> Option<&ToolCall> {
        Some(&self.call)
    }
}

payload! {
    /// It was decided whether a tool may run.
    struct PermissionDecided {
        /// The call.
        flattened call: ToolCall,
        /// allow, deny or canceled.
        approval_decision: String,
        /// Whose decision it is: the user's, a rule's, …
        optional approval_source: String,
    }

    fn tool(&self) -> Option<&ToolCall> {
        Some(&self.call)
    }
}

payload! {
    /// A tool has run.
    struct PostToolUse {
        /// The call.
        flattened call: ToolCall,
        /// What the tool gave back.
        tool_response: Value,
        /// Whether a rewriter marked the result as an error.
        optional is_error: bool,
        /// The result in blocks, images included.
        optional content_blocks: Value,
        /// How long it took, in milliseconds.
        optional duration_ms: u64,
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

payload! {
    /// A tool has failed.
    struct PostToolUseFailure {
        /// The call.
        flattened call: ToolCall,
        /// What went wrong.
        error: String,
        /// Whether it was interrupted.
        optional is_interrupt: bool,
        /// How long it took, in milliseconds.
        optional duration_ms: u64,
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

data! {
    /// How one call of a batch ended.
    #[derive(Eq)]
    struct BatchResult {
        /// The tool.
        tool_name: String,
        /// The call.
        optional tool_use_id: String,
        /// Whether it failed.
        is_error: bool,
    }
}

payload! {
    /// All tool calls of an answer are done.
    #[derive(Eq, Default)]
    struct PostToolBatch {
        /// How each ended.
        results: Vec<BatchResult>,
    }
}
