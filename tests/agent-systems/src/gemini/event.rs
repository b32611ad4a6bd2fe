//! The events of Gemini CLI, and what differs between them.

use serde_json::{Map, Value};

/// An event of Gemini CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    BeforeTool,
    AfterTool,
    BeforeAgent,
    AfterAgent,
    BeforeModel,
    AfterModel,
    BeforeToolSelection,
    SessionStart,
    SessionEnd,
    PreCompress,
    Notification,
}

/// How the outputs of several hooks become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joining {
    /// The strictest decision counts, texts are joined.
    Strictest,
    /// Each key of a later output replaces that of an earlier one.
    LaterKeys,
    /// The tools of all of them.
    Tools,
    /// As [`Joining::LaterKeys`], but the specific part is replaced whole.
    LaterOutputs,
}

impl Event {
    /// Finds an event by its name. Names are compared letter by letter.
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "BeforeTool" => Self::BeforeTool,
            "AfterTool" => Self::AfterTool,
            "BeforeAgent" => Self::BeforeAgent,
            "AfterAgent" => Self::AfterAgent,
            "BeforeModel" => Self::BeforeModel,
            "AfterModel" => Self::AfterModel,
            "BeforeToolSelection" => Self::BeforeToolSelection,
            "SessionStart" => Self::SessionStart,
            "SessionEnd" => Self::SessionEnd,
            "PreCompress" => Self::PreCompress,
            "Notification" => Self::Notification,
            _ => return None,
        })
    }

    /// Returns the event that an envelope is about.
    pub(super) fn of(input: &Map<String, Value>) -> Option<Self> {
        Self::named(input.get("hook_event_name")?.as_str()?)
    }

    /// Returns how outputs are joined.
    pub(super) const fn joining(self) -> Joining {
        match self {
            Self::BeforeTool
            | Self::AfterTool
            | Self::BeforeAgent
            | Self::AfterAgent
            | Self::SessionStart => Joining::Strictest,
            Self::BeforeModel | Self::AfterModel => Joining::LaterKeys,
            Self::BeforeToolSelection => Joining::Tools,
            Self::SessionEnd | Self::PreCompress | Self::Notification => Joining::LaterOutputs,
        }
    }
}
