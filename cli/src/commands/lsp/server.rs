//! What the editor says, and the answers.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use serde_json::{Value, json};

use super::complete::completions;
use super::definition::definition;
use super::document::{Contents, Document};
use super::hover::hover;
use super::lines::{Encoding, Lines};
use super::question::Question;
use super::vocabulary::Vocabulary;
use super::wire::Outbox;
use super::worker::Queue;
use crate::exit_code::Exit;
use crate::formatter::format;

/// Codes of JSON-RPC and of the protocol.
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;
const NOT_INITIALIZED: i64 = -32002;

/// How far the conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// `initialize` has not come.
    New,
    /// It is served.
    Open,
    /// `shutdown` has come.
    ShutDown,
}

/// The state of one conversation.
#[derive(Debug)]
pub(super) struct Server {
    outbox: Arc<Outbox>,
    queue: Arc<Queue>,
    phase: Phase,
    encoding: Encoding,
    documents: HashMap<String, Document>,
    vocabulary: Vocabulary,
}

impl Server {
    pub(super) fn new(outbox: Arc<Outbox>, queue: Arc<Queue>) -> Self {
        Self {
            outbox,
            queue,
            phase: Phase::New,
            encoding: Encoding::default(),
            documents: HashMap::new(),
            vocabulary: Vocabulary::new(),
        }
    }

    /// Returns how the process ends if the editor says no more.
    pub(super) fn ended(&self) -> Exit {
        if self.phase == Phase::ShutDown { Exit::Ok } else { Exit::Failure }
    }

    /// Takes a message. Returns how the process ends, if it does.
    pub(super) fn take(&mut self, message: &Value) -> io::Result<Option<Exit>> {
        let (id, method) = (message.get("id"), message.get("method").and_then(Value::as_str));
        let params = message.get("params").unwrap_or(&Value::Null);
        match (id, method) {
            (Some(id), Some(method)) => self.request(id, method, params)?,
            (None, Some("exit")) => return Ok(Some(self.ended())),
            (None, Some(method)) => self.notified(method, params)?,
            // An answer; this server asks nothing.
            (Some(_), None) if message.get("result").or(message.get("error")).is_some() => {}
            (id, None) => {
                let id = id.unwrap_or(&Value::Null);
                self.outbox.refuse(id, INVALID_REQUEST, "a message needs a method")?;
            }
        }
        Ok(None)
    }

    fn request(&mut self, id: &Value, method: &str, params: &Value) -> io::Result<()> {
        match (self.phase, method) {
            (Phase::New, "initialize") => {
                self.encoding = Encoding::chosen(
                    params
                        .pointer("/capabilities/general/positionEncodings")
                        .unwrap_or(&Value::Null),
                );
                self.phase = Phase::Open;
                self.outbox.answer(id, &abilities(self.encoding))
            }
            (Phase::New, _) => self.outbox.refuse(id, NOT_INITIALIZED, "`initialize` comes first"),
            (Phase::Open, "shutdown") => {
                self.phase = Phase::ShutDown;
                self.outbox.answer(id, &Value::Null)
            }
            (Phase::Open, "initialize") | (Phase::ShutDown, _) => {
                self.outbox.refuse(id, INVALID_REQUEST, "it is too late for that")
            }
            (
                Phase::Open,
                "textDocument/completion"
                | "textDocument/hover"
                | "textDocument/definition"
                | "textDocument/formatting",
            ) => match self.about(method, params) {
                Some(result) => self.outbox.answer(id, &result),
                None => self.outbox.refuse(id, INVALID_PARAMS, "no such file or position is open"),
            },
            (Phase::Open, _) => {
                self.outbox.refuse(id, METHOD_NOT_FOUND, &format!("`{method}` is not served"))
            }
        }
    }

    /// Answers a question about an open file; `None` if it is not open or has no such place.
    fn about(&self, method: &str, params: &Value) -> Option<Value> {
        let document = self.documents.get(uri_of(params)?)?;
        let lines = Lines::new(&document.text, self.encoding);
        if method == "textDocument/formatting" {
            let is_ours = matches!(document.contents, Contents::Hooks | Contents::Cases);
            return Some(if is_ours { formatted(&document.text, &lines) } else { json!([]) });
        }
        let at = lines.offset(params.get("position")?)?;
        let asked = Question { vocabulary: &self.vocabulary, document, lines: &lines, at };
        Some(match method {
            _ if document.contents != Contents::Hooks => Value::Null,
            "textDocument/completion" => completions(&asked),
            "textDocument/hover" => hover(&asked),
            _ => definition(&asked),
        })
    }

    fn notified(&mut self, method: &str, params: &Value) -> io::Result<()> {
        if self.phase != Phase::Open {
            return Ok(());
        }
        let Some(uri) = uri_of(params) else { return Ok(()) };
        let document = params.get("textDocument");
        let version = document.and_then(|of| of.get("version")).and_then(Value::as_i64);
        let text = match method {
            "textDocument/didOpen" => document.and_then(|of| of.get("text")),
            // The last one is the whole text: that is how changes were asked for.
            "textDocument/didChange" => params
                .get("contentChanges")
                .and_then(Value::as_array)
                .and_then(|changes| changes.last())
                .filter(|change| change.get("range").is_none())
                .and_then(|change| change.get("text")),
            "textDocument/didSave" => {
                // A script may have been saved before.
                if let Some(document) = self.documents.get(uri) {
                    self.queue.add(document.clone(), self.encoding);
                }
                None
            }
            "textDocument/didClose" => {
                self.documents.remove(uri);
                return self.queue.remove(uri, &self.outbox);
            }
            _ => None,
        };
        if let Some(text) = text.and_then(Value::as_str) {
            let document = Document::new(uri, version, text);
            self.documents.insert(uri.to_owned(), document.clone());
            self.queue.add(document, self.encoding);
        }
        Ok(())
    }
}

fn uri_of(params: &Value) -> Option<&str> {
    params.pointer("/textDocument/uri")?.as_str()
}

/// Returns what the server can do.
fn abilities(encoding: Encoding) -> Value {
    json!({
        "capabilities": {
            "positionEncoding": encoding.name(),
            "textDocumentSync": {"openClose": true, "change": 1, "save": true},
            "completionProvider": {"triggerCharacters": ["\"", "'", "/", "[", "."]},
            "hoverProvider": true,
            "definitionProvider": true,
            "documentFormattingProvider": true,
        },
        "serverInfo": {"name": "hookgate", "version": env!("CARGO_PKG_VERSION")},
    })
}

/// Returns the edit that formats a text: none if it cannot be read, or is in the style already.
fn formatted(text: &str, lines: &Lines<'_>) -> Value {
    match format(text) {
        Ok(after) if after != text => {
            json!([{"range": lines.range(0..text.len()), "newText": after}])
        }
        _ => json!([]),
    }
}
