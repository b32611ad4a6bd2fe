//! The hook config of another agent, run as that agent runs it.
//!
//! ```text
//! files ──load──▶ ForeignConfig ──selects──▶ hooks ──run──▶ RawRun ──read──▶ HookResult ──combine──▶ Outcome
//! ```
//!
//! What differs between agents is a [`HookSystem`]; what is the same (processes, requests, time limits) is
//! here. An outcome tells what the agent would do, and each way in which a hook failed without stopping
//! anything: the agents let the action run then, and hookgate says so.

mod config;
mod event;
mod hook;
mod host;
mod http;
mod outcome;
mod places;
mod process;
mod run;
mod services;
mod system;

pub use config::{Action, CommandForm, ForeignConfig, ForeignHook, Layer, Shell, Warning};
pub use event::{EventRun, ForeignHooks};
pub use hook::{HookRun, run_hook};
pub use host::Host;
pub use http::HttpClient;
pub use outcome::{Audience, ForeignVerdict, HookResult, HookStatus, Outcome};
pub use places::{fill_arguments, fill_paths, fill_variables};
pub use run::{Given, McpCall, Process, Question, RawRun, Request, RunEnd};
pub use services::{BoxFuture, McpCaller, McpReply, Model, Services};
pub use system::{HookSystem, Order, Selection};
