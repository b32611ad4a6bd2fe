//! The events of Claude Code, and what it does with an answer at each.

use hookgate_contract::dialect::{HostEffect, HostEvent};

use HostEffect::{Allow, Ask, Context, Deny, Halt, KeepGoing, Message, Rewrite, RewriteResult};

const fn event(
    name: &'static str,
    ours: &'static str,
    effects: &'static [HostEffect],
) -> HostEvent {
    HostEvent::new(name, ours, effects)
}

const TOOL_DENIED: &str = "the tool does not run, and the model gets the reason";
const GOES_ON: &str = "the agent goes on, with the reason as feedback; at most 8 times in a row";
const WATCHED: &str = "Claude Code only tells of it, and takes no decision.";

/// All events.
pub(super) static EVENTS: &[HostEvent] = &[
    event("SessionStart", "session_start", &[Context, Message])
        .note("Nothing can be denied here.")
        .fields(&[("session_title", "title")]),
    event("Setup", "x.claude.setup", &[Context, Message]).note("Nothing can be denied here."),
    event("InstructionsLoaded", "x.claude.instructions_loaded", &[]).note(WATCHED),
    event("UserPromptSubmit", "user_prompt_submit", &[Deny, Context, Message, Halt])
        .on_deny("the prompt is erased, and the user sees the reason")
        .note("A prompt cannot be changed: what is added to it is context, any other change is a deny. \
               It cannot ask."),
    event("UserPromptExpansion", "x.claude.user_prompt_expansion", &[Deny, Context, Message, Halt])
        .on_deny("the command is not expanded, and the user sees the reason"),
    event("MessageDisplay", "x.claude.message_display", &[])
        .note("Only the text on the screen could be changed, which hookgate leaves alone."),
    event("PreToolUse", "pre_tool_use", &[Deny, Ask, Allow, Rewrite, Context, Message, Halt])
        .on_deny(TOOL_DENIED)
        .note("An allow skips the question to the user; rules of Claude Code that deny or ask stay in \
               force. A result cannot be supplied: such an answer is a deny that quotes it."),
    event("PermissionRequest", "permission_request", &[Deny, Ask, Allow, Message, Halt])
        .on_deny(TOOL_DENIED)
        .note("An exit status of 2 is not honoured here, only the answer in JSON. Without an answer the \
               user is asked.")
        .fields(&[("permission_suggestions", "suggestions")]),
    event("PermissionDenied", "permission_decided", &[Message]).note(WATCHED),
    event(
        "PostToolUse",
        "post_tool_use",
        &[Deny, RewriteResult, Context, Message, Halt],
    )
    .on_deny("the texts of the result are taken out, and the model gets the reason")
    .note("The tool has run. A changed result counts only if it has the shape that its tool gives; \
           else the model sees the first one, with the reason beside it."),
    event("PostToolUseFailure", "post_tool_use_failure", &[Context, Message, Halt])
        .note("The error cannot be hidden from the model or changed; a reason is added to it."),
    event("PostToolBatch", "post_tool_batch", &[Context, Message, Halt]),
    event("Notification", "notification", &[]).note(WATCHED),
    event("SubagentStart", "subagent_start", &[Context, Message])
        .note("A sub-agent cannot be stopped from here; deny the tool `Agent` at PreToolUse."),
    event("SubagentStop", "subagent_stop", &[KeepGoing, Message, Halt]).on_deny(GOES_ON),
    event("TaskCreated", "x.claude.task_created", &[Deny, Message])
        .on_deny("the task is deleted, and the model gets the reason"),
    event("TaskCompleted", "x.claude.task_completed", &[Deny, Halt])
        .on_deny("the task stays open, and the model gets the reason"),
    event("Stop", "stop", &[KeepGoing, Message, Halt])
        .on_deny(GOES_ON)
        .note("A text for the model alone would keep the agent going, too, so it goes with a deny only."),
    event("StopFailure", "run_failed", &[]).note(WATCHED),
    event("TeammateIdle", "x.claude.teammate_idle", &[KeepGoing, Halt])
        .on_deny("the teammate keeps working, with the reason as feedback"),
    event("ConfigChange", "config_change", &[Deny])
        .on_deny("the change is not applied; nobody sees the reason")
        .note("Settings that come from the policy of an organisation cannot be refused. It cannot ask."),
    event("CwdChanged", "x.claude.cwd_changed", &[Message]).note(WATCHED),
    event("DirectoryAdded", "x.claude.directory_added", &[Message]).note(WATCHED),
    event("FileChanged", "x.claude.file_changed", &[Message])
        .note("Its matcher is also the list of the files to watch."),
    event("WorktreeCreate", "worktree_create", &[Deny])
        .on_deny("the work tree is not created")
        .note("A hook here makes the work tree in place of Claude Code and prints its path: without one \
               that does, no work tree can be created. So `hookgate install` leaves this event out."),
    event("WorktreeRemove", "x.claude.worktree_remove", &[]).note(WATCHED),
    event("PreCompact", "pre_compact", &[Deny])
        .on_deny("the conversation is not compacted now")
        .note("The instructions for the summary cannot be changed."),
    event("PostCompact", "post_compact", &[])
        .note(WATCHED)
        .fields(&[("compact_summary", "summary")]),
    event("SessionEnd", "session_end", &[]).note("All hooks here share 1.5 seconds."),
    event("Elicitation", "x.claude.elicitation", &[Deny])
        .on_deny("the request of the MCP server is declined"),
    event("ElicitationResult", "x.claude.elicitation_result", &[Deny])
        .on_deny("the answer of the user is not sent, and the request is declined"),
];
