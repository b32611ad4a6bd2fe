//! Stdout: tables for people, JSON lines for programs.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use hookgate::contract::json;
use serde::Serialize;

use crate::terminal::sanitize::{escape_json, for_terminal};

/// How a verb prints its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub(crate) struct OutputArgs {
    /// Print JSON lines; this is the default if stdout is not a terminal
    #[arg(long, conflicts_with = "table")]
    json: bool,
    /// Print the table for people even if stdout is not a terminal
    #[arg(long)]
    table: bool,
}

impl OutputArgs {
    /// Whether to print JSON lines.
    pub(crate) fn wants_json(self) -> bool {
        self.json || (!self.table && !io::stdout().is_terminal())
    }
}

/// Prints a value as one line, and flushes it.
pub(crate) fn json_line(value: &impl Serialize) -> io::Result<()> {
    let mut lines = JsonLines::default();
    lines.add(value)?;
    lines.flush()
}

/// How many bytes of lines are kept at most.
const KEPT: usize = 1 << 16;

/// JSON lines that are written together.
#[derive(Debug, Default)]
pub(crate) struct JsonLines {
    lines: Vec<u8>,
}

impl JsonLines {
    /// Adds a value as one line. It is written at the next [`JsonLines::flush`], or when much is kept.
    pub(crate) fn add(&mut self, value: &impl Serialize) -> io::Result<()> {
        let start = self.lines.len();
        json::write(&mut self.lines, value)?;
        let json = self.lines.get(start..).unwrap_or_default();
        if let Ok(Cow::Owned(escaped)) = str::from_utf8(json).map(escape_json) {
            self.lines.truncate(start);
            self.lines.extend_from_slice(escaped.as_bytes());
        }
        self.lines.push(b'\n');
        if self.lines.len() >= KEPT { self.flush() } else { Ok(()) }
    }

    /// Writes the lines so far.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        let written = stdout.write_all(&self.lines);
        self.lines.clear();
        written?;
        stdout.flush()
    }
}

/// Prints a text, with its colours only if stdout takes colours.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(for_terminal(text).as_bytes())?;
    stdout.flush()
}

/// Prints the text of a file: into another file byte for byte.
pub(crate) fn file(text: &str) -> io::Result<()> {
    if io::stdout().is_terminal() {
        return print(text);
    }
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}
