//! The events: the one place in which each is described.
//!
//! [`with_events!`](crate::with_events!) calls a macro with the list of all events. From it come the
//! enum [`Event`](crate::Event) with the documentation of each variant, the
//! [`CONTRACTS`](crate::CONTRACTS), the contract and the field names of each payload, and,
//! in the crate `hookgate`, the steps with their states, the reader of envelopes and the JSON Schema.
//!
//! To add an event, add one entry here, and the struct of its payload in `payload/`. An entry says:
//!
//! ```text
//! Variant(Payload) "name" Kind [methods of `Contract` that apply] {
//!     about: "what happens, as a clause",
//!     on_deny: "what the runtime does after a deny",            (for kinds that can be denied)
//!     patch: [FIELD: JsonType, FIELD: JsonType nullable],       (in the order of application)
//!     contributions: [Kind],          (beside those that every event takes but an observed one)
//! }
//! ```

/// Calls a macro with the list of the built-in events. For the crates of hookgate only: the form of
/// the list may change in any version.
#[doc(hidden)]
#[macro_export]
macro_rules! with_events {
    ($callback:ident) => { $callback! {
        SessionStart(SessionStart) "session_start" Context [] { about: "a session begins" }
        SessionResume(SessionResume) "session_resume" Observe [] { about: "a user lets a session go on past its limit" }
        SessionEnd(SessionEnd) "session_end" Observe [ends_session] { about: "a session has ended" }
        RunStarted(RunStarted) "run_started" Gate [may_halt takes_context] {
            about: "a run begins",
            on_deny: "the prompt is not taken; the reason goes to the user",
            patch: [PROMPT: Text, PREPEND: Text, APPEND: Text] }
        RunCompleted(RunCompleted) "run_completed" Gate [] {
            about: "a run is done and its text goes to the caller",
            on_deny: "the result text is withheld",
            patch: [RESULT_TEXT: Text] }
        RunFailed(RunFailed) "run_failed" Observe [] { about: "a run has failed" }
        UserPromptSubmit(UserPromptSubmit) "user_prompt_submit" Gate [may_ask may_halt takes_context] {
            about: "a prompt comes in",
            on_deny: "the prompt is not taken; the reason goes to the user",
            patch: [PROMPT: Text, PREPEND: Text, APPEND: Text] }
        UserPromptAccepted(UserPromptAccepted) "user_prompt_accepted" Context [] { about: "a prompt has been taken" }
        UserInputRequested(UserInputRequested) "user_input_requested" Observe [] { about: "the agent waits for its user" }
        TurnPolicy(TurnPolicy) "turn_policy" Contribute [] {
            about: "the policy of a turn is gathered",
            contributions: [Policy] }
        TurnStart(TurnStart) "turn_start" Context [] { about: "a turn begins" }
        PromptContext(PromptContext) "prompt_context" Contribute [] {
            about: "the context of a prompt is gathered",
            contributions: [PromptContext] }
        PromptContextPlanned(PromptContextPlanned) "prompt_context_planned" Contribute [] {
            about: "the context of a prompt is gathered, once the turn is planned",
            contributions: [PromptContext] }
        ToolSelection(ToolSelection) "tool_selection" Contribute [] {
            about: "the tools of a turn are chosen",
            patch: [TOOL_NAMES: Names],
            contributions: [ToolBundle] }
        PromptCompile(PromptCompile) "prompt_compile" Contribute [] {
            about: "the sections of a prompt are gathered",
            contributions: [PromptSection] }
        PromptCompiled(PromptCompiled) "prompt_compiled" Observe [] { about: "a prompt has been put together" }
        PreLlmRequest(PreLlmRequest) "pre_llm_request" Gate [may_halt takes_answer] {
            about: "a request is about to go to the model",
            on_deny: "the request is not sent; the turn ends with the reason",
            patch: [
                MODEL: Text, MAX_TOKENS: Count nullable, TEMPERATURE: Number nullable,
                PROVIDER_PARAMS: Object nullable, MESSAGES: List
            ] }
        PostLlmResponse(PostLlmResponse) "post_llm_response" Gate [may_halt] {
            about: "the model has answered",
            on_deny: "the text is withheld (a stub with the reason takes its place), its tool calls are not run",
            patch: [ASSISTANT_TEXT: Text] }
        PreToolUse(ToolCall) "pre_tool_use" Gate [about_tool may_ask may_halt takes_context takes_answer] {
            about: "a tool is about to run",
            on_deny: "the tool does not run; the reason goes to the model as the tool's error",
            patch: [TOOL_INPUT: Json] }
        PermissionRequest(PermissionRequest) "permission_request" Gate [about_tool may_ask allow_approves] {
            about: "the user is about to be asked whether a tool may run",
            on_deny: "the tool does not run; the reason goes to the model as the tool's error" }
        PermissionDecided(PermissionDecided) "permission_decided" Observe [about_tool] { about: "it was decided whether a tool may run" }
        PostToolUse(PostToolUse) "post_tool_use" Result [about_tool may_halt takes_context] {
            about: "a tool has run",
            on_deny: "the result is withheld: the model gets a stub with the reason",
            patch: [TOOL_RESPONSE: Json, IS_ERROR: Flag] }
        PostToolUseFailure(PostToolUseFailure) "post_tool_use_failure" Result [about_tool may_halt takes_context] {
            about: "a tool has failed",
            on_deny: "the result is withheld: the model gets a stub with the reason",
            patch: [ERROR: Text] }
        PostToolBatch(PostToolBatch) "post_tool_batch" Context [may_halt] { about: "all tool calls of an answer are done" }
        TurnBoundary(TurnBoundary) "turn_boundary" Gate [may_halt takes_context] {
            about: "a turn has ended and the next one may begin",
            on_deny: "the run goes no further: it ends with the reason" }
        Stop(Stop) "stop" Gate [may_halt takes_context fails_open limits_denials] {
            about: "the agent wants to stop",
            on_deny: "the agent does not stop yet: the reason is its feedback" }
        SubagentStart(SubagentStart) "subagent_start" Context [] { about: "a sub-agent begins" }
        SubagentStop(SubagentStop) "subagent_stop" Gate [takes_context fails_open limits_denials] {
            about: "a sub-agent wants to stop",
            on_deny: "the agent does not stop yet: the reason is its feedback" }
        AgentSwitch(AgentSwitch) "agent_switch" Observe [] { about: "another agent takes over" }
        PreCompact(PreCompact) "pre_compact" Gate [fails_open] {
            about: "the conversation is about to be compacted",
            on_deny: "no compaction now",
            patch: [CUSTOM_INSTRUCTIONS: Text nullable, SUMMARY: Text] }
        PostCompact(PostCompact) "post_compact" Context [] { about: "the conversation has been compacted" }
        MaxIterations(MaxIterations) "max_iterations" Observe [] { about: "the limit of iterations is reached" }
        Notification(Notification) "notification" Observe [] { about: "the user is told something" }
        ConfigChange(ConfigChange) "config_change" Gate [may_ask] {
            about: "a configuration is about to change",
            on_deny: "the change is not applied" }
        WorktreeCreate(WorktreeCreate) "worktree_create" Gate [takes_context] {
            about: "a work tree is about to be created",
            on_deny: "the work tree is not created" }
        RuntimeInput(RuntimeInput) "runtime_input" Observe [] { about: "the runtime has taken an input, refused it, or had it already" }
        PeerMessage(PeerMessage) "peer_message" Observe [] { about: "a message between agents has been taken, or has gone out" }
        InteractionCompleted(InteractionCompleted) "interaction_completed" Observe [] { about: "a conversation with another agent is over" }
    } };
}
