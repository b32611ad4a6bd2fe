//! The form of hooks.toml, for its schema. The loader reads the file key by key, to know the span of
//! each mistake; a test compares the two (`tests/config/schemas.rs`).

#![expect(dead_code, reason = "these types are only looked at by the generator of the schema")]

use std::collections::BTreeMap;

use hookgate_contract::payload::Safety;
use hookgate_contract::{Mode, Posture, Role};
use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::conditions::{Conditions, Tests};
use super::execution::{BackgroundToml, FallbackToml, RetryToml, StreamToml};
use super::handlers::{Builtin, Cedar, Command, Http, Mcp, Prompt, Rego};
use super::lists::OneOrMore;
use super::texts::{DurationText, EventName, GlobPattern, NamePattern, RegexPattern, Size};
use crate::decision::Outcome;

/// The hooks of an agent runtime.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct HooksToml {
    /// The version of the format: 1.
    #[schemars(extend("default" = 1))]
    version: Option<u32>,
    /// Whether the file may have no hook at all.
    #[schemars(extend("default" = false))]
    allow_empty: Option<bool>,
    /// Other files that belong to this one, relative to it, and of the same layer: their hooks come
    /// after its own. The name of a file may be a pattern (`policies/*.toml`). Each file counts once;
    /// `after`, `before` and `[require]` name hooks of the same file.
    include: Option<OneOrMore<String>>,
    /// Shared packs of hooks, each by its path or https URL and its hash: `guards.pack@sha256:…`. Their hooks
    /// come before those of this file and are of the same layer. `hookgate pack` makes one.
    extends: Option<OneOrMore<String>>,
    /// Bounds and defaults.
    limits: Option<LimitsToml>,
    /// What hooks may add to a turn, and in which order it stands in the prompt.
    contributions: Option<ContributionsToml>,
    /// What must be guarded by a hook that enforces; else its steps are denied.
    require: Option<RequireToml>,
    /// Hooks of this layer, or of one below, to go without.
    disable: Option<Vec<DisableToml>>,
    /// Handlers that several hooks use, by the names that these give as `handler`.
    handler: Option<BTreeMap<String, SharedHandlerToml>>,
    /// The hooks.
    hook: Option<Vec<Hook>>,
}

/// A handler that is named once and shared by all hooks that name it. It has exactly one kind.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct SharedHandlerToml {
    /// What it may do: a hook at another event is a mistake, a contribution of another kind is illegal.
    capabilities: Option<CapabilitiesToml>,
    /// A Rust function of hookgate, by name, with its settings.
    builtin: Option<Builtin>,
    /// A process: envelope on stdin, verdict on stdout.
    command: Option<Command>,
    /// A service.
    http: Option<Http>,
    /// A tool or an interceptor of an MCP server.
    mcp: Option<Mcp>,
    /// A policy in Rego.
    rego: Option<Rego>,
    /// Policies in Cedar.
    cedar: Option<Cedar>,
    /// A language model as a judge.
    prompt: Option<Prompt>,
    /// A kind of the embedder, named by `kind`, with its settings.
    handler: Option<Map<String, Value>>,
}

/// The manifest of a handler.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CapabilitiesToml {
    /// The kinds of contributions that it may give, and no others.
    contributes: Option<OneOrMore<ContributionKindName>>,
    /// The events at which it may be called, and no others.
    events: Option<OneOrMore<String>>,
    /// What must be there for it to work, in words.
    needs: Option<OneOrMore<String>>,
    /// What leaves the machine through it, in words.
    sends: Option<OneOrMore<String>>,
}

/// A hook to go without.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct DisableToml {
    /// The id of the hook. A hook of a layer above stays in force.
    id: String,
    /// Why, for those who read the file.
    reason: Option<String>,
}

