//! Stdout: tables for people, JSON lines for programs.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use serde::Serialize;

use crate::text::{escape_json, for_terminal};

/// How a verb prints what it found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::Args)]
pub(crate) struct OutputArgs {
    /// Print JSON lines, as is done anyway where stdout is no terminal
    #[arg(long, conflicts_with = "table")]
    json: bool,
    /// Print the table for people even where stdout is no terminal
    #[arg(long)]
    table: bool,
}

impl OutputArgs {
    /// Whether JSON lines are wanted.
    pub(crate) fn wants_json(self) -> bool {
        self.json || (!self.table && !io::stdout().is_terminal())
    }
}

/// Prints a value as one line, and does not keep it back.
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

/// Prints a text; its colours only where they are understood.
pub(crate) fn text(text: &str) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(for_terminal(text).as_bytes())?;
    stdout.flush()
}

/// Says a text on stderr; its colours only where they are understood.
pub(crate) fn aside(text: &str) {
    // Where stderr is closed there is nobody left to tell.
    let _ = anstream::stderr().lock().write_all(for_terminal(text).as_bytes());
}
