//! One mistake, warning or finding of a check, whatever found it.

use hookgate::analysis::{Finding, Severity};
use hookgate::config::ConfigError;
use serde_json::{Value, json};

use crate::sources::PassedOver;
use crate::terminal::sanitize::line;
use crate::terminal::stderr;

/// How much an entry matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// It is worth knowing.
    Note,
    /// The config can be used, and something in it is doubtful.
    Warning,
    /// The config cannot be used, or not for what was asked.
    Error,
}

impl Level {
    /// Returns the name in SARIF.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// One mistake, warning or finding.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// What sort it is; the names are stable.
    pub(super) code: &'static str,
    /// How much it matters.
    pub(super) level: Level,
    /// The file.
    pub(super) file: String,
    /// Line and column, both from 1; `None` if it is about the file as a whole.
    pub(super) at: Option<(usize, usize)>,
    /// What is wrong.
    pub(super) message: String,
    /// What to do.
    pub(super) help: Option<String>,
}

impl Entry {
    /// Returns a mistake in a config, or a warning about it.
    pub(super) fn of_config(error: &ConfigError, level: Level) -> Self {
        Self {
            code: error.problem().code(),
            level,
            file: error.file().to_owned(),
            at: Some((error.line(), error.column())),
            message: error.message(),
            help: error.help().map(str::to_owned),
        }
    }

    /// Returns a finding of the analysis. One about a hook that is in no file is about the config.
    pub(super) fn of_finding(finding: &Finding, config: &str) -> Self {
        Self {
            code: finding.code.name(),
            level: match finding.severity {
                Severity::Warning => Level::Warning,
                _ => Level::Note,
            },
            file: finding.file.clone().unwrap_or_else(|| config.to_owned()),
            at: Some((finding.line, finding.column)),
            message: finding.message.clone(),
            help: Some(finding.help.clone()),
        }
    }

    /// Returns what is said of a file that nobody reads.
    pub(super) fn of_passed_over(found: &PassedOver) -> Self {
        Self {
            code: "passed_over",
            level: Level::Warning,
            file: found.path.display().to_string(),
            at: None,
            message: "this file is not read, so no hook in it is in force".to_owned(),
            help: Some(found.cure.clone()),
        }
    }

    /// Returns line and column: those of the beginning for a whole file.
    pub(super) fn position(&self) -> (usize, usize) {
        self.at.unwrap_or((1, 1))
    }

    /// Prints a warning.
    pub(super) fn warn(&self) {
        match (self.at, &self.help) {
            (Some((row, column)), _) => {
                stderr::warning(&format!("{}:{row}:{column}: {}", self.file, self.message));
            }
            (None, Some(help)) => stderr::warning(&format!("{}; {help}", self.message)),
            (None, None) => stderr::warning(&self.message),
        }
    }

    /// Prints a finding, as compilers do, with its code and what to do.
    pub(super) fn print(&self) {
        let (row, column) = self.position();
        let (file, level, message) = (line(&self.file), self.level.name(), line(&self.message));
        let mut text = format!("{file}:{row}:{column}: {level}: {message} [{}]\n", self.code);
        if let Some(help) = &self.help {
            text.push_str(&format!("  help: {}\n", line(help)));
        }
        stderr::print(&text);
    }

    /// Returns it as JSON.
    pub(super) fn to_json(&self) -> Value {
        let (row, column) = self.position();
        json!({
            "code": self.code,
            "file": self.file,
            "line": row,
            "column": column,
            "message": self.message,
            "help": self.help,
        })
    }
}
