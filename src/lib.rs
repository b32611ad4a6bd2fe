//! The hook engine for AI-agent runtimes.
//!
//! Every step of an agent (a prompt, a tool call, a request to the model, a stop) is a typed value
//! that cannot go on until a table of hooks has evaluated it. The table is swapped while the agent
//! runs. A configured guard is an enforced guard, or you are told.
//!
//! ```text
//!  runtime ──propose──▶ step ──dispatch──▶ armed? ──no──▶ cleared                  (one load, one branch)
//!                                            │ yes
//!                                            ▼
//!                      table: matcher ▶ guards and rewriters in order ▶ verdicts
//!                                            │ checked against the contract, merged, applied
//!                                            ▼
//!            Cleared │ Answered │ Asked │ Denied │ Halted ──▶ observers are notified
//! ```
//!
//! # One step around the pipeline
//!
//! **1. A step is proposed.** [`ToolUse::propose`] parses the arguments of a tool call, once, and
//! refuses JSON in which a key is twice, so that hooks and tool read the same values. The other
//! events are plain structs in [`contract::payload`].
//!
//! ```
//! use hookgate::ToolUse;
//!
//! let push = ToolUse::propose("Bash", r#"{"command":"git push --force"}"#)?;
//! assert!(ToolUse::propose("Bash", r#"{"command":"ls","command":"rm -rf /"}"#).is_err());
//! # Ok::<_, hookgate::step::InputError>(())
//! ```
//!
//! **2. A table holds the hooks.** Hooks come from hooks.toml (see [`config`]) or from Rust (see
//! [`Hook`]). Everything is compiled and checked when the table is built: patterns, order,
//! roles, and what a failure of each hook counts as. A mistake is an error with file, line and
//! column, never a hook that silently does nothing.
//!
//! ```
//! # #[cfg(feature = "builtin")] {
//! use hookgate::{Registry, config::Loader};
//!
//! let registry = Registry::new();
//! registry.add(hookgate::builtin::kind());
//! let hooks = r#"
//! [[hook]]
//! id = "no-force-push"
//! event = "pre_tool_use"
//! tool = "Bash"
//! input = { "/command" = { regex = "push.*--force" } }
//! builtin = { name = "deny", reason = "force push is not allowed here" }
//! "#;
//! let table = Loader::new(&registry).parse("hooks.toml", hooks, ".".as_ref())?.table;
//! # }
//! # Ok::<_, hookgate::config::ConfigErrors>(())
//! ```
//!
//! **3. The engine decides.** [`Engine::dispatch`](HookEngine::dispatch) consumes the step and brings
//! it back in exactly one state. The states that an event cannot reach are
//! [`Infallible`](std::convert::Infallible) in its type: they need no arm.
//!
//! ```
//! # #[cfg(feature = "builtin")]
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! # use hookgate::{Registry, config::Loader};
//! # let registry = Registry::new();
//! # registry.add(hookgate::builtin::kind());
//! # let hooks = r#"
//! # [[hook]]
//! # id = "no-force-push"
//! # event = "pre_tool_use"
//! # builtin = { name = "deny", reason = "force push is not allowed here" }
//! # "#;
//! # let table = Loader::new(&registry).parse("hooks.toml", hooks, ".".as_ref()).unwrap().table;
//! use hookgate::{Engine, Gate, HookEngine, StepContext, ToolUse};
//!
//! let engine = Engine::new(table);
//! let context = StepContext::new("session-1").turn(3).cwd("/srv/ledger");
//! let push = ToolUse::propose("Bash", r#"{"command":"git push --force"}"#)?;
//! match engine.dispatch(push, &context).await {
//!     Gate::Cleared(tool) => {
//!         // The only way to run a tool: it uses the clearance up and hands over what was evaluated.
//!         let ran = tool.run(async |input| Ok::<_, String>(input.to_string())).await;
//!         # drop(ran);
//!     }
//!     Gate::Denied(denied) => {
//!         assert_eq!(denied.feedback(), "denied by no-force-push: force push is not allowed here");
//!     }
//!     Gate::Answered(_) | Gate::Asked(_) | Gate::Halted(_) => {}
//! }
//! # Ok::<_, hookgate::step::InputError>(()) }).unwrap();
//! ```
//!
//! **4. What was evaluated is what runs.** If a hook rewrote the step, every guard that had evaluated
//! other bytes, and every guard that matches only now, evaluates the final ones. A tool that has run
//! is a step of its own, `ToolUse<Ran>`, whose result can be rewritten or withheld.
//!
//! **5. The table is swapped.** [`Engine::swap`] puts another table in force while dispatches run;
//! each sees exactly one, and every decision carries its generation. [`Engine::edit`] changes single
//! hooks; of concurrent changes none is lost.
//!
//! **6. Records are made on request.** [`Engine::dispatch_reported`] returns the decision record with the
//! vote of every hook; [`Engine::subscribe`] a stream of typed events. Without them nothing of that is
//! made.
//!
//! # No hooks
//!
//! A runtime takes `E: HookEngine = Noop`. If it calls `pass` first, its machine code with [`Noop`]
//! is the same as without hooks; with `dispatch(…).await` alone a step is moved in and out of a future. With an [`Engine`] an event that has no hook costs one load and a branch.
//!
//! # Features
//!
//! | feature | gives |
//! |---|---|
//! | `builtin` (default) | the builtin handlers: deny, ask, add_context, redact_secrets, … |
//! | `command` | handlers that are processes: one for each step, or workers that stay |
//! | `http` | handlers that are services |
//! | `prompt` | handlers that ask a language model: judges |
//! | `diagnostics` | `miette` diagnostics of config errors |
//! | `schema` | JSON Schemas of the wire formats |
//! | `tokio-util` | its cancellation token cancels a dispatch |
//!
//! A feature makes code available and changes nothing by itself: a hooks.toml can use a kind of handler
//! only once the host has added it to its [`Registry`]. Each of the first four is also a module of that
//! name, with a function `kind()` for that. A host that lets hooks start programs reads
//! what `command` says of the shim and of `settle`.
//!
//! The command line `hookgate` (crate `hookgate-cli`) evaluates, checks and explains without code.

pub mod step;

pub mod matcher;

pub mod table;

mod dispatch;

pub mod decision;

mod clock;
pub mod config;
pub mod config_hash;
pub mod engine;
pub mod envelope;
pub mod events;
mod generation;
mod hex;
mod hook_id;
pub mod layer;
mod panic_boundary;
mod probe;
mod read_json;
pub mod recorder;
pub mod registry;
pub mod report;
pub mod require;
#[cfg(feature = "schema")]
pub mod schema;
mod timer;

#[cfg(feature = "builtin")]
pub use hookgate_builtin as builtin;
#[cfg(feature = "command")]
pub use hookgate_command as command;
pub use hookgate_contract as contract;
pub use hookgate_contract::{
    Contract, Envelope, Event, EventKind, Failure, FailureClass, HandlerKind, Invocation, Mode,
    Posture, Role, StepContext, Verdict,
};
#[cfg(feature = "http")]
pub use hookgate_http as http;
#[cfg(feature = "prompt")]
pub use hookgate_prompt as prompt;

pub use config_hash::ConfigHash;
pub use decision::{Decision, Outcome};
pub use engine::noop::Noop;
pub use engine::{Engine, HookEngine};
pub use generation::Generation;
pub use hook_id::HookId;
pub use recorder::Recorder;
pub use registry::Registry;
pub use report::Report;
pub use step::{Answered, Asked, Cleared, Denied, Gate, Halted, HookStep, ToolUse};
pub use table::{HandlerTable, Hook, HookSpec};
