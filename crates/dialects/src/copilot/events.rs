//! The events of GitHub Copilot, and what it does with an answer at each.
//!
//! Every event has two names. That in camelCase and that in PascalCase come with envelopes of another
//! form, and some answers are read in one of them only.

use hookgate_contract::dialect::{HostEffect, HostEvent};

use HostEffect::{Allow, Ask, Context, Deny, Halt, KeepGoing, Rewrite, RewriteResult};

const WATCHED: &str = "Copilot only tells of it, and takes no decision.";
const TOOL: &[HostEffect] = &[Deny, Ask, Allow, Rewrite, Context];
const TOOL_DENIED: &str = "the tool does not run, and the model gets the reason";
const TOOL_NOTE: &str = "An allow runs the tool without asking the user. The cloud agent denies in place of \
                         an ask, and so does a run without a user.";
const PERMISSION: &[HostEffect] = &[Deny, Ask, Allow, Halt];
const PERMISSION_NOTE: &str =
    "Of several hooks the last one wins, so that a later allow undoes an earlier deny.";
const RESULT: &[HostEffect] = &[Deny, RewriteResult, Context];
const RESULT_DENIED: &str = "the result is replaced by the reason";
const FAILURE_NOTE: &str = "Neither the error nor what the model sees of it can be changed.";
const PROMPT: &[HostEffect] = &[Deny, Rewrite, Context];
const PROMPT_DENIED: &str = "the turn ends with the reason";
const PROMPT_NOTE: &str =
    "An exit status of 2 has no effect here, only the answer in JSON. It cannot ask.";
const GOES_ON: &str = "the agent goes on, with the reason as feedback; at most 8 times in a row";

/// All events.
pub(super) static EVENTS: &[HostEvent] = &[
    HostEvent::new("sessionStart", "session_start", &[Context]).note("Nothing can be denied here."),
    HostEvent::new("sessionEnd", "session_end", &[]).note(WATCHED),
    HostEvent::new("userPromptSubmitted", "user_prompt_submit", PROMPT)
        .on_deny(PROMPT_DENIED)
        .note(PROMPT_NOTE),
    HostEvent::new("userPromptTransformed", "x.copilot.user_prompt_transformed", &[])
        .note("The text that goes to the model could be changed, which hookgate leaves alone."),
    HostEvent::new("preToolUse", "pre_tool_use", TOOL).on_deny(TOOL_DENIED).note(TOOL_NOTE),
    HostEvent::new("permissionRequest", "permission_request", PERMISSION)
        .on_deny(TOOL_DENIED)
        .note(PERMISSION_NOTE),
    HostEvent::new("postToolUse", "post_tool_use", RESULT).on_deny(RESULT_DENIED),
    HostEvent::new("postToolUseFailure", "post_tool_use_failure", &[]).note(FAILURE_NOTE),
    HostEvent::new("agentStop", "stop", &[KeepGoing]).on_deny(GOES_ON),
    HostEvent::new("subagentStart", "subagent_start", &[Context]),
    HostEvent::new("subagentStop", "subagent_stop", &[KeepGoing]).on_deny(GOES_ON),
    HostEvent::new("errorOccurred", "run_failed", &[]).note(WATCHED),
    HostEvent::new("preCompact", "pre_compact", &[]).note(WATCHED),
    HostEvent::new("notification", "notification", &[]).note(WATCHED),
    HostEvent::new("SessionStart", "session_start", &[Context]).note("Nothing can be denied here."),
    HostEvent::new("SessionEnd", "session_end", &[]).note(WATCHED),
    HostEvent::new("UserPromptSubmit", "user_prompt_submit", PROMPT)
        .on_deny(PROMPT_DENIED)
        .note(PROMPT_NOTE),
    HostEvent::new("PreToolUse", "pre_tool_use", TOOL).on_deny(TOOL_DENIED).note(
        "The tools have the names of Claude Code's, but not their arguments: `path` is `path`. An allow \
         runs the tool without asking the user.",
    ),
    HostEvent::new("PermissionRequest", "permission_request", PERMISSION)
        .on_deny(TOOL_DENIED)
        .note(PERMISSION_NOTE),
    HostEvent::new("PostToolUse", "post_tool_use", RESULT).on_deny(RESULT_DENIED),
    HostEvent::new("PostToolUseFailure", "post_tool_use_failure", &[]).note(FAILURE_NOTE),
    HostEvent::new("Stop", "stop", &[KeepGoing]).on_deny(GOES_ON),
    HostEvent::new("SubagentStart", "subagent_start", &[Context]),
    HostEvent::new("SubagentStop", "subagent_stop", &[KeepGoing]).on_deny(GOES_ON),
    HostEvent::new("ErrorOccurred", "run_failed", &[]).note(WATCHED),
    HostEvent::new("PreCompact", "pre_compact", &[]).note(WATCHED),
    HostEvent::new("Notification", "notification", &[]).note(WATCHED),
];
