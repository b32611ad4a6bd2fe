//! The events of Qwen Code, and what it does with an answer at each.

use hookgate_contract::dialect::{HostEffect, HostEvent};

use HostEffect::{Ask, Context, Deny, Halt, KeepGoing, Message};

const WATCHED: &str = "Qwen Code only tells of it, and takes no decision.";

/// All events.
pub(super) static EVENTS: &[HostEvent] = &[
    HostEvent::new("SessionStart", "session_start", &[Context, Message])
        .note("Nothing can be denied here."),
    HostEvent::new("InstructionsLoaded", "x.qwen.instructions_loaded", &[]).note(WATCHED),
    HostEvent::new("UserPromptSubmit", "user_prompt_submit", &[Deny, Context, Message, Halt])
        .on_deny("the turn ends with the reason")
        .note(
            "It also comes after each result of a tool, then with an empty prompt. A prompt cannot be \
             changed: what is added to it is context, any other change is a deny.",
        ),
    HostEvent::new("UserPromptExpansion", "x.qwen.user_prompt_expansion", &[]).note(
        "What it does with an answer was not observed.",
    ),
    HostEvent::new("PreToolUse", "pre_tool_use", &[Deny, Ask, Message])
        .on_deny("the tool does not run, and the model gets the reason")
        .note(
            "Arguments cannot be changed: the call is denied, and the reason says what to call. Without \
             a user an ask is a deny. hookgate never says allow, since the allow of a later hook undoes \
             the deny of an earlier one; other hooks of Qwen Code can undo its deny in that way. Two \
             hooks of one `name` at an event are one.",
        ),
    HostEvent::new("PermissionRequest", "permission_request", &[Deny, Message])
        .on_deny("the tool does not run")
        .note("What it does with an answer was not observed; this follows its documentation."),
    HostEvent::new("PermissionDenied", "permission_decided", &[]).note(WATCHED),
    HostEvent::new("PostToolUse", "post_tool_use", &[Deny, Context, Message])
        .on_deny("the result is replaced by the reason")
        .note("A changed result comes as such a reason."),
    HostEvent::new("PostToolUseFailure", "post_tool_use_failure", &[Message])
        .note("Neither the error nor what the model sees of it can be changed."),
    HostEvent::new("PostToolBatch", "post_tool_batch", &[Message]),
    HostEvent::new("MessageDisplay", "x.qwen.message_display", &[]).note(WATCHED),
    HostEvent::new("Notification", "notification", &[]).note(WATCHED),
    HostEvent::new("SubagentStart", "subagent_start", &[Context, Message]),
    HostEvent::new("SubagentStop", "subagent_stop", &[KeepGoing, Message])
        .on_deny("the sub-agent goes on, with the reason as feedback"),
    HostEvent::new("Stop", "stop", &[KeepGoing, Message])
        .on_deny("the agent goes on, with the reason as feedback; at most 7 times in a row")
        .note("To stop the agent here would make it go on, so a halt says nothing."),
    HostEvent::new("StopFailure", "run_failed", &[]).note(WATCHED),
    HostEvent::new("TodoCreated", "x.qwen.todo_created", &[])
        .note("What it does with an answer was not observed."),
    HostEvent::new("TodoCompleted", "x.qwen.todo_completed", &[])
        .note("What it does with an answer was not observed."),
    HostEvent::new("PreCompact", "pre_compact", &[Message]).note("Compaction cannot be refused."),
    HostEvent::new("PostCompact", "post_compact", &[]).note(WATCHED),
    HostEvent::new("SessionEnd", "session_end", &[])
        .note("It does not come when Qwen Code runs without a user (`-p`)."),
    HostEvent::new("SessionDelete", "x.qwen.session_delete", &[]).note(WATCHED),
];
