//! The events of Cline, and what it does with an answer at each.

use hookgate_contract::dialect::{HostEffect, HostEvent};

use HostEffect::{Context, Deny, Halt, Rewrite};

const WATCHED: &str = "Cline only tells of it, and takes no decision.";

/// All events.
pub(super) static EVENTS: &[HostEvent] = &[
    HostEvent::new("TaskStart", "session_start", &[]).note(WATCHED),
    HostEvent::new("TaskResume", "session_start", &[]).note(WATCHED),
    HostEvent::new("TaskCancel", "x.cline.task_cancel", &[]).note(WATCHED),
    HostEvent::new("TaskComplete", "run_completed", &[]).note(WATCHED),
    HostEvent::new("TaskError", "run_failed", &[]).note(WATCHED),
    HostEvent::new("UserPromptSubmit", "user_prompt_submit", &[Deny, Context])
        .on_deny("the task ends, and the user sees the reason")
        .note("The command line (3.x) never sends it."),
    HostEvent::new("PreToolUse", "pre_tool_use", &[Deny, Rewrite, Context, Halt])
        .on_deny("the tool does not run, and the session ends with the reason")
        .note(
            "Exit statuses are ignored, and so is stderr: only the object counts. There is no time \
             limit. It cannot ask: an ask is a deny, which ends the session.",
        ),
    HostEvent::new("PostToolUse", "post_tool_use", &[Context])
        .note("A result cannot be hidden or changed."),
    HostEvent::new("PreCompact", "pre_compact", &[]).note(WATCHED),
    HostEvent::new("SessionShutdown", "session_end", &[]).note(WATCHED),
];
