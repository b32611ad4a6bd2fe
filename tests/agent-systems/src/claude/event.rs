//! The events of Claude Code: what a matcher is compared with, which handlers may run, and what an answer
//! does.

use serde_json::{Map, Value};

use super::fields::{self, Field};
use crate::foreign::Audience;

/// One event.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) name: &'static str,
    pub(super) matched: Matched,
    pub(super) handlers: Handlers,
    pub(super) exit_2: Exit2,
    /// What a block means: by exit status 2 where that blocks, and by `decision` where that is read.
    pub(super) block: Block,
    /// Whether `"decision": "block"` is read.
    pub(super) reads_decision: bool,
    /// Whether `continue` is read.
    pub(super) reads_continue: bool,
    /// Whether `systemMessage` is read.
    pub(super) reads_message: bool,
    /// Whether text that is no JSON is context for the model.
    pub(super) text_is_context: bool,
    /// The fields of `hookSpecificOutput` that are read.
    pub(super) fields: &'static [Field],
}

/// What the matcher of a hook is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matched {
    /// Nothing: the matcher is ignored.
    Nothing,
    /// A field of the envelope.
    Field(&'static str),
    /// A field of the envelope. A comma, a blank or a hyphen makes the matcher a regex.
    Narrow(&'static str),
    /// The name of the file in a field; as [`Matched::Narrow`].
    FileName(&'static str),
}

/// Which types of handlers run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Handlers {
    /// All five.
    All,
    /// Those that ask no model.
    NoModel,
    /// `command` and `mcp_tool`.
    Local,
}

/// What exit status 2 means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit2 {
    /// It blocks.
    Blocks,
    /// The user sees stderr, and nothing is blocked.
    ShowsUser,
    /// It is a failure that only a log shows.
    Logged,
    /// It means nothing.
    Ignored,
    /// It means what every other status that is not 0 means: an answer in JSON decides.
    NotHonoured,
    /// The result fails, as with every other status that is not 0.
    Fails,
}

/// What a block means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    /// Nothing is blocked here.
    Nothing,
    /// The action does not happen.
    Deny(Audience),
    /// The model is told about what has happened.
    Feedback,
    /// The agent goes on working.
    KeepGoing,
    /// The loop stops.
    Stop,
}

impl Event {
    /// Returns the text that matchers are compared with; `None` if they are ignored.
    pub(super) fn subject<'a>(&self, input: &'a Map<String, Value>) -> Option<&'a str> {
        let text = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default();
        match self.matched {
            Matched::Nothing => None,
            Matched::Field(name) | Matched::Narrow(name) => Some(text(name)),
            Matched::FileName(name) => text(name).rsplit('/').next(),
        }
    }

    /// Returns whether a comma, a blank or a hyphen makes a matcher a regex.
    pub(super) const fn is_narrow(&self) -> bool {
        matches!(self.matched, Matched::Narrow(_) | Matched::FileName(_))
    }

    /// Returns what a block means for an envelope.
    pub(super) fn block_for(&self, input: &Map<String, Value>) -> Block {
        let is = |name: &str, value: &str| input.get(name).is_some_and(|field| field == value);
        match self.name {
            // What an administrator sets cannot be kept away.
            "ConfigChange" if is("source", "policy_settings") => Block::Nothing,
            "PreCompact" if !is("trigger", "manual") => Block::Deny(Audience::Nobody),
            _ => self.block,
        }
    }
}

/// Returns an event by its name.
pub(super) fn named(name: &str) -> Option<&'static Event> {
    EVENTS.iter().find(|event| event.name == name)
}

/// Most events: every answer is read, nothing is blocked.
const PLAIN: Event = Event {
    name: "",
    matched: Matched::Nothing,
    handlers: Handlers::NoModel,
    exit_2: Exit2::Ignored,
    block: Block::Nothing,
    reads_decision: false,
    reads_continue: true,
    reads_message: true,
    text_is_context: false,
    fields: &[],
};

/// Events that read neither `continue` nor `systemMessage`.
const DEAF: Event = Event { reads_continue: false, reads_message: false, ..PLAIN };

/// Events at which a tool, a prompt or a stop can be blocked.
const GATE: Event = Event {
    handlers: Handlers::All,
    exit_2: Exit2::Blocks,
    reads_decision: true,
    fields: fields::CONTEXT,
    ..PLAIN
};

const TOOL: Event = Event { matched: Matched::Field("tool_name"), ..GATE };

