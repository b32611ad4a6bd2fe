//! Positions in a text as editors count them.

use std::ops::Range;

use serde_json::{Value, json};

/// What a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Encoding {
    /// Bytes.
    Utf8,
    /// Halves of UTF-16, which is the default of the protocol.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

impl Encoding {
    /// Returns the first encoding of a list that is known here.
    pub(super) fn chosen(offered: &Value) -> Self {
        let offered = offered.as_array().into_iter().flatten().filter_map(Value::as_str);
        let known = |name: &str| {
            [Self::Utf8, Self::Utf16, Self::Utf32].into_iter().find(|known| known.name() == name)
        };
        offered.filter_map(known).next().unwrap_or_default()
    }

    /// Returns its name in the protocol.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    const fn width(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// A text and where its lines begin.
#[derive(Debug)]
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    encoding: Encoding,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str, encoding: Encoding) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(breaks).collect(), encoding }
    }

    /// Returns the text of a line without its end.
    fn line(&self, line: usize) -> Option<(usize, &'t str)> {
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        Some((start, self.text.get(start..end)?.trim_end_matches(['\r', '\n'])))
    }

    /// Returns the offset of a position; one behind the end of a line is that end.
    pub(super) fn offset(&self, position: &Value) -> Option<usize> {
        let number = |key: &str| usize::try_from(position.get(key)?.as_u64()?).ok();
        let (line, character) = (number("line")?, number("character")?);
        let Some((start, text)) = self.line(line) else { return Some(self.text.len()) };
        let mut counted = 0;
        for (at, c) in text.char_indices() {
            counted += self.encoding.width(c);
            if counted > character {
                return Some(start + at);
            }
        }
        Some(start + text.len())
    }

    /// Returns the offset of a line and a column in characters, both from 1.
    pub(super) fn offset_of(&self, line: usize, column: usize) -> usize {
        let Some((start, text)) = self.line(line.saturating_sub(1)) else { return self.text.len() };
        let found = text.char_indices().nth(column.saturating_sub(1));
        start + found.map_or(text.len(), |(at, _)| at)
    }

    /// Returns an offset as a position.
    pub(super) fn position(&self, offset: usize) -> Value {
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or_default();
        let before = self.text.get(start..offset).unwrap_or_default();
        let character: usize = before.chars().map(|c| self.encoding.width(c)).sum();
        json!({"line": line, "character": character})
    }

    /// Returns a span as a range.
    pub(super) fn range(&self, span: Range<usize>) -> Value {
        json!({"start": self.position(span.start), "end": self.position(span.end)})
    }

    /// Returns a span as a range that ends on the line on which it begins.
    pub(super) fn first_line(&self, span: Range<usize>) -> Value {
        let within = self.text.get(span.clone()).unwrap_or_default();
        let first = within.lines().next().unwrap_or_default();
        self.range(span.start..span.start + first.len())
    }

    /// Returns the rest of the line from an offset on, without spaces at its end.
    pub(super) fn rest(&self, offset: usize) -> Range<usize> {
        let rest = self.text.get(offset..).and_then(|rest| rest.lines().next());
        offset..offset + rest.unwrap_or_default().trim_end().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_as_agreed() {
        let text = "a = 'é𝄞'\r\nb";
        for (encoding, column) in [(Encoding::Utf8, 11), (Encoding::Utf16, 8), (Encoding::Utf32, 7)]
        {
            let lines = Lines::new(text, encoding);
            let quote = text.rfind('\'').unwrap();
            let position = json!({"line": 0, "character": column});
            assert_eq!(lines.position(quote), position, "{encoding:?}");
            assert_eq!(lines.offset(&position), Some(quote));
            assert_eq!(lines.offset(&json!({"line": 0, "character": 99})), Some(quote + 1));
            assert_eq!(lines.offset(&json!({"line": 9, "character": 0})), Some(text.len()));
            assert_eq!(lines.offset(&json!({"line": -1})), None);
            assert_eq!(lines.offset_of(1, 7), quote - 4);
        }
        let offered = json!(["utf-7", "utf-32", "utf-8"]);
        assert_eq!(Encoding::chosen(&offered), Encoding::Utf32);
        assert_eq!(Encoding::chosen(&Value::Null), Encoding::Utf16);
    }
}
