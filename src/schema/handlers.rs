//! The settings of the kinds of handlers that hookgate has, for the schema of hooks.toml.
//!
//! A kind reads its settings key by key, to know the span of each mistake. A test compares its keys
//! with these (`tests/config/schemas.rs`).

#![expect(dead_code, reason = "these types are only looked at by the generator of the schema")]

use schemars::JsonSchema;
use serde_json::{Map, Value};

use super::config::{OneOrMore, Size};
use super::texts::DurationText;

/// A process: envelope on stdin, verdict on stdout. It has `argv` or `shell`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Command {
    /// The program and its arguments; paths start at the folder of the config.
    #[schemars(length(min = 1))]
    argv: Option<Vec<String>>,
    /// A text for a shell.
    #[schemars(length(min = 1))]
    shell: Option<String>,
    /// The shell; `sh` by default.
    shell_program: Option<String>,
    /// Variables of the host that the program gets.
    env: Option<Vec<String>>,
    /// Variables with a value.
    set_env: Option<Map<String, Value>>,
    /// Started for each step, or once for many steps.
    mode: Option<RunMode>,
    /// What is printed on stdout.
    stdout: Option<Stdout>,
    /// What an empty answer means.
    silence: Option<Silence>,
    /// How long the program may take to end after TERM: "200ms".
    grace: Option<DurationText>,
    /// Bounds of the process: time, memory, files, processes.
    limits: Option<Map<String, Value>>,
    /// What the process may touch.
    sandbox: Option<Map<String, Value>>,
    /// Whether the program runs below the shim.
    shim: Option<bool>,
    /// How many workers run.
    workers: Option<u64>,
    /// How many steps may wait for a worker.
    queue: Option<u64>,
    /// After how many steps a worker is replaced.
    max_calls: Option<u64>,
    /// How long a worker may take to start: "5s".
    startup: Option<DurationText>,
    /// Whether a step may be sent again after a worker has ended.
    idempotent: Option<bool>,
}

/// How often a program is started.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum RunMode {
    Plain,
    Worker,
}

/// What a program prints on stdout.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Stdout {
    Verdict,
    Context,
}

/// What an empty answer means.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Silence {
    Abstain,
    Failure,
}

/// A service: the envelope is posted, the answer is a verdict.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Http {
    /// Where to post; https, or http to a host that `allow_loopback` or `allow_private` names.
    #[schemars(regex(pattern = r"^https?://"))]
    url: String,
    /// Headers of every request; `${NAME}` is the value of a variable.
    headers: Option<Map<String, Value>>,
    /// The variables that `headers` may name.
    env: Option<Vec<String>>,
    /// Signs timestamp and body: `{ env = "SECRET" }`.
    hmac: Option<Map<String, Value>>,
    /// Sends a random id, which the answer must repeat.
    request_id: Option<bool>,
    /// How long a connection may take: "3s".
    connect_timeout: Option<DurationText>,
    /// Tries a second time if no connection was made.
    idempotent: Option<bool>,
    /// What status 204 means.
    silence: Option<Silence>,
    /// Hosts that may have a loopback address: `host:port`.
    allow_loopback: Option<Vec<String>>,
    /// Hosts that may have a private address: `host:port`.
    allow_private: Option<Vec<String>>,
    /// Trusts these authorities, and no others.
    ca_file: Option<String>,
    /// The certificate that the service sees.
    client_cert: Option<String>,
    /// The key of that certificate.
    client_key: Option<String>,
    /// Public keys that the service may have: `sha256:` and 64 hex digits.
    pin: Option<OneOrMore<String>>,
    /// "env" or the address of a proxy.
    proxy: Option<String>,
}

/// A language model as a judge. It has `prompt` or `prompt_file`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Prompt {
    /// The name of the model.
    #[schemars(length(min = 1))]
    model: String,
    /// The address of the server, up to `/chat/completions`.
    #[schemars(regex(pattern = r"^https?://"))]
    base_url: Option<String>,
    /// The environment variable of the key.
    api_key_env: Option<String>,
    /// Lets plain http go to private addresses.
    allow_plain_http: Option<bool>,
    /// The rule.
    prompt: Option<String>,
    /// The file with the rule.
    prompt_file: Option<String>,
    /// Constants for the rule.
    vars: Option<Map<String, Value>>,
    /// Replaces the text about what the judge is.
    system: Option<String>,
    /// 0 to 2, or "default".
    temperature: Option<Temperature>,
    /// A number for repeatable answers.
    seed: Option<i64>,
    /// How long an answer may be.
    max_tokens: Option<u64>,
    /// How the server is held to the form of the answer.
    response: Option<Response>,
    /// Models that are asked if the first cannot be.
    fallback: Option<Vec<Map<String, Value>>>,
    /// JSON pointers into the envelope: what the judge sees.
    show: Option<Vec<String>>,
    /// How large the excerpt may be: "32KiB".
    show_limit: Option<Size>,
    /// What becomes of a longer excerpt.
    on_cut: Option<OnCut>,
    /// Adds the beginning of the reply to the note of the vote.
    keep_answer: Option<bool>,
    /// "decision", "context", "rewrite", or a registered form.
    respond: Option<String>,
    /// Whether an allow of the model is an allow of the hook.
    speak_allow: Option<bool>,
    /// Replaces the model's reason.
    reason: Option<String>,
    /// Further attempts after a failure that may pass: 0 to 10.
    retries: Option<u64>,
    /// The first wait between attempts: "250ms".
    backoff: Option<DurationText>,
    /// Asks once more if the answer has not the requested form.
    repair: Option<bool>,
    /// How often the model is asked.
    samples: Option<u64>,
    /// How many answers must agree.
    agree: Option<u64>,
    /// Remembers answers: `{ ttl = "10m", size = 1000 }`, or false.
    cache: Option<Value>,
    /// Shares a request with judges that differ only in their rules.
    batch: Option<bool>,
    /// A cheaper judge: its settings, or the id of its hook.
    first: Option<Value>,
    /// Bounds: `concurrency`, `waiting`, `rate`.
    limits: Option<Map<String, Value>>,
    /// Budgets for each session and hour.
    budget: Option<Map<String, Value>>,
    /// Prices of models, for a million tokens.
    prices: Option<Map<String, Value>>,
}

/// The temperature of a model.
#[derive(JsonSchema)]
#[schemars(untagged)]
enum Temperature {
    Number(#[schemars(range(min = 0.0, max = 2.0))] f64),
    Default(DefaultWord),
}

#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum DefaultWord {
    Default,
}

/// How a server is held to the form of an answer.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum Response {
    Schema,
    JsonObject,
    Text,
}

/// What becomes of an excerpt that is too long.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
enum OnCut {
    Fail,
    Judge,
}
