//! The steps of defect, and what it does with an answer at each.

use hookgate_contract::dialect::{HostEffect, HostEvent};

use HostEffect::{Answer, Context, Deny, Halt, KeepGoing, Rewrite};

const WATCHED: &str = "defect only tells of it, and takes no decision.";

/// All steps.
pub(super) static EVENTS: &[HostEvent] = &[
    HostEvent::new("after_session_enter", "session_start", &[Context]),
    HostEvent::new("after_turn_enter", "turn_start", &[Context]),
    HostEvent::new("before_ingest", "user_prompt_submit", &[Deny, Rewrite])
        .on_deny("the turn ends as refused, without the reason")
        .note("A changed prompt loses its images. It cannot ask."),
    HostEvent::new("after_ingest", "user_prompt_accepted", &[Context]),
    HostEvent::new("before_compact", "pre_compact", &[Deny])
        .on_deny("no compaction now")
        .note("Compaction in the background does not come here."),
    HostEvent::new("after_compact", "post_compact", &[Context]),
    HostEvent::new("before_generate", "pre_llm_request", &[Deny, Rewrite, Answer])
        .on_deny("the turn ends, without the reason")
        .note("Only `model` can be changed: any other change is a deny."),
    HostEvent::new("after_generate", "post_llm_response", &[]).note(WATCHED),
    HostEvent::new("before_permission", "permission_request", &[]).note(WATCHED),
    HostEvent::new("after_permission", "permission_decided", &[]).note(WATCHED),
    HostEvent::new("before_tool_apply", "pre_tool_use", &[Deny, Rewrite])
        .on_deny("the tool does not run; the model sees that it was denied, and not why")
        .note("It cannot ask, and takes no result in place of the call: either is a deny."),
    HostEvent::new("after_tool_apply", "post_tool_use", &[Context]).note(
        "A result cannot be hidden or changed. A tool that failed is `post_tool_use_failure`.",
    ),
    HostEvent::new("after_tool_batch", "post_tool_batch", &[Context, Halt]),
    HostEvent::new("before_turn_end", "stop", &[KeepGoing])
        .on_deny("the agent goes on, with the reason as feedback; at most three times"),
];