/// Bounds and defaults.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LimitsToml {
    /// How long one dispatch may take, all its hooks together: "60s".
    dispatch_deadline: Option<DurationText>,
    /// How many bytes an envelope may have: "1MiB".
    payload: Option<Size>,
    /// How many bytes an answer may have: "256KiB".
    output: Option<Size>,
    /// How many background calls may wait.
    background_queue: Option<u64>,
    /// How many hooks of one step are called at the same time.
    concurrency: Option<u64>,
    /// How many processes of hooks may be at work at the same time, in the whole engine; without it 16 for each core,
    /// and at most an eighth of the files that the program may have open. Who comes later waits.
    processes: Option<u64>,
    /// The same for requests to services, servers of MCP and models; without it 256, and at most an eighth of the files.
    requests: Option<u64>,
    /// How many times in a row an agent can be kept from stopping.
    stop_denials: Option<u64>,
    /// At which decision the hooks after it are not called any more. With `ask`, an approval also
    /// speaks for the hooks after the one that asked; with `halt`, all are heard past a deny.
    stop_at: Option<StopAtToml>,
    /// Which integers are taken, from hosts and from hooks.
    integers: Option<IntegersToml>,
    /// Deadlines by kind of handler; without one 1 s for `builtin`, 30 s for `prompt`, 5 s for others.
    timeout: Option<BTreeMap<String, DurationText>>,
}

/// What hooks may add to a turn, and in which order it stands in the prompt.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ContributionsToml {
    /// The slots that come first, in this order; others follow in the order of their names.
    slots: Option<Vec<String>>,
    /// How many texts a turn may have, context and sections together.
    items: Option<u64>,
    /// How many bytes they may have: "32KiB".
    bytes: Option<Size>,
    /// How many tokens they may have, as the runtime counts them; without its help a quarter of the bytes.
    tokens: Option<u64>,
    /// The texts of each section; without it 8,000 bytes.
    section: Option<BudgetToml>,
    /// What is of a kind: `prompt_context` (without it 16 items, 12,000 bytes), `prompt_section` (16 items, 16,000 bytes), …
    kind: Option<BTreeMap<String, BudgetToml>>,
    /// The texts of a slot.
    slot: Option<BTreeMap<String, BudgetToml>>,
    /// The texts of a hook, by its id.
    hook: Option<BTreeMap<String, BudgetToml>>,
}

/// A bound for contributions together.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct BudgetToml {
    /// How many there may be.
    items: Option<u64>,
    /// How many bytes they may have: "4KB".
    bytes: Option<Size>,
    /// How many tokens they may have.
    tokens: Option<u64>,
}

/// What must be guarded by a hook that enforces.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RequireToml {
    /// Events that can be denied: some hook must enforce there.
    events: Option<OneOrMore<String>>,
    /// Hooks of this file that must enforce, at the events that they name.
    hooks: Option<OneOrMore<RequiredHookToml>>,
}

/// A hook that is required.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum RequiredHookToml {
    /// The id of the hook.
    Id(String),
    /// A hook that must be defined in just this way.
    Defined(RequiredDefinitionToml),
}

/// A hook with its definition.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RequiredDefinitionToml {
    /// The id of the hook.
    id: String,
    /// The hash of its definition; `hookgate check` says which one it has if another one is written here.
    #[schemars(regex(pattern = r"^[0-9a-f]{64}$"))]
    sha256: String,
}

/// At which decision the hooks after it are not called any more.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum StopAtToml {
    /// At an ask, a deny or a halt.
    Ask,
    /// At a deny or a halt; the default.
    Deny,
    /// At a halt.
    Halt,
}

/// Which integers are taken.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum IntegersToml {
    /// Those up to ±(2^53−1), which every reader of JSON understands alike; the default.
    Interoperable,
    /// All of 64 bits, digit by digit.
    Exact,
}

