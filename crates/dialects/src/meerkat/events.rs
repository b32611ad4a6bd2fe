//! The points of Meerkat, and what it does with an answer at each.

use hookgate_contract::dialect::{HostEffect, HostEvent};

use HostEffect::{Deny, Halt};

const GATE: &[HostEffect] = &[Deny, Halt];
const ENDS: &str = "the run ends with the reason";
const DONE: &str = "It has happened already: Meerkat, from 0.9 on, only tells of it.";
const FIXED: &str = "Nothing can be changed here, and it cannot ask: the run ends instead.";

/// All points.
pub(super) static EVENTS: &[HostEvent] = &[
    HostEvent::new("run_started", "run_started", GATE).on_deny(ENDS).note(FIXED),
    HostEvent::new("pre_llm_request", "pre_llm_request", GATE)
        .on_deny(ENDS)
        .note("Nothing can be changed here. The model and the messages are not told."),
    HostEvent::new("post_llm_response", "post_llm_response", GATE).on_deny(ENDS).note(FIXED),
    HostEvent::new("pre_tool_execution", "pre_tool_use", GATE)
        .on_deny("the run ends with the reason, and no call of the answer runs")
        .note(FIXED),
    HostEvent::new("post_tool_execution", "post_tool_use", GATE).on_deny(ENDS).note(
        "A result cannot be changed or hidden: the run ends instead. The arguments are not told. A tool \
         that failed is `post_tool_use_failure`.",
    ),
    HostEvent::new("turn_boundary", "turn_boundary", GATE).on_deny(ENDS).note(FIXED),
    HostEvent::new("run_completed", "run_completed", GATE)
        .on_deny("the run counts as failed")
        .note("The result is not told, and cannot be changed."),
    HostEvent::new("run_failed", "run_failed", &[]).note("The run has failed already."),
    HostEvent::new("runtime_input_accepted", "runtime_input", &[]).note(DONE),
    HostEvent::new("runtime_input_rejected", "runtime_input", &[]).note(DONE),
    HostEvent::new("runtime_input_deduplicated", "runtime_input", &[]).note(DONE),
    HostEvent::new("peer_ingress_committed", "peer_message", &[]).note(DONE),
    HostEvent::new("peer_egress_committed", "peer_message", &[]).note(DONE),
    HostEvent::new("interaction_completed", "interaction_completed", &[]).note(DONE),
];
