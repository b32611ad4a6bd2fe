//! The messages of MCP: JSON-RPC 2.0, one object each.
//!
//! Only what a caller of tools and interceptors needs is here. What a server says is read strictly: a
//! message with a key twice, or that is none of the three forms, makes the server out of step.

use hookgate_contract::{Failure, FailureClass, Verdict, VerdictDecision, json, quote};
use serde_json::{Map, Value, json};

/// The newest version with a handshake. It is what servers of all kinds know.
const VERSION: &str = "2025-11-25";

/// The versions whose handshake and answers are the same for what is used here.
const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", VERSION];

/// The version without a handshake: each request says for itself what the handshake would have said.
const STATELESS_VERSION: &str = "2026-07-28";

/// The largest integer that every language reads from JSON as it was written (2⁵³ − 1).
const LARGEST_ID: u64 = (1 << 53) - 1;

/// A request, before it has an id.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) params: Map<String, Value>,
}

impl Request {
    /// Makes a request of a method with parameters, which are an object.
    pub(crate) fn new(method: &'static str, params: Value) -> Self {
        let params = if let Value::Object(params) = params { params } else { Map::new() };
        Self { method, params }
    }

    /// The first request, which says who calls.
    pub(crate) fn initialize() -> Self {
        let params = json!({
            "protocolVersion": VERSION,
            "capabilities": {},
            "clientInfo": client(),
        });
        Self::new("initialize", params)
    }

    /// Returns the name of what is asked for, which some servers want in a header.
    pub(crate) fn name(&self) -> Option<&str> {
        self.params.get("name")?.as_str()
    }

    /// Returns the bytes of the request, without a line break.
    pub(crate) fn to_bytes(&self, id: u64, lifecycle: Option<&Lifecycle>) -> Vec<u8> {
        let mut params = self.params.clone();
        if lifecycle == Some(&Lifecycle::Stateless) {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": STATELESS_VERSION,
                "io.modelcontextprotocol/clientInfo": client(),
                "io.modelcontextprotocol/clientCapabilities": {},
            });
            params.insert("_meta".into(), meta);
        }
        let message = json!({"jsonrpc": "2.0", "id": id, "method": self.method, "params": params});
        message.to_string().into_bytes()
    }
}

fn client() -> Value {
    json!({"name": "hookgate", "version": env!("CARGO_PKG_VERSION")})
}

/// Returns the bytes of the notification that ends the handshake.
pub(crate) fn initialized() -> Vec<u8> {
    notification("notifications/initialized", &json!({}))
}

/// Returns the bytes of the notification that nobody waits for an answer any longer.
pub(crate) fn cancelled(id: u64) -> Vec<u8> {
    let params = json!({"requestId": id, "reason": "the step does not wait any longer"});
    notification("notifications/cancelled", &params)
}

fn notification(method: &str, params: &Value) -> Vec<u8> {
    json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string().into_bytes()
}

/// How a server and its callers know of each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lifecycle {
    /// By a handshake, in which this version was agreed on.
    Agreed(&'static str),
    /// By what each request says.
    Stateless,
}

/// The errors of a server that has no handshake: an unknown method, unknown parameters, an unknown version.
const WITHOUT_HANDSHAKE: [i64; 3] = [-32_601, -32_602, -32_004];

impl Lifecycle {
    /// Reads the answer to the handshake. A server that does not know it may know only the newer versions,
    /// which have none.
    ///
    /// # Errors
    /// Of class `spawn` if the server speaks a version that is not known, or refuses for another reason.
    pub(crate) fn read(answer: &Outcome) -> Result<Self, Failure> {
        let result = match answer {
            Outcome::Result(result) => result,
            Outcome::Error(code, _) if WITHOUT_HANDSHAKE.contains(code) => {
                return Ok(Self::Stateless);
            }
            Outcome::Error(code, text) => {
                let text = quote::message(text);
                let detail = format!("the server refuses the handshake (error {code}): {text}");
                return Err(Failure::new(FailureClass::Spawn, detail));
            }
        };
        let version = result.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
        let known = VERSIONS.into_iter().find(|known| *known == version);
        known.map(Self::Agreed).ok_or_else(|| {
            Failure::new(
                FailureClass::Spawn,
                format!(
                    "the server speaks version `{}` of MCP, hookgate speaks {}",
                    quote::Quoted(version),
                    VERSIONS.join(", ")
                ),
            )
        })
    }

    /// Returns the version, as a header names it.
    pub(crate) const fn version(&self) -> &'static str {
        match self {
            Self::Agreed(version) => version,
            Self::Stateless => STATELESS_VERSION,
        }
    }
}

/// What a server sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message {
    /// The answer to a request.
    Answer(u64, Outcome),
    /// A request of the server, with its id and its method.
    Request(Value, String),
    /// What needs no answer.
    Notification,
}

/// How a request ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    /// With a result.
    Result(Value),
    /// With an error: its code and its message.
    Error(i64, String),
}

