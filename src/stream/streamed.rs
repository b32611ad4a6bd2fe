//! Steps whose text can come in parts.

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;

use hookgate_contract::Event;
use hookgate_contract::payload::{AnyPayload, PostLlmResponse, PostToolUse, ToolCall};
use serde_json::Value;

use crate::step::{Denied, Halted, HookStep, Ran, ToolResult, ToolUse};
use crate::table::{EarlyHooks, HandlerTable};

/// A step whose text can be judged while it comes: an answer of the model ([`PostLlmResponse`]), or what a tool prints
/// ([`ToolUse<Ran>`](ToolUse)). It is sealed: there are no others.
pub trait StreamedStep:
    HookStep<
        Cleared: fmt::Debug,
        Denied = Denied<Self>,
        Asked = Infallible,
        Answered = Infallible,
        Halted = Halted<Self>,
    > + fmt::Debug
    + Sealed
{
}

impl StreamedStep for PostLlmResponse {}
impl StreamedStep for ToolUse<Ran> {}

/// What the gate needs to know of such a step. Nobody outside can name it.
#[expect(unnameable_types, reason = "it seals the trait")]
pub trait Sealed: HookStep {
    /// What the text is of, beside the model.
    type Source: Send + Sync;
    /// The payload of a piece of the text.
    type Piece: AnyPayload;
    /// The event.
    const EVENT: Event;

    /// Tells the hooks of a table apart.
    fn early_hooks(table: &HandlerTable, source: &Self::Source) -> ToldApart;

    /// Makes a piece.
    fn piece(source: &Self::Source, text: String) -> Self::Piece;

    /// Returns the text of a piece, as hooks have left it.
    fn piece_text(piece: Self::Piece) -> String;

    /// Returns the text of the step; `None` if it has ended with something else, such as an error.
    fn text(&self) -> Option<&str>;

    /// Returns the text of a cleared step.
    fn cleared_text(cleared: &Self::Cleared) -> Option<&str>;
}

/// The hooks of a table, told apart.
#[expect(unnameable_types, reason = "it is a type of the sealed part of the trait")]
#[derive(Debug, Clone, Default)]
pub struct ToldApart(pub(super) Arc<EarlyHooks>);

impl Sealed for PostLlmResponse {
    type Source = ();
    type Piece = Self;
    const EVENT: Event = Event::PostLlmResponse;

    fn early_hooks(table: &HandlerTable, (): &()) -> ToldApart {
        ToldApart(Arc::clone(table.hooks_of_model_text()))
    }

    fn piece((): &(), text: String) -> Self {
        Self::new(text, Vec::new())
    }

    fn piece_text(piece: Self) -> String {
        piece.assistant_text
    }

    fn text(&self) -> Option<&str> {
        Some(&self.assistant_text)
    }

    fn cleared_text(cleared: &Self::Cleared) -> Option<&str> {
        cleared.payload().text()
    }
}

impl Sealed for ToolUse<Ran> {
    type Source = ToolCall;
    type Piece = PostToolUse;
    const EVENT: Event = Event::PostToolUse;

    fn early_hooks(table: &HandlerTable, call: &ToolCall) -> ToldApart {
        ToldApart(table.hooks_of_tool_text(&call.tool_name))
    }

    fn piece(call: &ToolCall, text: String) -> PostToolUse {
        PostToolUse::new(call.clone(), text)
    }

    fn piece_text(piece: PostToolUse) -> String {
        match piece.tool_response {
            Value::String(text) => text,
            other => other.to_string(),
        }
    }

    fn text(&self) -> Option<&str> {
        printed(self.payload())
    }

    fn cleared_text(cleared: &Self::Cleared) -> Option<&str> {
        printed(cleared.result())
    }
}

/// Returns what a tool that did not fail has printed.
fn printed(result: &ToolResult) -> Option<&str> {
    match result {
        ToolResult::Success(result) => result.tool_response.as_str(),
        ToolResult::Failure(_) => None,
    }
}