static EVENTS: &[Event] = &[
    Event {
        name: "SessionStart",
        matched: Matched::Field("source"),
        handlers: Handlers::Local,
        exit_2: Exit2::ShowsUser,
        text_is_context: true,
        fields: fields::SESSION_START,
        ..PLAIN
    },
    Event {
        name: "Setup",
        matched: Matched::Field("trigger"),
        handlers: Handlers::Local,
        exit_2: Exit2::ShowsUser,
        fields: fields::CONTEXT,
        ..PLAIN
    },
    Event { name: "InstructionsLoaded", matched: Matched::Field("load_reason"), ..DEAF },
    Event {
        name: "UserPromptSubmit",
        block: Block::Deny(Audience::User),
        text_is_context: true,
        fields: fields::USER_PROMPT_SUBMIT,
        ..GATE
    },
    Event {
        name: "UserPromptExpansion",
        matched: Matched::Field("command_name"),
        block: Block::Deny(Audience::User),
        text_is_context: true,
        ..GATE
    },
    Event {
        name: "MessageDisplay",
        exit_2: Exit2::Logged,
        fields: fields::MESSAGE_DISPLAY,
        ..DEAF
    },
    Event {
        name: "PreToolUse",
        block: Block::Deny(Audience::Model),
        fields: fields::PRE_TOOL_USE,
        ..TOOL
    },
    Event {
        name: "PermissionRequest",
        exit_2: Exit2::NotHonoured,
        reads_decision: false,
        fields: fields::PERMISSION_REQUEST,
        ..TOOL
    },
    Event {
        name: "PermissionDenied",
        exit_2: Exit2::Ignored,
        reads_decision: false,
        fields: fields::PERMISSION_DENIED,
        ..TOOL
    },
    Event { name: "PostToolUse", block: Block::Feedback, fields: fields::POST_TOOL_USE, ..TOOL },
    Event { name: "PostToolUseFailure", block: Block::Feedback, ..TOOL },
    Event { name: "PostToolBatch", block: Block::Stop, ..GATE },
    Event { name: "Notification", matched: Matched::Field("notification_type"), ..DEAF },
    Event {
        name: "SubagentStart",
        matched: Matched::Field("agent_type"),
        exit_2: Exit2::Logged,
        fields: fields::CONTEXT,
        ..PLAIN
    },
    Event {
        name: "SubagentStop",
        matched: Matched::Field("agent_type"),
        block: Block::KeepGoing,
        ..GATE
    },
    Event {
        name: "TaskCreated",
        block: Block::Deny(Audience::Model),
        reads_continue: false,
        fields: &[],
        ..GATE
    },
    Event {
        name: "TaskCompleted",
        block: Block::Deny(Audience::Model),
        reads_decision: false,
        fields: &[],
        ..GATE
    },
    Event { name: "Stop", block: Block::KeepGoing, ..GATE },
    Event { name: "StopFailure", matched: Matched::Narrow("error"), ..DEAF },
    Event {
        name: "TeammateIdle",
        block: Block::KeepGoing,
        reads_decision: false,
        fields: &[],
        ..GATE
    },
    Event {
        name: "ConfigChange",
        matched: Matched::Field("source"),
        exit_2: Exit2::Blocks,
        block: Block::Deny(Audience::Nobody),
        reads_decision: true,
        ..DEAF
    },
    Event {
        name: "CwdChanged",
        exit_2: Exit2::ShowsUser,
        reads_continue: false,
        fields: fields::WATCH,
        ..PLAIN
    },
    Event {
        name: "DirectoryAdded",
        matched: Matched::Field("source"),
        exit_2: Exit2::Logged,
        reads_continue: false,
        ..PLAIN
    },
    Event {
        name: "FileChanged",
        matched: Matched::FileName("file_path"),
        exit_2: Exit2::ShowsUser,
        reads_continue: false,
        fields: fields::WATCH,
        ..PLAIN
    },
    Event { name: "WorktreeCreate", exit_2: Exit2::Fails, fields: fields::WORKTREE_CREATE, ..DEAF },
    Event { name: "WorktreeRemove", exit_2: Exit2::Logged, ..DEAF },
    Event {
        name: "PreCompact",
        matched: Matched::Field("trigger"),
        exit_2: Exit2::Blocks,
        block: Block::Deny(Audience::User),
        reads_decision: true,
        ..DEAF
    },
    Event {
        name: "PostCompact",
        matched: Matched::Field("trigger"),
        exit_2: Exit2::ShowsUser,
        ..DEAF
    },
    Event {
        name: "SessionEnd",
        matched: Matched::Field("reason"),
        exit_2: Exit2::ShowsUser,
        ..DEAF
    },
    Event {
        name: "Elicitation",
        matched: Matched::Field("mcp_server_name"),
        exit_2: Exit2::Blocks,
        block: Block::Deny(Audience::Nobody),
        fields: fields::ELICITATION,
        ..DEAF
    },
    Event {
        name: "ElicitationResult",
        matched: Matched::Field("mcp_server_name"),
        exit_2: Exit2::Blocks,
        block: Block::Deny(Audience::Nobody),
        fields: fields::ELICITATION,
        ..DEAF
    },
];
