//! Messages on stdin and stdout: a header with the length, and JSON.

use std::io::{self, BufRead, Read as _, Write as _};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

/// The longest message that is read, in bytes.
const LONGEST: u64 = 32 << 20;

/// The longest line of a header that is read, in bytes.
const HEADER: u64 = 4096;

/// The code of JSON-RPC for a message that is no JSON.
const PARSE_ERROR: i64 = -32700;

/// What came in.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A JSON value.
    Message(Value),
    /// Something else, and what is wrong with it.
    Broken(String),
}

/// Reads a message; `None` at the end. Lines that belong to no header are passed over.
pub(super) fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let mut length: Option<u64> = None;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            if length.is_some() {
                break;
            }
        } else if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
    let length = length.unwrap_or_default();
    let mut content = input.by_ref().take(length);
    if length > LONGEST {
        io::copy(&mut content, &mut io::sink())?;
        return Ok(Some(Incoming::Broken(format!("the message has more than {LONGEST} bytes"))));
    }
    let mut bytes = Vec::new();
    content.read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Ok(None);
    }
    Ok(Some(match serde_json::from_slice(&bytes) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Broken(error.to_string()),
    }))
}

/// Where messages go out, from any thread.
#[derive(Debug)]
pub(super) struct Outbox(Mutex<io::Stdout>);

impl Outbox {
    pub(super) fn new() -> Self {
        Self(Mutex::new(io::stdout()))
    }

    /// Answers a request.
    pub(super) fn answer(&self, id: &Value, result: &Value) -> io::Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}))
    }

    /// Refuses a request.
    pub(super) fn refuse(&self, id: &Value, code: i64, message: &str) -> io::Result<()> {
        let error = json!({"code": code, "message": message});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
    }

    /// Answers a message that could not be read.
    pub(super) fn refuse_unreadable(&self, why: &str) -> io::Result<()> {
        self.refuse(&Value::Null, PARSE_ERROR, why)
    }

    /// Tells the editor something.
    pub(super) fn notify(&self, method: &str, params: &Value) -> io::Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    fn send(&self, message: &Value) -> io::Result<()> {
        let text = message.to_string();
        let mut out = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        out.flush()
    }
}
