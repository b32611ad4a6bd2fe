//! The text of a test file, with the place of each value.

use std::path::{Path, PathBuf};

use hookgate::config::parse_toml;
use hookgate::contract::file;
use hookgate::contract::settings::Node;
use hookgate_dialects::import::{ImportError, values};

use crate::terminal::stderr;

/// The text of a test file.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl Text {
    /// Reads a file; what is wrong with it is printed.
    pub(super) fn read(path: &Path) -> Option<Self> {
        match file::read_text(path, file::LIMIT) {
            Ok(text) => Some(Self { path: path.to_owned(), text }),
            Err(error) => {
                let position = format!("{}:1:1", path.display());
                stderr::error_at(&position, &format!("cannot be read: {error}"));
                None
            }
        }
    }

    /// Whether it is in TOML.
    pub(super) fn is_toml(&self) -> bool {
        !matches!(
            self.path.extension().and_then(|ending| ending.to_str()),
            Some("json" | "yaml" | "yml")
        )
    }

    /// Returns its values; what is wrong with the syntax is printed.
    pub(super) fn values(&self) -> Option<Node> {
        if self.is_toml() {
            let (root, wrong) = parse_toml(&self.text);
            for (span, message) in &wrong {
                self.report(span.start, message);
            }
            return wrong.is_empty().then_some(root);
        }
        match values(&self.path, &self.text) {
            Ok(root) => Some(root),
            Err(ImportError::Syntax { at, message, .. }) => {
                self.report(at, &message);
                None
            }
            Err(other) => {
                self.report(0, &other.to_string());
                None
            }
        }
    }

    /// Prints a mistake with its place.
    pub(super) fn report(&self, at: usize, message: &str) {
        let (line, column) = self.position(at);
        stderr::error_at(&format!("{}:{line}:{column}", self.path.display()), message);
    }

    /// Returns the line and the column of an offset, both from 1. A column is a character.
    pub(super) fn position(&self, at: usize) -> (usize, usize) {
        let before = self.text.get(..at).unwrap_or(&self.text);
        let line = before.matches('\n').count() + 1;
        let last = before.rsplit('\n').next().unwrap_or_default();
        (line, last.chars().count() + 1)
    }
}
