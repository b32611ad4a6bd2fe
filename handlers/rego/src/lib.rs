//! Hooks that are policies in Rego, the language of Open Policy Agent:
//! `rego = { file = "policy.rego", query = "data.hookgate.deny" }`.
//!
//! Use it for policies that you have, or that others write and test with the tools of OPA. They are
//! evaluated in process by [regorus](https://docs.rs/regorus): no server, no OPA, about 50 µs a step.
//!
//! # A policy
//! The input is the [envelope](hookgate_contract::Envelope) of the step. If the host knows effects
//! ([`kind_with`]), `input.effects` says what a tool call would do, as `hookgate effects` prints it.
//!
//! ```
//! use hookgate_contract::payload::ToolCall;
//! use hookgate_contract::settings::{Node, Settings};
//! use hookgate_contract::{BuildContext, Envelope, Handler, Invocation, StepContext, StepId, Verdict};
//! use serde_json::json;
//!
//! # fn main() -> std::io::Result<()> {
//! let folder = tempfile::tempdir()?;
//! let policy = r#"
//! package hookgate
//!
//! deny contains msg if {
//!     contains(input.tool_input.command, "--force")
//!     msg := sprintf("%s: push without --force", [input.tool_name])
//! }
//! "#;
//! std::fs::write(folder.path().join("policy.rego"), policy)?;
//!
//! // The settings, as hooks.toml has them:
//! // rego = { file = "policy.rego", query = "data.hookgate.deny" }
//! let node = Node::from_json(&json!({"file": "policy.rego", "query": "data.hookgate.deny"}));
//! let mut settings = Settings::new(&node);
//! let built = hookgate_rego::build(&mut settings, &BuildContext::new(folder.path(), 1024));
//! assert!(settings.finish().is_empty());
//! let Some(Handler::Sync(handler)) = built.map(|built| built.handler) else { unreachable!() };
//!
//! let call = ToolCall::new("Bash", json!({"command": "git push --force"}));
//! let (context, id) = (StepContext::new("session-1"), StepId::new(Some("step-1"), String::new));
//! let envelope = Envelope::new(&call, &context, &id, 1, 1 << 20);
//! let reply = handler.handle(Invocation::new("policy", &envelope));
//! assert_eq!(reply, Ok(Verdict::deny("Bash: push without --force")));
//! # Ok(())
//! # }
//! ```
//!
//! # What the value of a rule means
//! The name of the rule says it, or the setting `result`. Several rules can be asked together; the
//! strictest decision counts, with its reasons.
//!
//! | `result` | rules of the name | true, or texts | false, undefined, or no texts |
//! |---|---|---|---|
//! | `allow` | `allow`, `allowed`, `authorized`, `permit`, `permitted` | allow | **deny** |
//! | `deny` | `deny`, `denied`, `denies`, `block`, `forbid`, `reject`, `violation`, `violations` | deny | no opinion |
//! | `ask` | `ask` | ask | no opinion |
//! | `halt` | `halt` | halt | no opinion |
//! | `warn` | `warn`, `warning`, `warnings` | texts for the user | nothing |
//! | `context` | `context`, `add_context` | texts for the model | nothing |
//! | `verdict` | `verdict` | an object that is a [verdict](hookgate_contract::Verdict) | undefined is a failure |
//!
//! Texts are a string, a set or an array of strings, or objects with a text under `msg`, `message`,
//! `reason` or `description`. An `allow` rule may also be an object with `allowed` and `reason`.
//!
//! # Failures
//! An error of the evaluation is a failure, never an answer: OPA takes a condition that fails for one
//! that does not hold, and a `deny` with a broken condition would let the step pass.
//!
//! | what happens | class |
//! |---|---|
//! | a condition cannot be evaluated, a function is not there, two rules contradict each other | `malformed` |
//! | a rule for a whole verdict is undefined | `malformed` |
//! | the value of a rule has another form; what a rule that denies holds counts as a deny at least | `malformed` |
//! | the evaluation takes longer than `max_time` | `timeout` |
//!
//! The detail names file, line and column, and quotes the policy but nothing of the step. What the
//! library finds when it parses (syntax, names without a value) is an error of the config; what it finds
//! only when it evaluates (a function that is not there) is a failure of the first step that gets there.
//! `opa check --strict` or `regal` find more.
//!
//! `max_time` is looked at between instructions; a single built-in function is not interrupted. Memory is
//! not bounded: it would need an allocator of its own. For steps of more than 64 KiB the evaluation runs
//! on a blocking thread, within the deadline of the hook.
//!
//! # What of Rego there is
//! Rego v1, or v0 with `v0 = true`, with the functions of OPA for strings, numbers, arrays, sets, objects,
//! regular expressions, globs, encodings, networks (`net.cidr_contains`) and versions (`semver`). There is no
//! `http.send`, no clock (`time`), no YAML, no JWT, and `walk` only as a function: a policy that calls what
//! is not there fails.
//!
//! # Settings
//!
#![doc = include_str!("settings.md")]
//!
//! Paths are relative to the folder of the config. A change of a file makes another handler when the
//! config is loaded again, and a host that watches its config loads it then.
//!
//! # What it costs
//! 22 more packages in the command line, 34 in an engine without other features; a good part of the time to
//! compile them goes into procedural macros of regorus' dependency `vstd`. So it is a feature of the command
//! line that is off unless it is asked for: `cargo install hookgate-cli --features rego`.
//!
//! # Why regorus 0.12
//! From 0.13 on it needs Rust 1.95, later than hookgate promises. What was corrected since concerns the order
//! of statements in a rule, which is an error here and so a failure of the hook, and arithmetic whose result a
//! double does not hold: a policy that computes with numbers of the agent should bound them first.

mod answer;
mod error;
mod factory;
mod handler;
mod input;
mod meaning;
mod policy;
mod settings;

use std::sync::{Arc, LazyLock};

use hookgate_contract::settings::Settings;
use hookgate_contract::{BuildContext, BuiltHandler, EffectsFn, Envelope, HandlerKind};
use serde_json::Value;

pub use settings::SETTINGS;

/// The key of these handlers in a config.
pub const KIND: &str = "rego";

/// Returns the kind, to be added to a registry: no config can use it before.
#[must_use]
pub fn kind() -> HandlerKind {
    // One kind for the whole process, so that its handlers are kept across registries.
    static KIND_OF_CRATE: LazyLock<HandlerKind> = LazyLock::new(|| HandlerKind::new(KIND, build));
    KIND_OF_CRATE.clone()
}

/// Returns the kind with the effects that the host knows.
#[must_use]
pub fn kind_with(effects: impl Fn(&Envelope<'_>) -> Value + Send + Sync + 'static) -> HandlerKind {
    let effects: Arc<EffectsFn> = Arc::new(effects);
    HandlerKind::new(KIND, move |settings, context| {
        factory::build(settings, context, Some(Arc::clone(&effects)))
    })
}

/// Builds a handler.
pub fn build(settings: &mut Settings<'_>, context: &BuildContext<'_>) -> Option<BuiltHandler> {
    factory::build(settings, context, None)
}
