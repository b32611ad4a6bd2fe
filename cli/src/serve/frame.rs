//! One line: a request that comes in, a response or a notification that goes out.

use hookgate::contract::json::Integers;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::{CallError, Code, ErrorBody};
use super::limits;
use crate::input::envelope;

/// The version of JSON-RPC.
const JSONRPC: &str = "2.0";

/// What a caller knows its request by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Id {
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
    /// Of a line in which none could be read.
    None,
}

impl Id {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => number.as_i64().map(Self::Number),
            Value::String(text) if text.len() <= limits::ID => Some(Self::Text(text.clone())),
            _ => None,
        }
    }

    /// Returns the id of a line that was refused, if it has exactly one. What a model has put into a step, such as an integer
    /// that not every reader understands, then costs this request its answer, and not the caller its connection.
    fn of_refused(line: &[u8]) -> Self {
        /// Two of them are no id: a field that is there twice is an error.
        #[derive(Deserialize)]
        struct Named {
            id: Value,
        }
        let named = serde_json::from_slice::<Named>(line).ok();
        named.and_then(|named| Self::of(&named.id)).unwrap_or(Self::None)
    }
}

/// A request that was read.
#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) id: Id,
    pub(crate) method: String,
    pub(crate) params: Map<String, Value>,
}

impl Request {
    /// Reads a line strictly: keys are unique, and only those that are known are there.
    ///
    /// # Errors
    /// What is wrong, with the id if there is one.
    pub(crate) fn parse(line: &[u8], integers: Integers) -> Result<Self, (Id, CallError)> {
        let wrong = |code, message: String| (Id::None, CallError::new(code, message));
        let value = envelope::value(line, integers).map_err(|error| {
            let message = format!("column {}: {}", error.column, error.message);
            (Id::of_refused(line), CallError::new(Code::ParseError, message))
        })?;
        let mut map = match value {
            Value::Object(map) => map,
            Value::Array(_) => {
                let message = "several requests in one array are not taken: send a line for each, or `judge_batch`";
                return Err(wrong(Code::InvalidRequest, message.to_owned()));
            }
            _ => return Err(wrong(Code::InvalidRequest, "a request is a JSON object".to_owned())),
        };
        let Some(id) = map.remove("id") else {
            let message = "`id` is missing: each request is answered, so each has one";
            return Err(wrong(Code::InvalidRequest, message.to_owned()));
        };
        let Some(id) = Id::of(&id) else {
            let message =
                format!("`id` must be a whole number or a text of at most {} bytes", limits::ID);
            return Err(wrong(Code::InvalidRequest, message));
        };
        let fail =
            |message: String| Err((id.clone(), CallError::new(Code::InvalidRequest, message)));
        if map.remove("jsonrpc").is_none_or(|version| version != JSONRPC) {
            return fail(format!("`jsonrpc` must be \"{JSONRPC}\""));
        }
        let Some(Value::String(method)) = map.remove("method") else {
            return fail("`method` must be the name of a method".to_owned());
        };
        let params = match map.remove("params") {
            None => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return fail("`params` must be an object".to_owned()),
        };
        if let Some(unknown) = map.keys().next() {
            let unknown = hookgate::contract::quote::Quoted(unknown);
            return fail(format!("`{unknown}` is no field of a request"));
        }
        Ok(Self { id, method, params })
    }
}

#[derive(Serialize)]
struct Success<'f, R> {
    jsonrpc: &'static str,
    id: &'f Id,
    result: &'f R,
}

#[derive(Serialize)]
struct Refusal<'f> {
    jsonrpc: &'static str,
    id: &'f Id,
    error: ErrorBody<'f>,
}

#[derive(Serialize)]
struct Notification<'f, P> {
    jsonrpc: &'static str,
    method: &'f str,
    params: &'f P,
}

/// Returns the line of a result.
pub(crate) fn success<R: Serialize>(id: &Id, result: &R) -> Vec<u8> {
    line(&Success { jsonrpc: JSONRPC, id, result }).unwrap_or_else(|error| {
        refusal(
            id,
            &CallError::new(Code::Internal, format!("the result cannot be written: {error}")),
        )
    })
}

/// Returns the line of an error.
pub(crate) fn refusal(id: &Id, error: &CallError) -> Vec<u8> {
    // It consists of texts and numbers, which can be written.
    line(&Refusal { jsonrpc: JSONRPC, id, error: error.body() }).unwrap_or_default()
}

/// Returns the line of a notification.
pub(crate) fn notification<P: Serialize>(method: &str, params: &P) -> Option<Vec<u8>> {
    line(&Notification { jsonrpc: JSONRPC, method, params }).ok()
}

fn line(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_request_is_one() {
        let read = |text: &str| Request::parse(text.as_bytes(), Integers::default());
        let request = read(r#"{"jsonrpc":"2.0","id":7,"method":"status"}"#).unwrap();
        assert_eq!((request.id, request.method.as_str()), (Id::Number(7), "status"));
        for (wrong, code) in [
            ("", Code::ParseError),
            ("{", Code::ParseError),
            (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"status"}"#, Code::ParseError),
            ("[]", Code::InvalidRequest),
            ("7", Code::InvalidRequest),
            (r#"{"jsonrpc":"2.0","method":"status"}"#, Code::InvalidRequest),
            (r#"{"jsonrpc":"2.0","id":null,"method":"status"}"#, Code::InvalidRequest),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"status"}"#, Code::InvalidRequest),
            (r#"{"jsonrpc":"2.0","id":[1],"method":"status"}"#, Code::InvalidRequest),
            (r#"{"jsonrpc":"1.0","id":1,"method":"status"}"#, Code::InvalidRequest),
            (r#"{"id":1,"method":"status"}"#, Code::InvalidRequest),
            (r#"{"jsonrpc":"2.0","id":1,"method":7}"#, Code::InvalidRequest),
            (r#"{"jsonrpc":"2.0","id":1,"method":"status","params":[]}"#, Code::InvalidRequest),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"status","verdict":"allow"}"#,
                Code::InvalidRequest,
            ),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, Code::InvalidRequest),
        ] {
            assert_eq!(read(wrong).unwrap_err().1.code(), code, "{wrong}");
        }
        // So it is for what a model has put into a step.
        for (line, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"judge","params":{"n":9007199254740993}}"#, 7),
            (r#"{"id":7,"params":{"a":1,"a":2}}"#, 7),
        ] {
            let (named, error) = read(line).unwrap_err();
            assert_eq!((named, error.code()), (Id::Number(id), Code::ParseError), "{line}");
        }
        for line in [
            r#"{"id":7,"id":8,"params":{"n":9007199254740993}}"#,
            r#"{"params":{"id":7,"n":9007199254740993}}"#,
            r#"{"id":7,"params":{"n":9007199254740993}"#,
        ] {
            assert_eq!(read(line).unwrap_err().0, Id::None, "{line}");
        }
        // Whoever can be named is told.
        let (id, _) = read(r#"{"jsonrpc":"2.0","id":"a","method":7}"#).unwrap_err();
        assert_eq!(id, Id::Text("a".to_owned()));
    }
}
