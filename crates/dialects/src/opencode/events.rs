//! The calls of an OpenCode plugin, and what it can do at each.

use hookgate_contract::dialect::{HostEffect, HostEvent};

use HostEffect::{Allow, Ask, Context, Deny, Rewrite, RewriteResult};

/// All events.
pub(super) static EVENTS: &[HostEvent] = &[
    HostEvent::new("tool.execute.before", "pre_tool_use", &[Deny, Rewrite])
        .on_deny("the tool does not run, and the model gets the reason")
        .note(
            "It cannot ask: an ask is a deny. OpenCode drops a plugin that cannot be loaded without a \
             word, and then nothing is judged: `hookgate doctor` finds that.",
        ),
    HostEvent::new("tool.execute.after", "post_tool_use", &[Deny, RewriteResult, Context])
        .on_deny("the result is replaced by the reason"),
    HostEvent::new("chat.message", "user_prompt_submit", &[Deny, Rewrite, Context])
        .on_deny("the prompt is not taken")
        .note(
            "It cannot ask: an ask is a deny. `opencode run` says \"Unexpected server error\" in place of \
             the reason.",
        ),
    HostEvent::new("permission.ask", "permission_request", &[Deny, Ask, Allow])
        .on_deny("the tool does not run")
        .note("OpenCode has this call, and never made it while it was watched."),
    HostEvent::new("experimental.session.compacting", "pre_compact", &[])
        .note("Compaction cannot be refused."),
    HostEvent::new("event", "x.opencode.event", &[]).note(
        "The plugin passes four kinds on: a session that was created, deleted or compacted, and an error. \
         None of them takes a decision.",
    ),
];
