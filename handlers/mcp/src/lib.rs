//! Hooks that are asked of MCP servers: `mcp = { server = { command = ["./scanner"] }, tool = "scan" }`.
//!
//! Use it where the decision is made by something that already is an MCP server: a scanner, a policy
//! service, a knowledge base. The server is a process on stdin and stdout, or a service over HTTP
//! ("streamable HTTP").
//!
//! ```toml
//! [[hook]]
//! id = "scan"
//! event = "pre_tool_use"
//! tool = "Bash"
//! [hook.mcp]
//! server = { command = ["python3", "scanner.py"], startup = "5s" }
//! tool = "scan"
//! arguments = { command = "{{ tool_input.command }}", where = "{{ cwd | default(none) }}" }
//!
//! [[hook]]
//! id = "central"
//! event = "pre_tool_use"
//! mcp = { server = { url = "https://mcp.example.com/mcp" }, interceptor = "pii" }
//! ```
//!
//! # A tool
//! The text that the tool answers is the [verdict](hookgate_contract::Verdict), as JSON:
//! `{"decision":"deny","reason":"…"}`, or `{}` for no opinion. Without a text the structured content is
//! read. Strings in `arguments` are templates over the envelope; one that is a single expression keeps the
//! type of its value ([`ValueTemplate`](hookgate_contract::template::ValueTemplate)). Without `arguments` the tool
//! gets the whole envelope under the name `envelope`.
//!
//! # An interceptor
//! An interceptor, as the proposal SEP-2624 has it, is asked with `interceptor/invoke`. A validator that
//! finds a payload not valid denies, unless it says `warn` or `info`; a mutator changes the step, for which
//! the hook needs `role = "rewrite"`.
//!
//! | event | operation | phase | payload |
//! |---|---|---|---|
//! | `pre_tool_use`, `permission_request` | `tools/call` | request | `name`, `arguments` |
//! | `post_tool_use`, `post_tool_use_failure` | `tools/call` | response | the result: `content`, `isError` |
//! | `pre_llm_request` | `llm/completion` | request | `model`, `messages`, `max_tokens`, `temperature` |
//! | `post_llm_response` | `llm/completion` | response | `role`, `content` |
//! | any other | `hookgate/` and the event | request; response at result events | the fields of the step |
//!
//! The server says for which operations an interceptor is there (`interceptors/list`), and one that is not
//! there for the operation of a step is a failure of class `illegal`. One that the server declares to be for
//! `audit` only decides nothing, and what it would have said is told to the user. What a failure counts as
//! is the posture of the hook, whatever `failOpen` the server declares.
//!
//! # Failures
//!
//! | what happens | class |
//! |---|---|
//! | the tool fails (`isError`), or the server answers with an error | `exit` |
//! | the text is not a verdict, there is none, or more than one | `malformed` |
//! | a line or an answer that is no message of MCP, or answers another request | `malformed` |
//! | an answer of more than `limits.output` bytes | `oversize` |
//! | the process cannot be started, speaks an unknown version, or dies again and again | `spawn` |
//! | the process dies in a call | `exit`, `signal` |
//! | the service cannot be reached; its status; its credentials; its address | as for `http` handlers |
//!
//! An ask, deny or halt that can be made out in whatever arrived is kept: the failure counts as no less.
//!
//! # The server
//! A process is started at the first call, or by the probe, and stays. It answers one call at a time (more
//! with `workers`). It is what a program of a `command` handler is: found from the folder of the config and
//! pinned, with an allow-list of variables and a process group of its own, and ended with its hook. One that
//! dies is replaced, from the second time on ever later (100 ms, 200 ms, … 12.8 s). A call that is given up
//! is cancelled (`notifications/cancelled`), and a process that does not answer a ping within `grace` then is
//! ended. What it asks of this client is refused, but for pings.
//!
//! Versions 2024-11-05 to 2025-11-25 of MCP are spoken with a handshake; a server that refuses the
//! handshake is asked without one, as 2026-07-28 has it. Requests of a service to this client are not
//! answered.
//!
//! # Why not the crate `rmcp`
//! It was tried: 75 s of processor time for a release build and 2.7 MB of a stripped binary for a client on
//! stdio alone, against nothing that hookgate does not have already but five small files. It starts
//! processes without pins, allow-list and process group, its tasks outlive a step and hang on one runtime,
//! and what it cannot parse it drops: a deny in a cut answer would be lost.
//!
//! # Settings
//!
#![doc = include_str!("settings.md")]
//!
//! Paths are relative to the folder of the config. A key that is not listed is an error.

mod factory;
mod handler;
mod http;
mod interceptor;
mod message;
mod server;
mod settings;
mod sse;
mod stdio;
mod tool;

use std::sync::LazyLock;

use hookgate_contract::settings::Settings;
use hookgate_contract::{BuildContext, BuiltHandler, HandlerKind};

pub use settings::SETTINGS;

/// The key of these handlers in a config.
pub const KIND: &str = "mcp";

/// Returns the kind, to be added to a registry: no config can use it before.
#[must_use]
pub fn kind() -> HandlerKind {
    // One kind for the whole process, so that its handlers are kept across registries.
    static KIND_OF_CRATE: LazyLock<HandlerKind> = LazyLock::new(|| HandlerKind::new(KIND, build));
    KIND_OF_CRATE.clone()
}

/// Builds a handler that asks a server.
pub fn build(settings: &mut Settings<'_>, context: &BuildContext<'_>) -> Option<BuiltHandler> {
    factory::build(settings, context)
}
