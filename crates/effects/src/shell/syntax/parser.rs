//! The place in the text, and what all parts of the reader need.

use std::cell::OnceCell;
use std::rc::Rc;

use super::tree::Word;
use super::{MAX_DEPTH, Problem};

/// Reads one text.
#[derive(Debug)]
pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) problem: Option<Problem>,
    /// How many bytes may still be looked at in advance.
    pub(super) lookahead: usize,
    /// Here-documents of this line, whose text comes after it.
    pub(super) documents: Vec<Document>,
}

/// A here-document whose text is still to come.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) end: String,
    pub(super) strip_tabs: bool,
    pub(super) expands: bool,
    pub(super) body: Rc<OnceCell<Word>>,
}

/// The longest piece of text that is kept to be shown.
const SHOWN: usize = 60;

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, depth: usize) -> Self {
        let problem = (depth > MAX_DEPTH).then_some(Problem::Deep);
        let at = if problem.is_some() { text.len() } else { 0 };
        let lookahead = 1024 + 8 * text.len();
        Self { text, at, depth, problem, lookahead, documents: Vec::new() }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, offset: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + offset).copied()
    }

    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn starts(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    /// Goes over a text if it stands here.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let is_here = self.starts(text);
        if is_here {
            self.at += text.len();
        }
        is_here
    }

    /// Goes over one character, which may have several bytes.
    pub(super) fn take_char(&mut self) -> Option<char> {
        let taken = self.rest().chars().next()?;
        self.at += taken.len_utf8();
        Some(taken)
    }

    /// Remembers the first problem.
    pub(super) fn fail(&mut self, problem: Problem) {
        self.problem.get_or_insert(problem);
    }

    /// Goes one level deeper; gives the text up if that is too deep.
    pub(super) fn enter(&mut self) -> bool {
        if self.depth >= MAX_DEPTH {
            self.fail(Problem::Deep);
            self.at = self.text.len();
            return false;
        }
        self.depth += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// Returns the text from a place to here, cut if it is long.
    pub(super) fn written(&self, from: usize) -> String {
        let whole = self.text.get(from..self.at).unwrap_or_default();
        if whole.len() <= SHOWN {
            return whole.to_owned();
        }
        let mut shown: String = whole.chars().take(SHOWN).collect();
        shown.push('…');
        shown
    }

    /// Goes over blanks and joined lines.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.at += 2,
                _ => break,
            }
        }
    }

    /// Goes over a comment, if one is here.
    pub(super) fn skip_comment(&mut self) {
        if self.peek() == Some(b'#') {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    /// Goes over blanks, comments and new lines.
    pub(super) fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            self.skip_comment();
            if self.peek() != Some(b'\n') {
                break;
            }
            self.new_line();
        }
    }

    /// Goes over a new line and the here-documents after it.
    pub(super) fn new_line(&mut self) {
        self.at += 1;
        if !self.documents.is_empty() {
            self.read_documents();
        }
    }
}

/// Returns whether a byte ends a word.
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'<' | b'>' | b'(' | b')')
}

/// Returns the length of the name that a text begins with.
pub(super) fn name_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    if !bytes.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_') {
        return 0;
    }
    bytes
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
        .unwrap_or(bytes.len())
}
