//! The events of Gemini CLI, and what it does with an answer at each.

use hookgate_contract::dialect::{HostEffect, HostEvent};

use HostEffect::{Answer, Ask, Context, Deny, Halt, KeepGoing, Message, Rewrite, RewriteResult};

const WATCHED: &str = "Gemini CLI only tells of it, and takes no decision.";

/// All events.
pub(super) static EVENTS: &[HostEvent] = &[
    HostEvent::new("SessionStart", "session_start", &[Context, Message])
        .note("Nothing can be denied here."),
    HostEvent::new("BeforeAgent", "user_prompt_submit", &[Deny, Context, Message, Halt])
        .on_deny("the prompt is dropped, and the user sees the reason")
        .note(
            "A prompt cannot be changed: what is added to it is context, any other change is a deny. \
             It cannot ask.",
        ),
    HostEvent::new("BeforeModel", "pre_llm_request", &[Deny, Rewrite, Answer, Message, Halt])
        .on_deny("the request is not sent, and the turn ends with the reason")
        .note("With several hooks a later answer replaces an earlier one, so hookgate says no allow."),
    HostEvent::new("BeforeToolSelection", "tool_selection", &[Rewrite]).note(
        "With a list of tools the model must call one of them; with an empty list it can call none.",
    ),
    HostEvent::new("AfterModel", "post_llm_response", &[Deny, RewriteResult, Message, Halt])
        .on_deny("the text is not shown, and the turn ends with the reason")
        .note(
            "It comes for each piece of an answer that is streamed, so a hook sees a part of the text \
             at a time.",
        ),
    HostEvent::new("BeforeTool", "pre_tool_use", &[Deny, Ask, Rewrite, Message, Halt])
        .on_deny("the tool does not run, and the model gets the reason")
        .note(
            "An allow does not skip the question to the user. Without a user an ask ends the session, or \
             waits until it is killed (`--yolo`). A text for the model has no place unless the tool is \
             denied.",
        ),
    HostEvent::new("AfterTool", "post_tool_use", &[Deny, Context, Message, Halt])
        .on_deny("the result is replaced by `Tool result blocked: ` and the reason")
        .note(
            "A changed result comes as such a reason. A tool that failed is `post_tool_use_failure`.",
        ),
    HostEvent::new("AfterAgent", "stop", &[KeepGoing, Message, Halt])
        .on_deny("the agent goes on, with the reason as its next prompt")
        .note("Gemini CLI has no limit for that; hookgate has one (`[limits] stop_denials`)."),
    HostEvent::new("PreCompress", "pre_compact", &[Message]).note(
        "It comes before every request to the model, whether or not anything is compacted, and takes \
         no decision.",
    ),
    HostEvent::new("Notification", "notification", &[Message]).note(WATCHED),
    HostEvent::new("SessionEnd", "session_end", &[Message])
        .note("It is not awaited, and may come several times."),
];
