//! What an editor asks about a place in a text.

use std::ops::Range;

use serde_json::Value;

use super::document::Document;
use super::lines::Lines;
use super::vocabulary::Vocabulary;

/// A question about an offset in an open file.
pub(super) struct Question<'q> {
    pub(super) vocabulary: &'q Vocabulary,
    pub(super) document: &'q Document,
    pub(super) lines: &'q Lines<'q>,
    pub(super) at: usize,
}

impl Question<'_> {
    /// Returns the text.
    pub(super) fn text(&self) -> &str {
        &self.document.text
    }

    /// Returns a part of the text as the protocol says it.
    pub(super) fn range(&self, part: Range<usize>) -> Value {
        self.lines.range(part)
    }
}
