//! The hook config of another agent, run as that agent runs it.
//!
//! ```text
//! files ──load──▶ ForeignConfig ──selects──▶ hooks ──run──▶ RawRun ──read──▶ HookResult ──combine──▶ Outcome
//! ```
//!
//! What differs between agents is a [`HookSystem`]; what is the same (processes, requests, time limits) is
//! here. An outcome tells what the agent would do, and each way in which a hook failed without stopping
//! anything: the agents let the action run then, and hookgate says so.
//!
//! [`ForeignHooks`] runs all hooks of an event, as the agent would; [`run_hook`] runs one of them.
//!
//! ```
//! use std::sync::Arc;
//!
//! use hookgate_agent_systems::claude::ClaudeSystem;
//! use hookgate_agent_systems::foreign::{ForeignHooks, ForeignVerdict, Host, Layer, Services};
//! use serde_json::{Map, json};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let settings = json!({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
//!     {"type": "command", "command": "echo 'tests are frozen' >&2; exit 2"},
//! ]}]}});
//! let layer =
//!     Layer { name: "project".into(), file: ".claude/settings.json".into(), content: settings };
//! let host = Host {
//!     cwd: "/".into(),
//!     project: "/".into(),
//!     env: std::env::vars().collect(),
//!     interactive: true,
//!     facts: Map::new(),
//! };
//! let hooks = ForeignHooks::load(Arc::new(ClaudeSystem), &[layer], host, Services::default());
//! let step = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}});
//! let run = hooks.run("PreToolUse", step.as_object().unwrap()).await;
//! assert_eq!(run.outcome.verdict, ForeignVerdict::Deny);
//! assert_eq!(run.outcome.reason.as_deref(), Some("tests are frozen"));
//! # }
//! ```

mod config;
mod event;
mod hook;
mod host;
mod http;
mod js_json;
mod outcome;
mod places;
mod process;
mod run;
mod services;
mod spill;
mod system;

pub use config::{Action, CommandForm, ForeignConfig, ForeignHook, Layer, Shell, Warning};
pub use event::{EventRun, ForeignHooks};
pub use hook::{HookRun, run_hook};
pub use host::Host;
pub use http::HttpClient;
pub(crate) use js_json::parse_js;
pub use outcome::{Audience, ForeignVerdict, HookResult, HookStatus, Outcome};
pub use places::{fill_arguments, fill_paths};
pub use run::{Given, McpCall, Process, Question, RawRun, Request, RunEnd};
pub use services::{BoxFuture, McpCaller, McpReply, Model, Services};
pub(crate) use spill::{keep_text, session_part};
pub use system::{HookSystem, Order, Selection};
