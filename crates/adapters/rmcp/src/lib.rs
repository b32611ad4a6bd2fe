//! hookgate for [rmcp](https://docs.rs/rmcp/3) 3: hooks around the tools of an MCP server.
//!
//! ```
//! use std::sync::Arc;
//! use hookgate::Engine;
//! use hookgate_rmcp::Judged;
//! use rmcp::{ServerHandler, ServiceExt};
//!
//! struct Tools;
//! impl ServerHandler for Tools {}
//!
//! # async fn serve(transport: tokio::io::DuplexStream) -> Result<(), Box<dyn std::error::Error>> {
//! let engine = Arc::new(Engine::without_hooks());
//! // All but calls of tools goes to the server as it is.
//! let server = Judged::new(Tools, (engine, "session-1"));
//! server.serve(transport).await?.waiting().await?;
//! # Ok(()) }
//! ```
//!
//! | hooks say | the answer to `tools/call` |
//! |---|---|
//! | clear | that of the tool, as the hooks of its result left it |
//! | deny, halt | a tool error with the words of the hooks; the tool does not run |
//! | deny a result | a tool error in its place |
//! | ask | an input-required answer; a tool error if the client speaks an older protocol than 2026-07-28, or cannot ask its user |
//!
//! A question goes to the client as a form with one field, `approve`. The call is parked in the opaque state of the answer,
//! signed by the engine. When the client calls again with that state, what was asked about runs, once, and not what stands
//! in the second call. The client has its user answer, or says so: an approval is worth what the client is. The state can be
//! read by it, and holds the call as it would run, after all rewriters. Processes that share an
//! [approval key](hookgate::Engine::with_approval_key) resume a question once each, so send a session to one of them.
//!
//! A tool may ask the client for input itself. What it asks is judged as a result is; what the client answers is for the
//! tool alone, and no hook sees it. The call is judged in each round.
//!
//! Tasks are refused, since their results come where no hook sees them: a tool that begins one has failed, and `tasks/get`
//! is not found. Progress and log messages, prompts and resources go past hooks.

mod judged;
mod question;
mod result;

pub use hookgate_session::Session;
pub use judged::Judged;
