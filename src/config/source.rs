//! The text of a config, in which offsets become lines and columns.
//!
//! A file may have as many mistakes as lines, and a line may be as long as the file. So the lines
//! are indexed once, and the characters are counted in blocks: to locate an offset costs a binary
//! search and at most one block, however large the file is.

use std::ops::Range;
use std::sync::Arc;

#[cfg(feature = "diagnostics")]
use hookgate_contract::visible;

/// How many bytes share one count of the characters before them.
const BLOCK: usize = 256;

/// Counts the characters that begin in these bytes of a text.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// The text of a file, with an index of its lines and characters.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Source {
    name: Arc<str>,
    text: String,
    /// The text with every invisible character replaced by one of the same length in bytes.
    #[cfg(feature = "diagnostics")]
    shown: String,
    /// The offsets of all lines but the first.
    starts: Vec<usize>,
    /// How many characters are before each block.
    blocks: Vec<usize>,
    /// For a text that was translated and is read in that form: from which byte of the translation on
    /// which byte of this text is meant.
    places: Option<Vec<(usize, usize)>>,
}

impl Source {
    /// Indexes a text, in time linear in its size.
    pub(super) fn new(name: &str, text: &str) -> Arc<Self> {
        Arc::new(Self::index(name, text))
    }

    /// Indexes a text of which a translation is read, with the places of its parts.
    pub(super) fn translated(name: &str, text: &str, places: Vec<(usize, usize)>) -> Arc<Self> {
        Arc::new(Self { places: Some(places), ..Self::index(name, text) })
    }

    fn index(name: &str, text: &str) -> Self {
        let starts = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        let mut before = 0;
        let count = |block: &[u8]| {
            let known = before;
            before += characters(block);
            known
        };
        // One more, so that an offset at the end has a block as well.
        let blocks = text.as_bytes().chunks(BLOCK).chain([&[][..]]).map(count).collect();
        Self {
            name: name.into(),
            text: text.to_owned(),
            starts,
            blocks,
            places: None,
            #[cfg(feature = "diagnostics")]
            shown: visible::in_place(text).into_owned(),
        }
    }

    /// Returns the bytes of this text that a span of what is read is about: of a translation, where the
    /// part begins that it was made of.
    pub(super) fn place(&self, span: Range<usize>) -> Range<usize> {
        let Some(places) = &self.places else { return span };
        let index = places.partition_point(|(known, _)| *known <= span.start);
        let at = index.checked_sub(1).and_then(|index| places.get(index)).map_or(0, |(_, at)| *at);
        at..at
    }

    /// Tells whether a translation of this text is read, and not the text itself.
    pub(super) const fn is_translated(&self) -> bool {
        self.places.is_some()
    }

    /// Returns the name of the file.
    pub(super) const fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Returns the text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the size of the text in bytes.
    #[cfg(feature = "diagnostics")]
    pub(super) const fn len(&self) -> usize {
        self.text.len()
    }

    /// Returns the line of a byte of what is read, from 1.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.locate(self.place(offset..offset).start).0
    }

    /// Returns line and column of an offset, both from 1. The column counts characters, as editors
    /// do. An offset within a character is that of the character; one beyond the end is the end.
    pub(super) fn locate(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|before| self.starts.get(before)).copied();
        let column = self.before(offset) - self.before(start.unwrap_or_default());
        (line + 1, column + 1)
    }

    /// Counts the characters before an offset.
    fn before(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        let rest = self.text.as_bytes().get(block * BLOCK..offset).unwrap_or_default();
        self.blocks.get(block).copied().unwrap_or_default() + characters(rest)
    }
}

#[cfg(feature = "diagnostics")]
impl miette::SourceCode for Source {
    fn read_span<'a>(
        &'a self,
        span: &miette::SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn miette::SpanContents<'a> + 'a>, miette::MietteError> {
        let contents = self.shown.read_span(span, before, after)?;
        Ok(Box::new(miette::MietteSpanContents::new_named(
            visible::line(&self.name, 300),
            contents.data(),
            *contents.span(),
            contents.line(),
            contents.column(),
            contents.line_count(),
        )))
    }
}
