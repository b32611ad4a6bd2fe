//! The hook engine for AI-agent runtimes.
//!
//! An agent runtime turns everything that is about to happen into a *step*: a prompt, a tool call, a
//! request to the model, a stop. A step cannot go on until a table of *hooks* has evaluated it, and the
//! table can be swapped while the agent runs. A configured guard is an enforced guard, or you are told.
//!
//! # The first program
//!
//! It prints `denied by no-shell: no shell here`:
//!
#![doc = concat!("```\n", include_str!("../examples/first_program.rs"), "```")]
//!
//! [`Hook`] says when a handler is invoked, [`HandlerTable`] checks all hooks and holds them, [`Engine`]
//! puts a table in force, and [`dispatch`](HookEngine::dispatch) returns the step in exactly one state of
//! its [`Gate`].
//!
//! # Guides
//!
//! | guide | for |
//! |---|---|
//! | [`docs::embedding`] | a runtime with hooks in ten minutes |
//! | [`docs::handlers`] | a handler of your own: a closure, a type, a kind for hooks.toml |
//! | [`docs::hot_swap`] | patterns for changing hooks while sessions run |
//! | [`docs::failure`] | what a failed hook counts as, and how you find out |
//! | [`docs::performance`] | what costs what, and how to keep it cheap |
//! | [`docs::limitations`] | what hookgate does not do |
//!
//! Text that is shown while it comes goes through a [`stream`] gate.
//!
//! `examples/runtime` of the repository is a small but real agent runtime: sessions, tools, questions to
//! the user, cancellation, reload, audit.
//!
//! # The way of a step
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
//! 1. **A step is proposed.** [`ToolUse::propose`] parses the arguments of a tool call once, and refuses
//!    JSON in which a key is twice, so that hooks and tool read the same values. The other events are
//!    plain structs in [`contract::payload`].
//! 2. **A table holds the hooks.** They come from Rust ([`Hook`]) or from hooks.toml ([`config`]).
//!    Patterns, order, roles and postures are checked when the table is built. A mistake is an error with
//!    file, line and column, never a hook that silently does nothing.
//! 3. **The engine decides.** A state that an event cannot reach is
//!    [`Infallible`](std::convert::Infallible) in its type and needs no arm in a `match`.
//! 4. **What was evaluated is what runs.** If a hook rewrote the step, every guard that had evaluated
//!    other bytes, and every guard that matches only now, evaluates the final ones. A cleared tool call
//!    is the only value that can be run, and running it uses it up. Its result is a step of its own.
//! 5. **The table is swapped** ([`Engine::swap`], [`Engine::edit`]) while dispatches run. Each dispatch
//!    sees exactly one table, and every decision carries its generation.
//! 6. **Records are made on request**: for one dispatch ([`Engine::dispatch_reported`]), as a stream
//!    ([`Engine::subscribe`]), or all of them without loss ([`Recorder`]). Without a reader none is made.
//!
//! ```
//! use hookgate::{Engine, Gate, HookEngine, StepContext, ToolUse};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! # let (engine, context) = (Engine::without_hooks(), StepContext::new("session-1"));
//! assert!(ToolUse::propose("Bash", r#"{"command":"ls","command":"rm -rf /"}"#).is_err());
//!
//! let listing = ToolUse::propose("Bash", r#"{"command":"ls"}"#)?;
//! if let Gate::Cleared(tool) = engine.dispatch(listing, &context).await {
//!     let ran = tool.run(async |input| Ok::<_, String>(format!("ran {}", input["command"]))).await;
//!     if let Gate::Cleared(done) = engine.dispatch(ran, &context).await {
//!         assert_eq!(done.into_message(), "ran \"ls\"");
//!     }
//! }
//! # Ok::<_, hookgate::step::InputError>(()) }).unwrap();
//! ```
//!
//! # No hooks
//!
//! A runtime takes `E: HookEngine = Noop`. If it calls [`pass`](HookEngine::pass) first, its machine code
//! with [`Noop`] is the same as without hooks. With an [`Engine`], an event that has no hook costs one load
//! and a branch.
//!
//! # Paths
//!
//! The types of the paved path, which a first program needs, are at the root as well as in their module;
//! everything else is in its module only, and what a handler is written against is in [`contract`].
//!
//! # Features
//!
//! | feature | the module that it compiles |
//! |---|---|
//! | `builtin` (default) | `builtin`: handlers such as deny, ask, add_context, redact_secrets |
//! | `cedar` | `cedar`: handlers that are policies in Cedar |
//! | `command` | `command`: handlers that are processes, one for each step or workers that stay |
//! | `effects` | `effects`: conditions on what a tool call would do: programs, files, hosts |
//! | `conditions` | `conditions`: conditions on time, the git branch, marks and counts |
//! | `expr` | none: conditions that are expressions in CEL, in `conditions` |
//! | `http` | `http`: handlers that are services |
//! | `mcp` | `mcp`: handlers that ask MCP servers |
//! | `prompt` | `prompt`: judges, that is handlers that ask a language model |
//! | `rego` | `rego`: handlers that are policies in Rego |
//! | `diagnostics` | none: config errors become `miette` diagnostics |
//! | `schema` | `schema`: JSON Schemas of the wire formats |
//! | `testing` | `testing`: scripted handlers, captured records and a builder of steps, for tests |
//! | `tls-ring` (default) | none: the crypto provider of `https` in `http`, `mcp` and `prompt`, if one of them is on; `docs::embedding` says when to leave it out |
//! | `toml` (default) | none: hooks from files and texts; without it a text is a mistake that says so |
//! | `globs` (by `toml`) | none: globs for folders, `cwd_glob`; without it such a glob is a mistake that says so |
//! | `tracing` (default) | none: spans and events, as `docs::observability` lists them; without it nothing is logged |
//! | `tokio-util` | none: its cancellation token can cancel a dispatch |
//! | `watch` | `watch`: files that are followed; on Unix |
//!
//! A feature only compiles code; it registers nothing. A hooks.toml can use a kind of handler only if the
//! host has added it by name: `registry.add(hookgate::builtin::kind())`. So a feature that another crate
//! enables does not let a config start programs. A host that adds `command::kind()` also reads what that
//! module says of the shim and of `settle`.
//!
//! The command line `hookgate` (crate `hookgate-cli`) evaluates, checks and explains without code.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod step;