impl Message {
    /// Reads a message.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let parsed = json::parse_with(bytes, json::Integers::Exact);
        let parsed = parsed.map_err(|error| format!("it is not JSON: {error}"))?;
        let Value::Object(mut message) = parsed else {
            return Err("it is not a JSON object".to_owned());
        };
        if message.get("jsonrpc") != Some(&"2.0".into()) {
            return Err("it has no `\"jsonrpc\":\"2.0\"`".to_owned());
        }
        let id = message.remove("id");
        let method = message.get("method").and_then(Value::as_str).map(str::to_owned);
        if let Some(method) = method {
            return Ok(id.map_or(Self::Notification, |id| Self::Request(id, method)));
        }
        let outcome = match (message.remove("result"), message.remove("error")) {
            (Some(result), None) => Outcome::Result(result),
            (None, Some(error)) => Outcome::Error(
                error.get("code").and_then(Value::as_i64).unwrap_or_default(),
                error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
            ),
            _ => return Err("it has neither a `result` nor an `error`".to_owned()),
        };
        let id = id.and_then(|id| id.as_u64()).ok_or("it answers no request: it has no `id`")?;
        Ok(Self::Answer(id, outcome))
    }
}

/// Finds the strictest ask, deny or halt in bytes that are no whole answer. A verdict is a text in a
/// message, so it is looked for without the signs that escape its quotes as well.
pub(crate) fn decision_in(bytes: &[u8]) -> Option<VerdictDecision> {
    let plain: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != b'\\').collect();
    Verdict::salvage_anywhere(bytes).max(Verdict::salvage_anywhere(&plain))
}

/// Returns the answer to a request of a server. Only a ping is answered: this client offers nothing.
pub(crate) fn answer_to(id: &Value, method: &str) -> Vec<u8> {
    let answer = match method {
        "ping" => json!({"jsonrpc": "2.0", "id": id, "result": {}}),
        _ => json!({"jsonrpc": "2.0", "id": id, "error": {
            "code": -32601, "message": "this client only asks: it offers no methods"}}),
    };
    answer.to_string().into_bytes()
}

/// Returns an id that cannot be guessed, so that what a step makes a server print cannot be taken for
/// an answer.
///
/// # Errors
/// If the system has no random numbers.
pub(crate) fn random_id() -> Result<u64, Failure> {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).map_err(|error| {
        Failure::new(FailureClass::Spawn, format!("the system has no random numbers: {error}"))
    })?;
    Ok(u64::from_ne_bytes(bytes) & LARGEST_ID)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_strictly() {
        let parse = |text: &str| Message::parse(text.as_bytes());
        let result = r#"{"jsonrpc":"2.0","id":7,"result":{"a":1}}"#;
        assert_eq!(parse(result), Ok(Message::Answer(7, Outcome::Result(json!({"a": 1})))));
        let error = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"no"}}"#;
        assert_eq!(parse(error), Ok(Message::Answer(7, Outcome::Error(-32602, "no".into()))));
        let ping = r#"{"jsonrpc":"2.0","id":"x","method":"ping"}"#;
        assert_eq!(parse(ping), Ok(Message::Request("x".into(), "ping".into())));
        let note = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
        assert_eq!(parse(note), Ok(Message::Notification));
        for wrong in [
            "",
            "[]",
            "Server started",
            r#"{"id":7,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":7}"#,
            r#"{"jsonrpc":"2.0","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":null,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{},"error":{}}"#,
            r#"{"jsonrpc":"2.0","id":7,"result":{"a":1,"a":2}}"#,
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_server_that_refuses_the_handshake_is_asked_without_one() {
        let read = |outcome| Lifecycle::read(&outcome);
        let agreed = Outcome::Result(json!({"protocolVersion": "2025-06-18"}));
        assert_eq!(read(agreed), Ok(Lifecycle::Agreed("2025-06-18")));
        assert!(read(Outcome::Result(json!({"protocolVersion": "1999-01-01"}))).is_err());
        let stateless = read(Outcome::Error(-32601, String::new())).unwrap();
        // Any other refusal is no sign of a newer version.
        let refused = read(Outcome::Error(-32000, "no seats left".to_owned())).unwrap_err();
        assert_eq!(refused.class, FailureClass::Spawn);
        assert!(refused.detail.contains("no seats left"), "{}", refused.detail);
        let request = Request::new("tools/call", json!({"name": "scan"}));
        let bytes = request.to_bytes(1, Some(&stateless));
        let sent: Value = serde_json::from_slice(&bytes).unwrap();
        let key = "io.modelcontextprotocol/protocolVersion";
        assert_eq!(sent["params"]["_meta"][key], STATELESS_VERSION);
        let bytes = request.to_bytes(1, Some(&Lifecycle::Agreed(VERSION)));
        let sent: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(sent["params"], json!({"name": "scan"}));
    }
}
