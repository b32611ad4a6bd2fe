//! The events of docker agent, and what it does with an answer at each.

use hookgate_contract::dialect::{HostEffect, HostEvent};

use HostEffect::{Allow, Ask, Context, Deny, Halt, Message, Rewrite, RewriteResult};

use super::TRANSFORM;

const WATCHED: &str = "docker agent only tells of it, and takes no decision.";
const CONTEXT: &str = "context for the model";
const NO_RUN: &str = "the tool does not run, and the model gets the reason";
const ENDS: &str = "the run ends, and the user sees the reason";
const GATE: &[HostEffect] = &[Deny, Context, Message];

/// All events. Of several that are one of ours, the first is the one that our envelope is written as.
pub(super) static EVENTS: &[HostEvent] = &[
    HostEvent::new("pre_tool_use", "pre_tool_use", &[Deny, Ask, Allow, Rewrite, Message])
        .on_deny(NO_RUN)
        .note(
            "Calls that its rules or its safety mode allow never come here: guard at `tool_guard`. \
             Arguments can be added and changed, not taken away: then the call is denied.",
        ),
    HostEvent::new("tool_guard", "pre_tool_use", &[Deny, Ask, Message])
        .on_deny(NO_RUN)
        .note("Every call comes here. Arguments cannot be changed: the call is denied."),
    HostEvent::new("tool_input_transform", "pre_tool_use", &[Deny, Rewrite, Message])
        .on_deny(NO_RUN)
        .note("It cannot ask: an ask is a deny. A hook that fails lets the call pass."),
    HostEvent::new("permission_request", "permission_request", &[Deny, Ask, Allow, Message])
        .on_deny(NO_RUN)
        .note("A hook that fails leaves the question to the user."),
    HostEvent::new("on_tool_approval_decision", "permission_decided", &[]).note(WATCHED),
    HostEvent::new("post_tool_use", "post_tool_use", &[Halt, Message]).note(
        "A result cannot be hidden or changed here: do that at `tool_response_transform`. A tool that \
         failed is `post_tool_use_failure`.",
    ),
    HostEvent::new(TRANSFORM, "post_tool_use", &[Deny, RewriteResult, Message])
        .on_deny("the model sees the reason instead of the result")
        .note("A tool that failed is `post_tool_use_failure`."),
    HostEvent::new("session_start", "session_start", &[Context, Message]).plain_text(CONTEXT),
    HostEvent::new("session_end", "session_end", &[]).note(WATCHED),
    HostEvent::new("user_prompt_submit", "user_prompt_submit", GATE)
        .plain_text(CONTEXT)
        .on_deny(ENDS)
        .note("A prompt cannot be changed: what is added to it is context, any other change a deny."),
    HostEvent::new("user_steering_messages_submit", "user_prompt_submit", GATE)
        .plain_text(CONTEXT)
        .on_deny(ENDS)
        .note("The messages cannot be changed. All that wait are one prompt."),
    HostEvent::new("user_followup_submit", "user_prompt_submit", GATE)
        .plain_text(CONTEXT)
        .on_deny(ENDS)
        .note("A prompt cannot be changed: what is added to it is context, any other change a deny."),
    HostEvent::new("turn_start", "turn_start", &[Context, Message]).plain_text(CONTEXT),
    HostEvent::new("turn_end", "turn_boundary", &[]).note(WATCHED),
    HostEvent::new("before_llm_call", "pre_llm_request", &[Deny, Rewrite, Message])
        .on_deny(ENDS)
        .note("Only `messages` can be changed: any other change is a deny."),
    HostEvent::new("after_llm_call", "post_llm_response", &[]).note(WATCHED),
    HostEvent::new("pre_compact", "pre_compact", &[Deny, Rewrite, Message])
        .plain_text("more instructions for the compaction")
        .on_deny("no compaction now")
        .note("Of the changes it takes `custom_instructions`."),
    HostEvent::new("before_compaction", "pre_compact", &[Deny, Rewrite, Message])
        .on_deny("no compaction now")
        .note("Of the changes it takes `summary`."),
    HostEvent::new("after_compaction", "post_compact", &[]).note(WATCHED),
    HostEvent::new("subagent_stop", "subagent_stop", &[]).note(WATCHED),
    HostEvent::new("on_user_input", "user_input_requested", &[]).note(WATCHED),
    HostEvent::new("stop", "stop", &[]).note(WATCHED),
    HostEvent::new("notification", "notification", &[]).note(WATCHED),
    HostEvent::new("on_error", "run_failed", &[]).note(WATCHED),
    HostEvent::new("on_max_iterations", "max_iterations", &[]).note(WATCHED),
    HostEvent::new("on_agent_switch", "agent_switch", &[]).note(WATCHED),
    HostEvent::new("on_session_resume", "session_resume", &[]).note(WATCHED),
    HostEvent::new("worktree_create", "worktree_create", &[Deny, Message])
        .plain_text("a message for the user")
        .on_deny("the run ends; the work tree is there already"),
];
