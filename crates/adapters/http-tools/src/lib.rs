//! hookgate for [tower](https://docs.rs/tower) 0.5 and [axum](https://docs.rs/axum/0.8) 0.8: hooks around tools that are
//! called over HTTP.
//!
//! ```
//! use std::sync::Arc;
//! use axum::{Json, Router, routing::post};
//! use hookgate::Engine;
//! use hookgate_http_tools::ToolLayer;
//! use serde_json::Value;
//!
//! let engine = Arc::new(Engine::without_hooks());
//! let layer = ToolLayer::new(move |head| {
//!     let id = head.headers.get("x-session")?.to_str().ok()?.to_owned();
//!     Some((engine.clone(), id)) // or the scope of this session
//! });
//! let app: Router = Router::new().route("/tools/echo", post(async |body: Json<Value>| body)).layer(layer);
//! # drop(app);
//! ```
//!
//! | hooks say | the answer over HTTP |
//! |---|---|
//! | clear | that of the tool, as the hooks of its result left it |
//! | deny | 403; a withheld result as well. The tool's service is not called in the first case |
//! | ask | 202 and the number of the question, if the host keeps [`Questions`]; else 428 |
//! | halt | 409 |
//!
//! The tool is the last segment of the path, its arguments are the body, which is JSON. The service gets the arguments that
//! were judged, and not the body that came. A request with a query is refused, since no hook would see it; what a service
//! reads from headers or other segments of the path, no hook sees either.

mod answer;
mod layer;
mod service;

pub use answer::Refusal;
pub use hookgate_session::Session;
pub use layer::{Questions, ToolLayer};
pub use service::ToolService;
