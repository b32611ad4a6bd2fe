//! Reads an envelope and dispatches it: from bytes to a decision record.

use hookgate::contract::json::{self, Integers};
use hookgate::envelope::Incoming;
use hookgate::{Engine, Report};
use serde_json::{Map, Value};

use crate::terminal::sanitize::line;

/// Why bytes are not an envelope, and at which position.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unreadable {
    /// The line within the bytes, from 1.
    pub(crate) line: usize,
    /// The column, from 1, in bytes.
    pub(crate) column: usize,
    /// What is wrong.
    pub(crate) message: String,
}

impl Unreadable {
    /// Returns a mistake without a position of its own.
    pub(crate) fn at_start(message: impl Into<String>) -> Self {
        Self { line: 1, column: 1, message: line(&message.into()) }
    }

    /// Returns the decision record of it, which is a deny.
    pub(crate) fn report(&self, engine: &Engine) -> Report {
        let table = engine.table();
        Report::malformed(self.message.as_str(), table.generation(), table.config_hash())
    }
}

/// Reads an envelope. `integers` says which integers the table takes.
pub(crate) fn read(bytes: &[u8], integers: Integers) -> Result<Incoming, Unreadable> {
    let map = object(bytes, integers)?;
    Incoming::from_object(map).map_err(|error| Unreadable::at_start(error.to_string()))
}

/// Reads one JSON object.
pub(crate) fn object(bytes: &[u8], integers: Integers) -> Result<Map<String, Value>, Unreadable> {
    match value(bytes, integers)? {
        Value::Object(map) => Ok(map),
        _ => Err(Unreadable::at_start("it is not a JSON object but another kind of value")),
    }
}

/// Reads one JSON value.
pub(crate) fn value(bytes: &[u8], integers: Integers) -> Result<Value, Unreadable> {
    let text = str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        Unreadable {
            line: before.iter().filter(|&&byte| byte == b'\n').count() + 1,
            column: before.len() - start + 1,
            message: "not valid UTF-8".to_owned(),
        }
    })?;
    json::parse_text(text, integers).map_err(|error| {
        let text = error.to_string();
        // The position is printed before the message.
        let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what);
        Unreadable {
            line: error.line().max(1),
            column: error.column().max(1),
            message: line(&format!("it is not one JSON object: {what}")),
        }
    })
}

/// Dispatches an envelope. With `stable`, the record has nothing that differs from run to run.
pub(crate) async fn evaluate(engine: &Engine, incoming: &mut Incoming, stable: bool) -> Report {
    let id_is_made_up = incoming.header.step_id.is_none();
    let report = engine.evaluate(incoming).await;
    if stable { report.stable(id_is_made_up) } else { report }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_has_a_position() {
        let position = |bytes: &[u8]| {
            read(bytes, Integers::default()).map(|_| ()).map_err(|e| (e.line, e.column))
        };
        assert_eq!(position(b"{\"a\":1,\n \"a\":2}"), Err((2, 4)));
        assert_eq!(position(b"{}\n\xff"), Err((2, 1)));
        assert_eq!(position(b"[]"), Err((1, 1)));
    }

    #[test]
    fn the_position_is_not_in_the_message() {
        let message = read(b"{nope", Integers::default()).unwrap_err().message;
        assert_eq!(message, "it is not one JSON object: key must be a string");
    }
}
