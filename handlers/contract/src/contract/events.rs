//! The contracts of the built-in events.

use super::{Contract, EventKind, JsonType, PatchField};
use crate::contribution::ContributionKind;
use crate::event::Event;
use crate::patch_field;

const fn set(name: &'static str, shape: JsonType) -> PatchField {
    PatchField { name, shape, nullable: false }
}

const fn clear(name: &'static str, shape: JsonType) -> PatchField {
    PatchField { name, shape, nullable: true }
}

const NOT_SENT: &str = "the request is not sent; the turn ends with the reason";
const WITHHELD: &str = "the result is withheld: the model gets a stub with the reason";
const NOT_RUN: &str = "the tool does not run; the reason goes to the model as the tool's error";
const NOT_TAKEN: &str = "the prompt is not taken; the reason goes to the user";
const GOES_ON: &str = "the agent does not stop yet: the reason is its feedback";
const NEVER: &str = "";

const PROMPT: &[PatchField] = &[
    set(patch_field::PROMPT, JsonType::Text),
    set(patch_field::PREPEND, JsonType::Text),
    set(patch_field::APPEND, JsonType::Text),
];

const fn contribute(event: Event, name: &'static str, about: &'static str) -> Contract {
    Contract::new(event, name, EventKind::Contribute, about, NEVER)
}

const fn gate(
    event: Event,
    name: &'static str,
    about: &'static str,
    on_deny: &'static str,
) -> Contract {
    Contract::new(event, name, EventKind::Gate, about, on_deny)
}

const fn result(
    event: Event,
    name: &'static str,
    about: &'static str,
    on_deny: &'static str,
) -> Contract {
    Contract::new(event, name, EventKind::Result, about, on_deny)
}

const fn context(event: Event, name: &'static str, about: &'static str) -> Contract {
    Contract::new(event, name, EventKind::Context, about, NEVER)
}

const fn observe(event: Event, name: &'static str, about: &'static str) -> Contract {
    Contract::new(event, name, EventKind::Observe, about, NEVER)
}

