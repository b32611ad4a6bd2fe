//! In which format a check prints what it has found.

use std::io::{self, IsTerminal as _};

use super::entry::Entry;
use super::{github, sarif};
use crate::terminal::stdout;

/// How the result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// For people
    Human,
    /// One JSON object
    Json,
    /// SARIF 2.1.0, which code scanners and editors read
    Sarif,
    /// Workflow commands of GitHub Actions
    Github,
}

impl Format {
    /// Whether mistakes and warnings are printed on stderr as well, for people.
    pub(super) const fn has_diagnostics(self) -> bool {
        // GitHub shows both streams in one log.
        !matches!(self, Self::Github)
    }

    /// Prints entries, in the formats that consist of nothing else.
    ///
    /// # Errors
    /// Stdout takes no more.
    pub(super) fn print_entries(self, entries: &[Entry]) -> io::Result<()> {
        match self {
            Self::Human | Self::Json => Ok(()),
            Self::Sarif => stdout::json_line(&sarif::log(entries)),
            Self::Github => stdout::print(&github::commands(entries)),
        }
    }
}

/// Which format was asked for.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct FormatArgs {
    /// How to print the result: human on a terminal, else json
    #[arg(long, value_enum, conflicts_with_all = ["json", "table"])]
    format: Option<Format>,
    /// Print one JSON object, as --format json; this is the default if stdout is not a terminal
    #[arg(long, conflicts_with = "table")]
    json: bool,
    /// Print for people even if stdout is not a terminal, as --format human
    #[arg(long)]
    table: bool,
}

impl FormatArgs {
    /// Returns the format that was asked for, or what fits stdout.
    pub(super) fn format(self) -> Format {
        match self.format {
            Some(format) => format,
            None if self.json => Format::Json,
            None if self.table || io::stdout().is_terminal() => Format::Human,
            None => Format::Json,
        }
    }
}
