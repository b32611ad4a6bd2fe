//! What is printed about the cases.

mod human;
mod json;
mod junit;
mod page;
mod tap;

use std::io::{self, IsTerminal as _};

use super::outcome::TestOutcome;
use crate::terminal::stdout;
pub(super) use page::write_page;

/// How the result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// For people: the cases that failed, and how
    Human,
    /// JSON lines: one for each case, then a summary
    Json,
    /// `JUnit` XML, which most CI systems read
    Junit,
    /// The Test Anything Protocol, version 14
    Tap,
}

impl Format {
    /// Returns what fits stdout.
    pub(super) fn default_of_stdout() -> Self {
        if io::stdout().is_terminal() { Self::Human } else { Self::Json }
    }

    /// Prints the result.
    ///
    /// # Errors
    /// Stdout takes no more.
    pub(super) fn print(self, outcome: &TestOutcome) -> io::Result<()> {
        match self {
            Self::Human => stdout::print(&human::text(outcome)),
            Self::Json => json::records(outcome).iter().try_for_each(stdout::json_line),
            Self::Junit => stdout::print(&junit::text(outcome)),
            Self::Tap => stdout::print(&tap::text(outcome)),
        }
    }
}
