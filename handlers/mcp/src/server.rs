//! The server that a hook asks: a process or a service, with the same requests.

use std::time::Duration;

use hookgate_command::server::ProgramPool;
use hookgate_contract::{Failure, FailureClass, Invocation, Resource, quote};
use hookgate_secrets::Secrets;
use serde_json::Value;

use crate::http::{Caller, HttpServer};
use crate::message::{Outcome, Request, decision_in};
use crate::stdio::StdioSession;

/// How many pages of a list are read.
const MOST_PAGES: usize = 50;

/// A server of MCP.
#[derive(Debug)]
pub(crate) enum Server {
    Process(ProgramPool<StdioSession>),
    Service(Box<HttpServer>),
}

impl Server {
    /// Returns what must not appear in what the handler says.
    pub(crate) fn secrets(&self) -> Secrets {
        match self {
            Self::Process(pool) => pool.secrets(),
            Self::Service(server) => server.service.secrets().clone(),
        }
    }

    /// Makes a request for a step.
    ///
    /// # Errors
    /// Why there is no result: that of the connection, or of class `exit` if the server answers with
    /// an error.
    pub(crate) async fn request<'a>(
        &self,
        request: &Request,
        invocation: Invocation<'a>,
        secrets: &'a Secrets,
    ) -> Result<Value, Failure> {
        let outcome = match self {
            Self::Process(pool) => pool.call(invocation, request, secrets).await?,
            Self::Service(server) => {
                let _place = invocation.place(Resource::Request).await?;
                server.request(request, Caller::Hook(invocation)).await?
            }
        };
        match outcome {
            Outcome::Result(result) => Ok(result),
            Outcome::Error(code, message) => {
                let salvaged = decision_in(message.as_bytes());
                let message = quote::message(&secrets.hide(&message));
                let detail = format!("the server answers with error {code}: {message}");
                Err(Failure::new(FailureClass::Exit, detail).with_salvaged(salvaged))
            }
        }
    }

    /// Reads a list to its end: its items, which the result has under a key.
    ///
    /// # Errors
    /// As [`Server::request`], and of class `malformed` if it is no list.
    pub(crate) async fn list<'a>(
        &self,
        method: &'static str,
        key: &str,
        invocation: Invocation<'a>,
        secrets: &'a Secrets,
    ) -> Result<Vec<Value>, Failure> {
        let mut items = Vec::new();
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let params = cursor.map(|cursor| serde_json::json!({"cursor": cursor}));
            let request = Request::new(method, params.unwrap_or_default());
            let mut page = self.request(&request, invocation, secrets).await?;
            let Some(Value::Array(found)) = page.get_mut(key).map(Value::take) else {
                let detail = format!("the answer to `{method}` has no list `{key}`");
                return Err(Failure::new(FailureClass::Malformed, detail));
            };
            items.extend(found);
            cursor = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
            if cursor.is_none() {
                return Ok(items);
            }
        }
        let detail = format!("the answer to `{method}` has more than {MOST_PAGES} pages");
        Err(Failure::new(FailureClass::Oversize, detail))
    }

    /// Has a process ready; a service needs nothing before its first request.
    pub(crate) async fn warm_up(&self, hook: &str, secrets: &Secrets) -> Result<Duration, Failure> {
        match self {
            Self::Process(pool) => pool.warm_up(hook, secrets).await,
            Self::Service(_) => Ok(Duration::ZERO),
        }
    }

    /// Returns what it is, for a probe.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Process(pool) => pool.program().display().to_string(),
            Self::Service(server) => server.service.authority(),
        }
    }
}
