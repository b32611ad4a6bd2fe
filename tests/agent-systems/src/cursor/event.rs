//! The events of Cursor, and what it does with an answer at each.

/// An event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CursorEvent {
    SessionStart,
    SessionEnd,
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    SubagentStart,
    SubagentStop,
    BeforeShellExecution,
    AfterShellExecution,
    BeforeMcpExecution,
    AfterMcpExecution,
    BeforeReadFile,
    AfterFileEdit,
    BeforeSubmitPrompt,
    PreCompact,
    Stop,
    AfterAgentResponse,
    AfterAgentThought,
    BeforeTabFileRead,
    AfterTabFileEdit,
    WorkspaceOpen,
}

use CursorEvent as E;

const NAMES: &[(CursorEvent, &str)] = &[
    (E::SessionStart, "sessionStart"),
    (E::SessionEnd, "sessionEnd"),
    (E::PreToolUse, "preToolUse"),
    (E::PostToolUse, "postToolUse"),
    (E::PostToolUseFailure, "postToolUseFailure"),
    (E::SubagentStart, "subagentStart"),
    (E::SubagentStop, "subagentStop"),
    (E::BeforeShellExecution, "beforeShellExecution"),
    (E::AfterShellExecution, "afterShellExecution"),
    (E::BeforeMcpExecution, "beforeMCPExecution"),
    (E::AfterMcpExecution, "afterMCPExecution"),
    (E::BeforeReadFile, "beforeReadFile"),
    (E::AfterFileEdit, "afterFileEdit"),
    (E::BeforeSubmitPrompt, "beforeSubmitPrompt"),
    (E::PreCompact, "preCompact"),
    (E::Stop, "stop"),
    (E::AfterAgentResponse, "afterAgentResponse"),
    (E::AfterAgentThought, "afterAgentThought"),
    (E::BeforeTabFileRead, "beforeTabFileRead"),
    (E::AfterTabFileEdit, "afterTabFileEdit"),
    (E::WorkspaceOpen, "workspaceOpen"),
];

/// What a matcher of an event is tested against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Matched {
    /// A field of the envelope.
    Field(&'static str),
    /// The tool of an MCP server, alone and as `MCP:<tool>`.
    McpTool,
    /// Always the same text.
    Constant(&'static str),
    /// Nothing: the matcher is ignored.
    Nothing,
}

impl CursorEvent {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known)| *known == name).map(|(event, _)| *event)
    }

    /// Returns the event that an event of Claude Code becomes, with the name of it here.
    pub(super) fn from_claude(name: &str) -> Option<(Self, &'static str)> {
        let event = match name {
            "PreToolUse" => E::PreToolUse,
            "PostToolUse" => E::PostToolUse,
            "UserPromptSubmit" => E::BeforeSubmitPrompt,
            "Stop" => E::Stop,
            "SubagentStop" => E::SubagentStop,
            "SessionStart" => E::SessionStart,
            "SessionEnd" => E::SessionEnd,
            "PreCompact" => E::PreCompact,
            _ => return None,
        };
        NAMES.iter().find(|(known, _)| *known == event).copied()
    }

    /// Tells whether the action waits for the answer, and does not happen if it says so.
    pub(super) const fn can_block(self) -> bool {
        matches!(
            self,
            E::PreToolUse
                | E::BeforeShellExecution
                | E::BeforeMcpExecution
                | E::BeforeReadFile
                | E::BeforeTabFileRead
                | E::SubagentStart
                | E::BeforeSubmitPrompt
        )
    }

    pub(super) const fn matched(self) -> Matched {
        match self {
            E::PreToolUse | E::PostToolUse | E::PostToolUseFailure => Matched::Field("tool_name"),
            E::SubagentStart | E::SubagentStop => Matched::Field("subagent_type"),
            E::BeforeShellExecution | E::AfterShellExecution => Matched::Field("command"),
            E::BeforeMcpExecution | E::AfterMcpExecution => Matched::McpTool,
            E::BeforeReadFile => Matched::Constant("Read"),
            E::BeforeTabFileRead => Matched::Constant("TabRead"),
            E::AfterFileEdit => Matched::Constant("Write"),
            E::AfterTabFileEdit => Matched::Constant("TabWrite"),
            E::BeforeSubmitPrompt => Matched::Constant("UserPromptSubmit"),
            E::Stop => Matched::Constant("Stop"),
            E::AfterAgentResponse => Matched::Constant("AgentResponse"),
            E::AfterAgentThought => Matched::Constant("AgentThought"),
            E::SessionStart | E::SessionEnd | E::PreCompact | E::WorkspaceOpen => Matched::Nothing,
        }
    }
}
