//! What a hook may need beside processes: the tools of MCP servers, a model, HTTP.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::http::HttpClient;
use super::run::{McpCall, Question};

/// A future in a box.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a tool of an MCP server answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpReply {
    /// Whether the tool says that it failed (`isError`).
    pub is_error: bool,
    /// The texts of the answer, joined.
    pub text: String,
}

/// Calls tools of the MCP servers that the host is connected to.
pub trait McpCaller: fmt::Debug + Send + Sync {
    /// Calls a tool. `None` if the server is not connected.
    fn call<'a>(&'a self, call: &'a McpCall) -> BoxFuture<'a, Option<McpReply>>;
}

/// Asks a model.
pub trait Model: fmt::Debug + Send + Sync {
    /// Returns the text that the model answered.
    ///
    /// # Errors
    /// The future fails, with the reason in words, if there is no answer.
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Result<String, String>>;
}

/// What hooks are run with. Copies share the same services.
#[derive(Debug, Clone)]
pub struct Services {
    /// For hooks of type `http`.
    pub http: HttpClient,
    /// For hooks that call a tool of an MCP server.
    pub mcp: Arc<dyn McpCaller>,
    /// For hooks that ask a model.
    pub model: Arc<dyn Model>,
}

impl Default for Services {
    /// HTTP, no MCP server, no model.
    fn default() -> Self {
        Self { http: HttpClient::default(), mcp: Arc::new(NoMcp), model: Arc::new(NoModel) }
    }
}

#[derive(Debug)]
struct NoMcp;

impl McpCaller for NoMcp {
    fn call<'a>(&'a self, _call: &'a McpCall) -> BoxFuture<'a, Option<McpReply>> {
        Box::pin(std::future::ready(None))
    }
}

#[derive(Debug)]
struct NoModel;

impl Model for NoModel {
    fn ask<'a>(&'a self, _question: &'a Question) -> BoxFuture<'a, Result<String, String>> {
        Box::pin(std::future::ready(Err("there is no model to ask".to_owned())))
    }
}
