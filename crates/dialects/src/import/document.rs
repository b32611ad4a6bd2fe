//! The text of a file, read into nodes.

mod json;
mod toml;
mod yaml;

use std::path::Path;

use super::node::Node;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Toml,
    Yaml,
}

/// A file that was read.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) format: Format,
    pub(super) root: Node,
    /// Where the text is not what a strict parser takes.
    pub(super) slips: Vec<(usize, Slip)>,
    lines: Lines,
}

/// Something that only some parsers take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slip {
    /// `// …` or `/* … */` in JSON.
    Comment,
    /// `[1,]` in JSON.
    TrailingComma,
    /// The mark at the beginning of a file that some editors write.
    ByteOrderMark,
}

/// A text that is not in its format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unreadable {
    pub(super) at: usize,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) message: String,
}

impl Document {
    /// Reads a text. The name of the file says its format; without a known ending it is guessed.
    pub(super) fn read(path: &Path, text: &str) -> Result<Self, Unreadable> {
        let format = Format::of(path, text);
        let lines = Lines::of(text);
        let mut slips = Vec::new();
        let without_mark = text.strip_prefix('\u{feff}');
        if without_mark.is_some() {
            slips.push((0, Slip::ByteOrderMark));
        }
        let skipped = text.len() - without_mark.unwrap_or(text).len();
        let body = without_mark.unwrap_or(text);
        let result = match format {
            Format::Json => json::read(body, &mut slips),
            Format::Toml => toml::read(body),
            Format::Yaml => yaml::read(body),
        };
        match result {
            Ok(root) => Ok(Self { format, root, slips, lines }),
            Err((at, message)) => {
                let (line, column) = lines.position(at + skipped);
                Err(Unreadable { at: at + skipped, line, column, message })
            }
        }
    }

    /// Returns the line and the column of an offset, both from 1. A column is a character.
    pub(super) fn position(&self, at: usize) -> (usize, usize) {
        self.lines.position(at)
    }
}

impl Format {
    /// Returns how a file is written: by its ending, or as its text looks.
    pub(super) fn of(path: &Path, text: &str) -> Self {
        match path.extension().and_then(std::ffi::OsStr::to_str) {
            Some("json" | "jsonc" | "json5") => Self::Json,
            Some("toml") => Self::Toml,
            Some("yaml" | "yml") => Self::Yaml,
            _ if text.trim_start().starts_with('{') => Self::Json,
            _ if text.lines().any(|line| line.trim_start().starts_with('[')) => Self::Toml,
            _ => Self::Yaml,
        }
    }
}

/// Where the lines of a text begin.
#[derive(Debug)]
struct Lines {
    text: String,
    starts: Vec<usize>,
}

impl Lines {
    fn of(text: &str) -> Self {
        let newlines = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text: text.to_owned(), starts: std::iter::once(0).chain(newlines).collect() }
    }

    fn position(&self, at: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= at);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or_default();
        let before = self.text.get(start..at).unwrap_or_default();
        (line.max(1), before.chars().count() + 1)
    }
}