pub mod stream;

pub mod matcher;

pub mod table;

pub mod analysis;

mod dispatch;

pub mod decision;

pub mod certify;
mod clock;
pub mod config;
pub mod config_hash;
mod digest;
pub mod docs;
pub mod engine;
pub mod envelope;
pub mod events;
mod generation;
mod hex;
mod hook_id;
pub mod jobs;
pub mod layer;
mod log;
mod panic_boundary;
mod probe;
mod read_json;
pub mod recorder;
pub mod registry;
pub mod reload;
pub mod report;
pub mod require;
#[cfg(feature = "schema")]
pub mod schema;
#[cfg(feature = "testing")]
pub mod testing;
mod timer;
pub mod turn;
#[cfg(all(feature = "watch", any(unix, windows)))]
pub mod watch;

#[cfg(feature = "builtin")]
pub use hookgate_builtin as builtin;
#[cfg(feature = "cedar")]
pub use hookgate_cedar as cedar;
#[cfg(feature = "command")]
pub use hookgate_command as command;
#[cfg(feature = "conditions")]
pub use hookgate_conditions as conditions;
pub use hookgate_contract as contract;
#[doc(inline)]
pub use hookgate_contract::{
    Contract, Envelope, Event, EventKind, Failure, FailureClass, HandlerKind, Invocation, Mode,
    Posture, Role, StepContext, Verdict,
};
#[cfg(feature = "effects")]
pub use hookgate_effects as effects;
#[cfg(feature = "http")]
pub use hookgate_http as http;
#[cfg(feature = "mcp")]
pub use hookgate_mcp as mcp;
#[cfg(feature = "prompt")]
pub use hookgate_prompt as prompt;
#[cfg(feature = "rego")]
pub use hookgate_rego as rego;

/// What a runtime names in nearly every file: `use hookgate::prelude::*;`.
///
/// ```
/// use hookgate::prelude::*;
///
/// let hook = Hook::sync("no-bash", |_| Ok(Verdict::deny("no shell"))).event(Event::PreToolUse);
/// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?);
/// assert!(engine.armed(Event::PreToolUse));
/// # Ok::<_, hookgate::table::BuildErrors>(())
/// ```
pub mod prelude {
    pub use crate::engine::scope::Scope;
    pub use crate::engine::{DynHookEngine, Engine, HookEngine};
    pub use crate::step::{Asked, Cleared, Denied, Gate, Halted, HookStep, ToolUse};
    pub use crate::table::{HandlerTable, Hook};
    pub use hookgate_contract::{Event, StepContext, Verdict};
}

#[doc(inline)]
pub use config_hash::ConfigHash;
#[doc(inline)]
pub use decision::{Decision, Outcome};
#[doc(inline)]
pub use engine::noop::Noop;
#[doc(inline)]
pub use engine::scope::Scope;
#[doc(inline)]
pub use engine::{Engine, HookEngine, approval, scope};
#[doc(inline)]
pub use generation::Generation;
#[doc(inline)]
pub use hook_id::HookId;
#[doc(inline)]
pub use recorder::Recorder;
#[doc(inline)]
pub use registry::Registry;
#[doc(inline)]
pub use reload::Reloader;
#[doc(inline)]
pub use report::Report;
#[doc(inline)]
pub use step::{Answered, Asked, Cleared, Denied, Gate, Halted, HookStep, ToolUse};
#[doc(inline)]
pub use table::{HandlerTable, Hook, HookSpec};