/// The contracts of the built-in events, at the index of their event.
pub static CONTRACTS: [Contract; Event::COUNT - 1] = [
    context(Event::SessionStart, "session_start", "a session begins"),
    observe(Event::SessionResume, "session_resume", "a user lets a session go on past its limit"),
    observe(Event::SessionEnd, "session_end", "a session has ended"),
    gate(Event::RunStarted, "run_started", "a run begins", NOT_TAKEN)
        .may_halt()
        .takes_context()
        .takes_patch(PROMPT),
    gate(
        Event::RunCompleted,
        "run_completed",
        "a run is done and its text goes to the caller",
        "the result text is withheld",
    )
    .takes_patch(&[set(patch_field::RESULT_TEXT, JsonType::Text)]),
    observe(Event::RunFailed, "run_failed", "a run has failed"),
    gate(Event::UserPromptSubmit, "user_prompt_submit", "a prompt comes in", NOT_TAKEN)
        .may_ask()
        .may_halt()
        .takes_context()
        .takes_patch(PROMPT),
    context(Event::UserPromptAccepted, "user_prompt_accepted", "a prompt has been taken"),
    observe(Event::UserInputRequested, "user_input_requested", "the agent waits for its user"),
    contribute(Event::TurnPolicy, "turn_policy", "the policy of a turn is gathered")
        .takes_contributions(ContributionKind::POLICY),
    context(Event::TurnStart, "turn_start", "a turn begins"),
    contribute(Event::PromptContext, "prompt_context", "the context of a prompt is gathered")
        .takes_contributions(ContributionKind::PROMPT_CONTEXT),
    contribute(
        Event::PromptContextPlanned,
        "prompt_context_planned",
        "the context of a prompt is gathered, once the turn is planned",
    )
    .takes_contributions(ContributionKind::PROMPT_CONTEXT),
    contribute(Event::ToolSelection, "tool_selection", "the tools of a turn are chosen")
        .takes_contributions(ContributionKind::TOOL_BUNDLE)
        .takes_patch(&[set(patch_field::TOOL_NAMES, JsonType::Names)]),
    contribute(Event::PromptCompile, "prompt_compile", "the sections of a prompt are gathered")
        .takes_contributions(ContributionKind::PROMPT_SECTION),
    observe(Event::PromptCompiled, "prompt_compiled", "a prompt has been put together"),
    gate(
        Event::PreLlmRequest,
        "pre_llm_request",
        "a request is about to go to the model",
        NOT_SENT,
    )
    .may_halt()
    .takes_answer()
    .takes_patch(&[
        set(patch_field::MODEL, JsonType::Text),
        clear(patch_field::MAX_TOKENS, JsonType::Count),
        clear(patch_field::TEMPERATURE, JsonType::Number),
        clear(patch_field::PROVIDER_PARAMS, JsonType::Object),
        set(patch_field::MESSAGES, JsonType::List),
    ]),
    gate(
        Event::PostLlmResponse,
        "post_llm_response",
        "the model has answered",
        "the text is withheld (a stub with the reason takes its place), its tool calls are not run",
    )
    .may_halt()
    .takes_patch(&[set(patch_field::ASSISTANT_TEXT, JsonType::Text)]),
    gate(Event::PreToolUse, "pre_tool_use", "a tool is about to run", NOT_RUN)
        .about_tool()
        .may_ask()
        .may_halt()
        .takes_context()
        .takes_answer()
        .takes_patch(&[set(patch_field::TOOL_INPUT, JsonType::Json)]),
    gate(
        Event::PermissionRequest,
        "permission_request",
        "the user is about to be asked whether a tool may run",
        NOT_RUN,
    )
    .about_tool()
    .may_ask(),
    observe(
        Event::PermissionDecided,
        "permission_decided",
        "it was decided whether a tool may run",
    )
    .about_tool(),
    result(Event::PostToolUse, "post_tool_use", "a tool has run", WITHHELD)
        .about_tool()
        .may_halt()
        .takes_context()
        .takes_patch(&[
            set(patch_field::TOOL_RESPONSE, JsonType::Json),
            set(patch_field::IS_ERROR, JsonType::Flag),
        ]),
    result(Event::PostToolUseFailure, "post_tool_use_failure", "a tool has failed", WITHHELD)
        .about_tool()
        .may_halt()
        .takes_context()
        .takes_patch(&[set(patch_field::ERROR, JsonType::Text)]),
    context(Event::PostToolBatch, "post_tool_batch", "all tool calls of an answer are done")
        .may_halt(),
    gate(
        Event::TurnBoundary,
        "turn_boundary",
        "a turn has ended and the next one may begin",
        "the run goes no further: it ends with the reason",
    )
    .may_halt()
    .takes_context(),
    gate(Event::Stop, "stop", "the agent wants to stop", GOES_ON)
        .may_halt()
        .takes_context()
        .failing_open(),
    context(Event::SubagentStart, "subagent_start", "a sub-agent begins"),
    gate(Event::SubagentStop, "subagent_stop", "a sub-agent wants to stop", GOES_ON)
        .takes_context()
        .failing_open(),
    observe(Event::AgentSwitch, "agent_switch", "another agent takes over"),
    gate(
        Event::PreCompact,
        "pre_compact",
        "the conversation is about to be compacted",
        "no compaction now",
    )
    .failing_open()
    .takes_patch(&[
        clear(patch_field::CUSTOM_INSTRUCTIONS, JsonType::Text),
        set(patch_field::SUMMARY, JsonType::Text),
    ]),
    context(Event::PostCompact, "post_compact", "the conversation has been compacted"),
    observe(Event::MaxIterations, "max_iterations", "the limit of iterations is reached"),
    observe(Event::Notification, "notification", "the user is told something"),
    gate(
        Event::ConfigChange,
        "config_change",
        "a configuration is about to change",
        "the change is not applied",
    )
    .may_ask(),
    gate(
        Event::WorktreeCreate,
        "worktree_create",
        "a work tree is about to be created",
        "the work tree is not created",
    )
    .takes_context(),
];
