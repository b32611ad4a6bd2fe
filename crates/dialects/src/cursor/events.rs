//! The events of Cursor, and what it does with an answer at each.

use hookgate_contract::dialect::{HostEffect, HostEvent};

use HostEffect::{Allow, Ask, Context, Deny, KeepGoing, Message, Rewrite, RewriteResult};

const WATCHED: &str = "Cursor only tells of it, and takes no decision.";
const NOT_RUN: &str = "the tool does not run; the model and the user get the reason";

/// All events.
pub(super) static EVENTS: &[HostEvent] = &[
    HostEvent::new("sessionStart", "session_start", &[Context])
        .note("It is not awaited, and nothing can be denied here."),
    HostEvent::new("sessionEnd", "session_end", &[]).note(WATCHED),
    HostEvent::new("workspaceOpen", "x.cursor.workspace_open", &[]).note(WATCHED),
    HostEvent::new("beforeSubmitPrompt", "user_prompt_submit", &[Deny])
        .on_deny("the prompt is not sent, and the user sees the reason")
        .note("A prompt cannot be changed, and nothing can be added to it."),
    HostEvent::new("preToolUse", "pre_tool_use", &[Deny, Allow, Rewrite])
        .on_deny(NOT_RUN)
        .note(
            "An ask would not be enforced here, so it is a deny; it exists at `beforeShellExecution` and \
             `beforeMCPExecution`.",
        ),
    HostEvent::new("beforeShellExecution", "pre_tool_use", &[Deny, Ask, Allow])
        .on_deny(NOT_RUN)
        .note("It is the same call as at `preToolUse`. Its arguments cannot be changed here."),
    HostEvent::new("beforeMCPExecution", "pre_tool_use", &[Deny, Ask, Allow])
        .on_deny(NOT_RUN)
        .note("It is the same call as at `preToolUse`. Its arguments cannot be changed here."),
    HostEvent::new("beforeReadFile", "pre_tool_use", &[Deny, Allow])
        .on_deny("the file is not read; the user sees the reason")
        .note("The file was read for the hook: its text is in `host.content`. It cannot ask."),
    HostEvent::new("beforeTabFileRead", "pre_tool_use", &[Deny, Allow])
        .on_deny("the file is not read for completions")
        .note("The file was read for the hook: its text is in `host.content`. It cannot ask."),
    HostEvent::new("postToolUse", "post_tool_use", &[Context, RewriteResult])
        .note("Only the result of a tool of an MCP server can be changed; no other can be hidden."),
    HostEvent::new("postToolUseFailure", "post_tool_use_failure", &[]).note(WATCHED),
    HostEvent::new("afterShellExecution", "post_tool_use", &[]).note(WATCHED),
    HostEvent::new("afterMCPExecution", "post_tool_use", &[]).note(WATCHED),
    HostEvent::new("afterFileEdit", "post_tool_use", &[]).note(WATCHED),
    HostEvent::new("afterTabFileEdit", "x.cursor.after_tab_file_edit", &[]).note(WATCHED),
    HostEvent::new("afterAgentResponse", "x.cursor.after_agent_response", &[]).note(WATCHED),
    HostEvent::new("afterAgentThought", "x.cursor.after_agent_thought", &[]).note(WATCHED),
    HostEvent::new("subagentStart", "subagent_start", &[Deny])
        .on_deny("the sub-agent does not start")
        .note(
            "For hookgate this event takes no decision, so that a hook cannot deny it; deny the tool \
             `Task` at `preToolUse`. A step that cannot be judged is denied.",
        ),
    HostEvent::new("subagentStop", "subagent_stop", &[KeepGoing])
        .on_deny("the sub-agent goes on, with the reason as its next message; at most 5 times"),
    HostEvent::new("stop", "stop", &[KeepGoing])
        .on_deny("the agent goes on, with the reason as its next message; at most 5 times"),
    HostEvent::new("preCompact", "pre_compact", &[Message]).note("Compaction cannot be refused."),
];
