//! Reads bash: one pass over the text, never more deeply nested than a bound, and never without a
//! result. What is no bash leaves a [`Problem`] behind, and the commands that were found.

mod ansi;
mod arithmetic;
mod command;
mod compound;
mod document;
mod dollar;
mod list;
mod parser;
mod redirect;
pub(crate) mod tree;
mod word;

pub(crate) use ansi::{Escapes, unescape};
use parser::Parser;
use tree::List;

/// The longest text that is read.
pub(crate) const MAX_LENGTH: usize = 64 * 1024;
/// How deeply lists, quotes and expansions may be nested.
pub(crate) const MAX_DEPTH: usize = 32;

/// A text that was read.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) list: List,
    /// Why the text is not all understood.
    pub(crate) problem: Option<Problem>,
}

/// Why a text is not all understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// It is longer than [`MAX_LENGTH`].
    Long,
    /// It is nested more deeply than [`MAX_DEPTH`].
    Deep,
    /// Quotes, brackets or a here-document have no end.
    Unclosed,
    /// A sign or a word stands where bash does not expect it.
    Unexpected,
    /// `${…}` with something that bash does not know.
    BadSubstitution,
}

impl Problem {
    /// Says it to a person.
    pub(crate) fn why(self) -> &'static str {
        match self {
            Self::Long => "the command is too long to be read",
            Self::Deep => "the command is nested too deeply to be read",
            Self::Unclosed => {
                "the command is no whole bash: a quote, a bracket, a block or a here-document does not end"
            }
            Self::Unexpected => {
                "the command is no bash that is understood: something stands where bash does not expect it"
            }
            Self::BadSubstitution => "the command has a `${…}` that bash does not know",
        }
    }
}

/// Reads a text that is itself nested in `depth` others.
pub(crate) fn parse(text: &str, depth: usize) -> Script {
    if text.len() > MAX_LENGTH {
        return Script { list: List::new(), problem: Some(Problem::Long) };
    }
    let mut parser = Parser::new(text, depth);
    let list = parser.script();
    Script { list, problem: parser.problem }
}

#[cfg(test)]
mod tests;
