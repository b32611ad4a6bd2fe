//! The tool calls that are evaluated: the same for every system.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value, json};

/// The tool of all calls; no hook that must not match names it.
pub(crate) const TOOL: &str = "read_file";

/// The tool call of a model.
#[derive(Debug, Clone)]
pub struct Call {
    /// The name of the tool.
    pub tool: String,
    /// Its arguments, an object.
    pub arguments: Value,
}

impl Call {
    /// Returns a call of a tool with arguments of about so many bytes as JSON.
    #[must_use]
    pub fn new(tool: &str, arguments: Arguments) -> Self {
        let arguments = match arguments {
            Arguments::Fields(bytes) => fields(bytes),
            Arguments::Text(bytes) => text(bytes),
        };
        Self { tool: tool.to_owned(), arguments }
    }
}

/// What the arguments of a call are made of, and about how many bytes they have as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arguments {
    /// Small fields: an agent edits a file.
    Fields(usize),
    /// A path and one text of many lines: an agent writes a file.
    Text(usize),
}

impl Arguments {
    /// Returns about how many bytes there are.
    #[must_use]
    pub const fn bytes(self) -> usize {
        let (Self::Fields(bytes) | Self::Text(bytes)) = self;
        bytes
    }
}

/// A path, then lines of a program.
fn text(bytes: usize) -> Value {
    const LINE: &str = "    let answer = wanted(\"forty-two\")?; // one line\n";
    json!({ "path": "/repo/src/lib.rs", "content": LINE.repeat(bytes.div_ceil(LINE.len())) })
}

/// A path, then edits until the size is reached.
fn fields(bytes: usize) -> Value {
    let mut fields = Map::new();
    fields.insert("path".to_owned(), json!("/repo/src/lib.rs"));
    let mut size = r#"{"path":"/repo/src/lib.rs"}"#.len();
    let mut edits = Vec::new();
    while size + 32 < bytes {
        let line = edits.len();
        let edit = json!({ "line": line, "old": "let answer = 41;", "new": "let answer = 42;" });
        size += edit.to_string().len() + 1;
        edits.push(edit);
    }
    if !edits.is_empty() {
        fields.insert("edits".to_owned(), Value::Array(edits));
    } else if size + 20 < bytes {
        fields.insert("note".to_owned(), json!("x".repeat(bytes - size - 10)));
    }
    Value::Object(fields)
}

/// Where the calls of a case come from.
#[derive(Debug)]
pub struct Calls {
    template: Call,
    tools: Tools,
}

/// Which tools the calls are of.
#[derive(Debug)]
enum Tools {
    /// That of the template.
    One,
    /// A tool that was never seen before, each time.
    Fresh(AtomicU64),
    /// So many tools in turn.
    InTurn { count: u64, next: AtomicU64 },
}

impl Calls {
    /// Returns calls that are all alike; with `fresh`, each of a tool that was never seen before.
    #[must_use]
    pub fn new(template: Call, fresh: bool) -> Self {
        let tools = if fresh { Tools::Fresh(AtomicU64::default()) } else { Tools::One };
        Self { template, tools }
    }

    /// Returns calls of so many tools in turn.
    #[must_use]
    pub fn in_turn(template: Call, count: u64) -> Self {
        Self { template, tools: Tools::InTurn { count, next: AtomicU64::default() } }
    }

    /// Returns the name of the next tool. It is never inlined, so that it takes the same in every loop.
    #[inline(never)]
    pub(crate) fn tool(&self) -> String {
        match &self.tools {
            Tools::One => self.template.tool.clone(),
            Tools::Fresh(next) => format!("fresh_{}", next.fetch_add(1, Ordering::Relaxed)),
            Tools::InTurn { count, next } => {
                format!("turn_{}", next.fetch_add(1, Ordering::Relaxed) % count)
            }
        }
    }

    /// Returns the arguments of the next call. It is never inlined, as [`Calls::tool`].
    #[inline(never)]
    pub(crate) fn arguments(&self) -> Value {
        self.template.arguments.clone()
    }
}
