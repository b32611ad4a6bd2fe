//! Stdout: tables for people, JSON lines for programs.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

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
    let mut line = serde_json::to_string(value)?;
    line.push('\n');
    let mut stdout = io::stdout().lock();
    match line.strip_suffix('\n').map(escape_json) {
        Some(Cow::Owned(escaped)) => writeln!(stdout, "{escaped}")?,
        _ => stdout.write_all(line.as_bytes())?,
    }
    stdout.flush()
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
