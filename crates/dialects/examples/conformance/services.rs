//! The services of a case: an HTTP server, a caller of MCP tools, a model. All answer what the case says.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::any;
use hookgate_agent_systems::foreign::{
    BoxFuture, McpCall, McpCaller, McpReply, Model, Question, Services,
};
use serde_json::Value;
use tokio::net::TcpListener;

use crate::case::Case;
use crate::error::Result;

/// A port at which nothing listens.
const NOBODY: u16 = 1;

/// A request that the server got.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    /// The headers; the names are lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

/// What the services of a case were asked.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    requests: Arc<Mutex<Vec<Received>>>,
    calls: Arc<Mutex<Vec<Value>>>,
    questions: Arc<Mutex<Vec<String>>>,
}

impl Asked {
    pub(crate) fn requests(&self) -> Vec<Received> {
        read(&self.requests)
    }

    pub(crate) fn calls(&self) -> Vec<Value> {
        read(&self.calls)
    }

    pub(crate) fn questions(&self) -> Vec<String> {
        read(&self.questions)
    }
}

fn read<T: Clone>(list: &Mutex<Vec<T>>) -> Vec<T> {
    list.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn note<T>(list: &Mutex<Vec<T>>, item: T) {
    list.lock().unwrap_or_else(PoisonError::into_inner).push(item);
}

/// Starts the HTTP server of a case and returns its port. It ends with the runtime.
pub(crate) async fn serve(case: &Case, asked: &Asked) -> Result<u16> {
    let http = case.get("http");
    let Some(status) = http.and_then(|http| http["status"].as_u64()) else { return Ok(NOBODY) };
    let status =
        StatusCode::from_u16(u16::try_from(status).unwrap_or_default()).unwrap_or_default();
    let body = http.map(|http| &http["body"]).map_or_else(String::new, |body| match body {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    });
    let (requests, delay) = (Arc::clone(&asked.requests), case.script(0).delay_ms);
    let answer = move |headers: HeaderMap, sent: Bytes| async move {
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let named =
            headers.iter().map(|(name, value)| (name.as_str().to_owned(), lossy(value.as_bytes())));
        note(&requests, Received { headers: named.collect(), body: lossy(&sent) });
        tokio::time::sleep(Duration::from_millis(delay)).await;
        (status, body)
    };
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let app = Router::new().fallback(any(answer));
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(port)
}

/// Returns the services that a case gives to its hooks.
pub(crate) fn of(case: &Case, asked: &Asked, shared: &Services) -> Services {
    let answers = Scripted {
        mcp: case.get("mcp").cloned(),
        answer: case.get("model_answer").cloned(),
        delay: Duration::from_millis(case.script(0).delay_ms),
        asked: asked.clone(),
    };
    let answers = Arc::new(answers);
    Services { http: shared.http.clone(), mcp: answers.clone(), model: answers }
}

#[derive(Debug)]
struct Scripted {
    mcp: Option<Value>,
    answer: Option<Value>,
    delay: Duration,
    asked: Asked,
}

impl McpCaller for Scripted {
    fn call<'a>(&'a self, call: &'a McpCall) -> BoxFuture<'a, Option<McpReply>> {
        Box::pin(async move {
            let mcp = self.mcp.as_ref()?;
            if mcp["connected"].as_bool() == Some(false) {
                return None;
            }
            note(&self.asked.calls, call.arguments.clone());
            tokio::time::sleep(self.delay).await;
            let text = match &mcp["text"] {
                Value::String(text) => text.clone(),
                Value::Null => String::new(),
                other => other.to_string(),
            };
            Some(McpReply { is_error: mcp["isError"].as_bool().unwrap_or(false), text })
        })
    }
}

impl Model for Scripted {
    fn ask<'a>(
        &'a self,
        question: &'a Question,
    ) -> BoxFuture<'a, std::result::Result<String, String>> {
        Box::pin(async move {
            note(&self.asked.questions, question.text.clone());
            tokio::time::sleep(self.delay).await;
            match &self.answer {
                Some(Value::String(text)) => Ok(text.clone()),
                Some(answer) => Ok(answer.to_string()),
                None => Err("the case has no answer of a model".to_owned()),
            }
        })
    }
}
