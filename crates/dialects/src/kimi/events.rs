//! The events of Kimi Code, and what it does with an answer at each.

use hookgate_contract::dialect::{HostEffect, HostEvent};

use HostEffect::{Context, Deny, KeepGoing};

const WATCHED: &str = "Kimi Code only tells of it, and takes no decision.";

/// All events.
pub(super) static EVENTS: &[HostEvent] = &[
    HostEvent::new("SessionStart", "session_start", &[]).note(WATCHED),
    HostEvent::new("UserPromptSubmit", "user_prompt_submit", &[Deny, Context])
        .on_deny("the turn ends, and the user sees the reason")
        .note(
            "A prompt cannot be changed: what is added to it is context, any other change is a deny. \
             It cannot ask.",
        ),
    HostEvent::new("UserPromptQueued", "x.kimi.user_prompt_queued", &[]).note(WATCHED),
    HostEvent::new("TurnStarted", "x.kimi.turn_started", &[]).note(WATCHED),
    HostEvent::new("PreToolUse", "pre_tool_use", &[Deny])
        .on_deny("the tool does not run, and the model gets the reason")
        .note(
            "It cannot ask: an ask is a deny. Arguments cannot be changed: the call is denied, and the \
             reason says what to call.",
        ),
    HostEvent::new("PermissionRequest", "permission_request", &[]).note(WATCHED),
    HostEvent::new("PermissionResult", "permission_decided", &[]).note(WATCHED),
    HostEvent::new("PostToolUse", "post_tool_use", &[])
        .note("It is not awaited: a result cannot be hidden or changed."),
    HostEvent::new("PostToolUseFailure", "post_tool_use_failure", &[])
        .note("It is not awaited: an error cannot be hidden or changed."),
    HostEvent::new("SubagentStart", "subagent_start", &[]).note(WATCHED),
    HostEvent::new("SubagentStop", "subagent_stop", &[]).note(WATCHED),
    HostEvent::new("TaskStarted", "x.kimi.task_started", &[]).note(WATCHED),
    HostEvent::new("Stop", "stop", &[KeepGoing])
        .on_deny("the agent goes on, with the reason as feedback; once"),
    HostEvent::new("StopFailure", "run_failed", &[]).note(WATCHED),
    HostEvent::new("Interrupt", "x.kimi.interrupt", &[]).note(WATCHED),
    HostEvent::new("PreCompact", "pre_compact", &[]).note(WATCHED),
    HostEvent::new("PostCompact", "post_compact", &[]).note(WATCHED),
    HostEvent::new("Notification", "notification", &[]).note(WATCHED),
    HostEvent::new("SessionHeartbeat", "x.kimi.session_heartbeat", &[]).note(WATCHED),
    HostEvent::new("SessionEnd", "session_end", &[]).note(WATCHED),
];
