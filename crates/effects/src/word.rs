//! One word of a command line, as far as it is known before the command runs.
//!
//! Quotes, escapes and braces are resolved already; what is left is text, a glob that the shell would
//! expand, or a part that is not known.

use std::borrow::Cow;

use crate::plain_words::writes_plain_words;

/// A part of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WordPart {
    /// Text that the program gets as it is. A quoted `*` is text.
    Text(String),
    /// Characters that the shell would replace by names of files: an unquoted `*`, `?` or `[…]`.
    Glob(String),
    /// What is not known before the command runs.
    Unknown {
        /// The text in the command, such as `$CMD`.
        written: String,
        /// Whether the shell splits it into any number of words, also none: it is not quoted.
        splits: bool,
        /// Whether it is nothing, or letters, digits and what stands between them in names: `$(date +%F)`. So it is
        /// one word at most.
        plain: bool,
    },
}

impl WordPart {
    /// Returns whether it is the number that arithmetic gives: `$((n + 1))`.
    pub(crate) fn is_number(&self) -> bool {
        let WordPart::Unknown { written, .. } = self else { return false };
        let sum = written.strip_prefix("$((").and_then(|rest| rest.strip_suffix("))"));
        let is_plain = |sign: u8| sign.is_ascii_alphanumeric() || b" _+*/%".contains(&sign);
        sum.is_some_and(|sum| sum.bytes().all(is_plain))
    }

    /// Returns whether it is nothing, or letters, digits and what stands between them in names.
    pub(crate) const fn is_plain(&self) -> bool {
        matches!(self, WordPart::Unknown { plain: true, .. })
    }

    /// Returns whether the part is not known, but certainly one word that begins with no sign.
    pub(crate) fn is_plain_name(&self) -> bool {
        let WordPart::Unknown { written, .. } = self else { return false };
        let inside = written.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
        let inside =
            inside.or_else(|| written.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')));
        inside.is_some_and(writes_plain_words)
    }
}

/// One word of a command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    /// The parts, in order. Neighbours of the same kind are joined.
    pub parts: Vec<WordPart>,
}

impl Word {
    /// Creates a word that is known.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self { parts: vec![WordPart::Text(text.into())] }
    }

    /// Creates a word that is not known.
    #[must_use]
    pub fn unknown(written: impl Into<String>, splits: bool) -> Self {
        Self { parts: vec![WordPart::Unknown { written: written.into(), splits, plain: false }] }
    }

    /// Adds a part, and joins texts.
    pub fn push(&mut self, part: WordPart) {
        match (self.parts.last_mut(), part) {
            (Some(WordPart::Text(last)), WordPart::Text(text)) => last.push_str(&text),
            (Some(WordPart::Glob(last)), WordPart::Glob(glob)) => last.push_str(&glob),
            (_, part) => self.parts.push(part),
        }
    }

    /// Returns the text if all of it is known. A word with a glob is not.
    #[must_use]
    pub fn known(&self) -> Option<Cow<'_, str>> {
        match self.parts.as_slice() {
            [] => Some(Cow::Borrowed("")),
            [WordPart::Text(text)] => Some(Cow::Borrowed(text)),
            parts => parts
                .iter()
                .map(|part| match part {
                    WordPart::Text(text) => Some(text.as_str()),
                    _ => None,
                })
                .collect::<Option<String>>()
                .map(Cow::Owned),
        }
    }

    /// Returns the text before the first glob or unknown part.
    #[must_use]
    pub fn known_prefix(&self) -> &str {
        match self.parts.first() {
            Some(WordPart::Text(text)) => text,
            _ => "",
        }
    }

    /// Returns whether the word can stand for any number of words.
    #[must_use]
    pub fn splits(&self) -> bool {
        let may_be_nothing =
            |part: &WordPart| matches!(part, WordPart::Unknown { plain: true, .. });
        let is_split = |part: &WordPart| match part {
            WordPart::Unknown { splits, plain, .. } => *splits && !plain,
            WordPart::Text(_) | WordPart::Glob(_) => false,
        };
        self.parts.iter().any(is_split)
            || (!self.parts.is_empty() && self.parts.iter().all(may_be_nothing))
    }

    /// Returns whether a part is not known; a glob is no such part.
    #[must_use]
    pub fn has_unknown(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, WordPart::Unknown { .. }))
    }

    /// Returns whether the shell would replace a part by names of files.
    #[must_use]
    pub fn has_glob(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, WordPart::Glob(_)))
    }

    /// Returns the word as a person would write it: texts and globs as they are, unknown parts as in
    /// the command.
    #[must_use]
    pub fn written(&self) -> String {
        let mut written = String::new();
        for part in &self.parts {
            match part {
                WordPart::Text(text) | WordPart::Glob(text) => written.push_str(text),
                WordPart::Unknown { written: unknown, .. } => written.push_str(unknown),
            }
        }
        written
    }

    /// Returns the word without its first `bytes` of known text: `-ofile` without 2 is `file`.
    #[must_use]
    pub fn without_start(&self, bytes: usize) -> Self {
        let mut word = Self::default();
        for (place, part) in self.parts.iter().enumerate() {
            match part {
                WordPart::Text(text) if place == 0 => {
                    let rest = text.get(bytes..).unwrap_or_default();
                    if !rest.is_empty() {
                        word.push(WordPart::Text(rest.to_owned()));
                    }
                }
                part => word.push(part.clone()),
            }
        }
        word
    }
}