/// One hook.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Hook {
    /// A name of its own, shown in every decision.
    id: String,
    /// The event or events; `hookgate events` lists them. `*` is every event, `post_*` all that
    /// begin so, as far as the hook can have its role there.
    event: OneOrMore<EventName>,
    /// Tools: a name, a glob (`mcp__*`), alternatives (`Edit|Write`), `*` for all, `!Bash` for all
    /// but this.
    tool: Option<OneOrMore<NamePattern>>,
    /// Globs for the whole name of the tool, where `\` makes the next character literal.
    tool_glob: Option<OneOrMore<GlobPattern>>,
    /// Regular expressions for the whole name of the tool.
    tool_regex: Option<OneOrMore<RegexPattern>>,
    /// Lets `tool_regex` match a part of the name.
    #[schemars(extend("default" = false))]
    regex_search: Option<bool>,
    /// What the tool can do to the world.
    safety: Option<OneOrMore<Safety>>,
    /// Ids or types of agents, written as `tool` is.
    agent: Option<OneOrMore<NamePattern>>,
    /// Whether the agent must be a sub-agent, or must not be one.
    subagent: Option<bool>,
    /// Globs for the whole path of the folder in which a command works, or the session, without `.`, `..` and `//`.
    cwd_glob: Option<OneOrMore<GlobPattern>>,
    /// Conditions on JSON pointers into the tool's input, or into the payload if there is no
    /// tool. `*` as a token means any element, `/**` at the end any string below.
    input: Option<BTreeMap<String, Tests>>,
    /// Conditions on JSON pointers into the payload: `/tool_response`, `/prompt`, `/model`.
    payload: Option<BTreeMap<String, Tests>>,
    /// Tables of conditions, of which one must hold as a whole.
    any: Option<Vec<Conditions>>,
    /// A table of conditions that must not hold as a whole.
    not: Option<Conditions>,
    /// How much the hook may do; without it the handler decides, or the event.
    role: Option<Role>,
    /// Whether its verdict counts.
    #[schemars(extend("default" = "enforce"))]
    mode: Option<Mode>,
    /// The day from which on the hook is in force; before, it is on trial as `ID-trial`, with the mode `shadow`.
    #[schemars(regex(pattern = r"^\d{4}-\d{2}-\d{2}$"))]
    enforce_after: Option<String>,
    /// Lower is called first; 100 is the default.
    #[schemars(extend("default" = 100))]
    priority: Option<i64>,
    /// Hooks that are called before this one.
    after: Option<OneOrMore<String>>,
    /// Hooks that are called after this one.
    before: Option<OneOrMore<String>>,
    /// Hooks that must have answered in the same turn before this one is called, at the same event or an earlier
    /// one. If one has failed or was not called, this one fails with class `skipped`.
    needs: Option<OneOrMore<String>>,
    /// At events that gather something: what was gathered is not enough if this hook fails, and hooks `after` it are
    /// skipped.
    #[schemars(extend("default" = false))]
    required: Option<bool>,
    /// Labels.
    tags: Option<OneOrMore<String>>,
    /// Steps that show whether the hook works: `hookgate certify` sends them to it. Each has `step`, `decision`, and
    /// perhaps `event` and `patch`, as a case of `hookgate test`. One at least must not pass as it is.
    #[schemars(length(min = 1))]
    canary: Option<Vec<CanaryToml>>,
    /// How long the hook may take: "2s"; without it `timeout` in `[limits]` decides.
    timeout: Option<DurationText>,
    /// How often a call that has failed is tried again, within `timeout`; for what waits for something else, such as
    /// `command`, `http` and `mcp`.
    retry: Option<RetryToml>,
    /// The pieces by which a guard judges a text that still comes, in bytes; without it the hook waits for the whole.
    stream: Option<StreamToml>,
    /// Contributions that stand in for those of the hook if it fails.
    fallback: Option<FallbackToml>,
    /// What a failure of the hook counts as, unless a key for the class of the failure says otherwise.
    on_failure: Option<Posture>,
    /// What it counts as if the hook did not answer in time.
    on_timeout: Option<Posture>,
    /// What it counts as if the handler could not be started.
    on_spawn: Option<Posture>,
    /// What it counts as if the program ended with a status that is neither 0 nor 2.
    on_exit: Option<Posture>,
    /// What it counts as if the program was killed by a signal.
    on_signal: Option<Posture>,
    /// What it counts as if the answer is no verdict.
    on_malformed: Option<Posture>,
    /// What it counts as if the verdict says what it must not say at this event or in this role.
    on_illegal: Option<Posture>,
    /// What it counts as if the step or the answer is too large.
    on_oversize: Option<Posture>,
    /// What it counts as if the service cannot be reached.
    on_unreachable: Option<Posture>,
    /// What it counts as if the service answers with an error status.
    on_http_status: Option<Posture>,
    /// What it counts as if the service refuses the credentials.
    on_auth: Option<Posture>,
    /// What it counts as if too many calls wait already.
    on_overloaded: Option<Posture>,
    /// What it counts as if the handler or a condition panics.
    on_panic: Option<Posture>,
    /// What it counts as if its call was cancelled by something else than the host: a step that the host cancels does not happen.
    on_cancelled: Option<Posture>,
    /// What it counts as if a budget is used up.
    on_budget: Option<Posture>,
    /// What it counts as if a judge cannot tell.
    on_unsure: Option<Posture>,
    /// What it counts as if what would be called is not trusted.
    on_untrusted: Option<Posture>,
    /// What it counts as if what the hook counts or remembers cannot be read or kept, or was tampered with.
    /// `on_failure` does not set it where a failed guard denies.
    on_state: Option<Posture>,
    /// What it counts as if a condition on effects, time, history or an expression cannot be told, and
    /// the handler does not look for itself. `on_failure` does not set it.
    on_unclear: Option<Posture>,
    /// What it counts as if a hook that it depends on has failed or was not called.
    on_skipped: Option<Posture>,
    /// Runs beside the agent, which does not wait. With `"record"` its calls outlive the process, in the queue of jobs
    /// of the host; `{ record = "user" }` shows the user of the agent what becomes of them.
    #[schemars(extend("default" = false))]
    background: Option<BackgroundToml>,
    /// Merges its patches into the fields (RFC 7396).
    #[schemars(extend("default" = false))]
    merge: Option<bool>,
    /// Lets its allow count as an approval.
    #[schemars(extend("default" = false))]
    may_allow: Option<bool>,
    /// Says that its answer depends on the step alone, and that a call changes nothing: a program, a service or a model
    /// that is pure is called in shadow, too.
    #[schemars(extend("default" = false))]
    pure: Option<bool>,
    /// A Rust function of hookgate, by name, with its settings.
    builtin: Option<Builtin>,
    /// A process: envelope on stdin, verdict on stdout.
    command: Option<Command>,
    /// A service.
    http: Option<Http>,
    /// A tool or an interceptor of an MCP server.
    mcp: Option<Mcp>,
    /// A policy in Rego.
    rego: Option<Rego>,
    /// Policies in Cedar.
    cedar: Option<Cedar>,
    /// A language model as a judge.
    prompt: Option<Prompt>,
    /// The name of a shared handler; or a kind of the embedder, named by `kind`, with its settings.
    handler: Option<HandlerToml>,
}

/// A shared handler, or one of a kind of the embedder.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum HandlerToml {
    Shared(String),
    OfKind(Map<String, Value>),
}

/// A kind of contribution.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum ContributionKindName {
    Policy,
    PromptContext,
    PromptSection,
    ToolBundle,
    Audit,
    Diagnostic,
    BackgroundJob,
}

/// A step with what must come out, as a case of `hookgate test`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct CanaryToml {
    /// The event; without it that of the hook, if it has one only.
    event: Option<String>,
    /// The fields of the step: `{ tool_name = "Bash", tool_input = { command = "git push --force" } }`.
    step: Map<String, Value>,
    /// What must come out. With a `patch` it is `allow` if nothing is said.
    decision: Option<Outcome>,
    /// The fields that must be changed to these values; `{}` if none may be.
    patch: Option<Map<String, Value>>,
}
