//! hookgate for [rig](https://docs.rs/rig-core/0.44) 0.44, the newest version of rig-core for Rust 1.95: hooks around the
//! tools of an agent.
//!
//! ```
//! use std::sync::Arc;
//! use hookgate::Engine;
//! use hookgate_rig::Judged;
//! use rig_core::tool::{ErasedTool, Tool, ToolContext};
//!
//! struct Echo;
//! impl Tool for Echo {
//!     const NAME: &'static str = "echo";
//!     type Args = serde_json::Value;
//!     type Output = String;
//!     type Error = std::convert::Infallible;
//!     fn description(&self) -> String { "says it again".to_owned() }
//!     fn parameters(&self) -> serde_json::Value { serde_json::json!({"type": "object"}) }
//!     async fn call(&self, _: &mut ToolContext, args: Self::Args) -> Result<String, Self::Error> {
//!         Ok(args.to_string())
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! // `agent.tool(echo)` takes it as it takes the tool itself.
//! let echo = Judged::new(Echo, (Arc::new(Engine::without_hooks()), "session-1"));
//! let result = echo.execute(r#"{"a":1}"#.to_owned(), &mut ToolContext::new()).await;
//! assert_eq!(result.output().as_text(), Some(r#"{"a":1}"#));
//! # });
//! ```
//!
//! Tools are wrapped, and the hooks of rig's loop are not used, since these can neither rewrite nor answer. A tool that is
//! denied is a refusal of rig ([`ToolExecutionError::is_refusal`](rig_core::tool::ToolExecutionError::is_refusal)) with the
//! words of the hooks for the model. rig's loop goes on after that: a halt has the code [`HALTED`], by which a host ends
//! its run. A question is refused unless the host answers it ([`Judged::asks`]). What a tool leaves in its context beside
//! its result, the model does not read and no hook sees.

mod judged;

pub use hookgate_session::Session;
pub use judged::{Answer, HALTED, Judged, Problem};
