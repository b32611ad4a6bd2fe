//! The events of Codex, and what it does with an answer at each.

use hookgate_contract::dialect::{HostEffect, HostEvent};

use HostEffect::{Allow, Ask, Context, Deny, Halt, KeepGoing, Message, Rewrite, RewriteResult};

const GOES_ON: &str = "the agent goes on, with the reason as its next prompt";
const NO_CAP: &str =
    "Codex itself never ends a row of such denials; hookgate does (`stop_denials`).";

/// All events.
pub(super) static EVENTS: &[HostEvent] = &[
    HostEvent::new("SessionStart", "session_start", &[Context, Message, Halt])
        .note("Nothing can be denied here; a halt ends the turn.")
        // Elsewhere the model is a fact of the host.
        .fields(&[("model", "model")]),
    HostEvent::new("SubagentStart", "subagent_start", &[Context, Message])
        .note("A sub-agent cannot be stopped from here; deny the tool `spawn_agent` at PreToolUse."),
    HostEvent::new("SessionEnd", "session_end", &[])
        .note("A hook has 1 second, and 3 at most if the config says so."),
    HostEvent::new("UserPromptSubmit", "user_prompt_submit", &[Deny, Context, Message, Halt])
        .on_deny("the turn does not begin, and the user sees the reason")
        .note("A prompt cannot be changed: what is added to it is context, any other change is a deny. \
               It cannot ask. Prompts of sub-agents come here, too."),
    HostEvent::new("PreToolUse", "pre_tool_use", &[Deny, Rewrite, Context, Message])
        .on_deny("the tool does not run, and the model gets the reason")
        .note("It cannot ask or halt: both are a deny. An allow grants nothing. Tools that run at the \
               provider (web search) send no event."),
    HostEvent::new("PermissionRequest", "permission_request", &[Deny, Ask, Allow, Message])
        .on_deny("the tool does not run, and the model gets the reason")
        .note("Without an answer the user is asked. It cannot halt: that is a deny."),
    HostEvent::new("PostToolUse", "post_tool_use", &[Deny, RewriteResult, Context, Message])
        .on_deny("the model gets the reason in place of the result")
        .note("Calls that failed come here, too. A changed result is a text that Codex marks as feedback. \
               The turn cannot be ended: a halt hides the result."),
    HostEvent::new("PreCompact", "pre_compact", &[Deny, Message])
        .on_deny("the conversation is not compacted now")
        .note("The instructions for the summary cannot be changed."),
    HostEvent::new("PostCompact", "post_compact", &[Halt, Message]),
    HostEvent::new("SubagentStop", "subagent_stop", &[KeepGoing, Message, Halt])
        .on_deny(GOES_ON)
        .note(NO_CAP),
    HostEvent::new("Stop", "stop", &[KeepGoing, Message, Halt]).on_deny(GOES_ON).note(NO_CAP),
    HostEvent::new("Interrupt", "x.codex.interrupt", &[Message])
        .note("Codex only tells of it. A hook has 1 second, and 3 at most if the config says so."),
];
