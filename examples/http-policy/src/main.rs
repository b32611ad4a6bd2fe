//! A policy service that evaluates the tool calls of all agents of a team.
//!
//!     POLICY_SECRET=it-is-a-secret cargo run -p http-policy [127.0.0.1:8787]

use std::error::Error;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use hmac_sha256::{HMAC, Hash};
use serde_json::{Value, json};

/// How old a request may be, in seconds.
const OLDEST: u64 = 300;

/// The rules. A step that no rule is about gets no opinion.
fn evaluate(step: &Value) -> Value {
    let text = |pointer| step.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let command = text("/tool_input/command");
    if command.contains("push") && command.contains("--force") {
        json!({"decision": "deny", "reason": "force push rewrites what others have pulled"})
    } else if command.contains("kubectl") && command.contains("prod") {
        json!({"decision": "ask", "reason": "this is production"})
    } else {
        json!({})
    }
}

/// Whether the sender knows the secret and the request is recent.
fn is_signed(headers: &HeaderMap, body: &[u8], secret: &[u8]) -> bool {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let timestamp = header("x-hookgate-timestamp").unwrap_or_default();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    if !timestamp.parse::<u64>().is_ok_and(|then| now.abs_diff(then) <= OLDEST) {
        return false;
    }
    let mac = HMAC::mac([timestamp.as_bytes(), b".", body].concat(), secret);
    let hex: String = mac.iter().map(|byte| format!("{byte:02x}")).collect();
    let theirs = header("x-hookgate-signature").unwrap_or_default();
    // Hashes are compared, so that the time this takes tells nothing about the signature.
    Hash::hash(format!("sha256={hex}").as_bytes()) == Hash::hash(theirs.as_bytes())
}

async fn answer(secret: State<Arc<String>>, headers: HeaderMap, body: Bytes) -> Response {
    if !is_signed(&headers, &body, secret.as_bytes()) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let Ok(step) = serde_json::from_slice(&body) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let mut response = Json(evaluate(&step)).into_response();
    // The hook wants to know that this is the answer to its request and to no other.
    if let Some(id) = headers.get("x-hookgate-request-id") {
        response.headers_mut().insert("x-hookgate-request-id", id.clone());
    }
    response
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let secret = std::env::var("POLICY_SECRET").map_err(|_| "POLICY_SECRET is not set")?;
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8787".to_owned());
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("listening on {}", listener.local_addr()?);
    let router = Router::new().route("/evaluate", post(answer)).with_state(Arc::new(secret));
    Ok(axum::serve(listener, router).await?)
}
