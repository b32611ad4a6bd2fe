//! One style for files in TOML. Keys, values and comments stay as they are written and in their order; only
//! the white space between them changes, and the comma behind the last item of an array.
//!
//! * one blank line before a table, at most one elsewhere, none at the beginning and the end
//! * spaces around `=` and within `{ }`, behind a comma, none within `[ ]` and around the dots of a key
//! * an array that is written on several lines keeps its line breaks, indented by two for each level
//! * a comment behind a value keeps its column as far as there is room

mod layout;

use std::ops::Range;

use hookgate::config::parse_toml;
use toml_parser::Source;
use toml_parser::lexer::TokenKind;
use toml_parser::parser::{Event, parse_document};

use layout::Layout;

/// The mark that some editors write at the beginning of a file.
const MARK: char = '\u{feff}';

/// Returns a text in the style of this program. Line ends are those of the first line.
///
/// # Errors
/// What is wrong with the syntax, each with its span in bytes.
pub(crate) fn format(text: &str) -> Result<String, Vec<(Range<usize>, String)>> {
    let (_, wrong) = parse_toml(text);
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let (mark, body) = match text.strip_prefix(MARK) {
        Some(body) => (MARK.len_utf8(), body),
        None => (0, text),
    };
    let mut layout = Layout::new(body);
    let tokens = Source::new(body).lex().into_vec();
    let mut wrong = None;
    parse_document(&tokens, &mut |event: Event| layout.take(&event), &mut wrong);
    if let Some(error) = wrong {
        let span = error.unexpected().map_or(0..0, |span| span.start() + mark..span.end() + mark);
        return Err(vec![(span, error.description().to_owned())]);
    }
    // A line break in a text is a part of the text.
    let first = tokens.iter().find(|token| token.kind() == TokenKind::Newline);
    let first = first.and_then(|token| body.get(token.span().start()..token.span().end()));
    let newline = if first == Some("\r\n") { "\r\n" } else { "\n" };
    let mark = text.get(..mark).unwrap_or_default();
    Ok(format!("{mark}{}", layout.finish(newline)))
}

#[cfg(test)]
mod tests;
