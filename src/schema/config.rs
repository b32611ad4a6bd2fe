//! The form of hooks.toml, for its schema. The loader reads the file key by key, to know the span of
//! each mistake; a test compares the two (`tests/config/schemas.rs`).

#![expect(dead_code, reason = "these types are only looked at by the generator of the schema")]

use std::collections::BTreeMap;

use hookgate_contract::contribution::Contribution;
use hookgate_contract::payload::Safety;
use hookgate_contract::{Mode, Posture, Role};
use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::handlers::{Builtin, Cedar, Command, Http, Mcp, Prompt, Rego};
use super::texts::{
    DurationText, EventName, GlobPattern, NamePattern, Pattern, RegexPattern, Size,
};
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

/// A text, or several.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub(super) enum OneOrMore<T> {
    One(T),
    More(#[schemars(length(min = 1))] Vec<T>),
}

/// A text, or several, or a file of them.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum TextsOrFile<T> {
    One(T),
    More(#[schemars(length(min = 1))] Vec<T>),
    File(TextFile),
}

/// Values, or a file of texts.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum ValuesOrFile {
    Values(Vec<Value>),
    File(TextFile),
}

/// A file with one text a line.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct TextFile {
    /// The file; a relative path begins at the folder of the config.
    file: String,
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

/// Whether anybody waits for a hook.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum BackgroundToml {
    Waits(bool),
    Recorded(RecordToml),
    RecordedFor(RecordedForToml),
}

/// That they are recorded, and whom what becomes of them is of interest to.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RecordedForToml {
    record: WhomToml,
}

/// The user of the agent, or who runs it.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum WhomToml {
    User,
    Operator,
}

/// That the calls of a hook are recorded.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum RecordToml {
    Record,
}

/// One contribution, or several.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum FallbackToml {
    One(Box<Contribution>),
    More(#[schemars(length(min = 1))] Vec<Contribution>),
}

/// How often a call that has failed is tried again.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RetryToml {
    /// How many attempts may follow the first one.
    #[schemars(range(min = 1, max = 10))]
    times: u32,
    /// The wait before the second attempt; it doubles with each further one, up to a minute.
    #[schemars(extend("default" = "200ms"))]
    backoff: Option<DurationText>,
    /// How long one attempt may take; without it the attempts share `timeout`, if a timeout is retried.
    attempt: Option<DurationText>,
    /// The classes of failure after which it is tried again; without it timeout, unreachable and overloaded.
    on: Option<OneOrMore<RetriedClass>>,
}

/// The pieces by which a guard judges a text that still comes.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct StreamToml {
    /// How many bytes that it has not seen a window has at most; it ends with a sentence.
    #[schemars(range(min = 16, max = 1_048_576), extend("default" = 800))]
    window: Option<u32>,
    /// How many bytes before these it sees again; without it a quarter of the window.
    overlap: Option<u32>,
}

/// A class of failure that may pass by itself.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum RetriedClass {
    Timeout,
    Spawn,
    Exit,
    Signal,
    Malformed,
    Unreachable,
    HttpStatus,
    Overloaded,
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

/// Conditions that hold or fail as a whole.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Conditions {
    /// Tools, as in the hook.
    tool: Option<OneOrMore<NamePattern>>,
    /// Globs for the whole name of the tool.
    tool_glob: Option<OneOrMore<GlobPattern>>,
    /// Regular expressions for the whole name of the tool.
    tool_regex: Option<OneOrMore<RegexPattern>>,
    /// Lets `tool_regex` match a part of the name.
    regex_search: Option<bool>,
    /// What the tool can do to the world.
    safety: Option<OneOrMore<Safety>>,
    /// Ids or types of agents.
    agent: Option<OneOrMore<NamePattern>>,
    /// Whether the agent must be a sub-agent, or must not be one.
    subagent: Option<bool>,
    /// Globs for the whole path of the folder in which a command works, or the session.
    cwd_glob: Option<OneOrMore<GlobPattern>>,
    /// Conditions on JSON pointers into the tool's input.
    input: Option<BTreeMap<String, Tests>>,
    /// Conditions on JSON pointers into the payload.
    payload: Option<BTreeMap<String, Tests>>,
    /// Tables of conditions, of which one must hold as a whole.
    any: Option<Vec<Conditions>>,
    /// A table of conditions that must not hold as a whole.
    not: Option<Box<Conditions>>,
}

/// Tests of one value; all must hold.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Tests {
    #[schemars(flatten)]
    tests: PlainTests,
    /// Tests that must not hold.
    not: Option<Box<PlainTests>>,
}

/// Tests of one value, without a `not`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct PlainTests {
    /// There is a value, or there is none.
    exists: Option<bool>,
    /// The value is equal to this one; numbers compare by value.
    equals: Option<Value>,
    /// The value is equal to one of these, or to one of the lines of a file: `{ file = "names.txt" }`.
    one_of: Option<ValuesOrFile>,
    /// The value is a string that this glob matches as a whole; of several one is enough.
    glob: Option<TextsOrFile<GlobPattern>>,
    /// The value is a string in which this regular expression matches. `^` and `$` mean the ends
    /// of the text; `(?m)` makes them those of a line.
    regex: Option<RegexPattern>,
    /// The value is a string that contains this text, or one of these, or one of the lines of a file: `{ file = "names.txt" }`.
    contains: Option<TextsOrFile<Pattern>>,
    /// The value is a string that begins with this text, or one of these.
    starts_with: Option<TextsOrFile<Pattern>>,
    /// The value is a string that ends with this text, or one of these.
    ends_with: Option<TextsOrFile<Pattern>>,
    /// The value is a number greater than this one.
    gt: Option<f64>,
    /// The value is a number greater than or equal to this one.
    ge: Option<f64>,
    /// The value is a number less than this one.
    lt: Option<f64>,
    /// The value is a number less than or equal to this one.
    le: Option<f64>,
    /// The number of characters of a string, of entries of an array or a table.
    len: Option<Length>,
    /// Upper and lower case are the same in these tests of texts.
    ignore_case: Option<bool>,
}

/// A length, or bounds of it.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Length {
    Exact(u64),
    Bounds(LengthBounds),
}

/// Bounds of a length.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
struct LengthBounds {
    /// More than this.
    gt: Option<u64>,
    /// This or more.
    ge: Option<u64>,
    /// Less than this.
    lt: Option<u64>,
    /// This or less.
    le: Option<u64>,
}
