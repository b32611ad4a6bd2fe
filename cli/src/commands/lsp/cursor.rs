//! Where in a text a cursor is: in which table, at a key or at a value. The text may be half written.

use std::ops::Range;

use toml_parser::Source;
use toml_parser::parser::{Event, EventKind, RecursionGuard, parse_document};

/// How deep the values of a text may be: what is deeper is passed over, and a check tells it.
const DEEPEST: u32 = 100;

/// What stands at a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A name in the header of a table.
    Header,
    /// A key.
    Key,
    /// A value.
    Value,
}

/// A place in a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) role: Role,
    /// The keys that lead to the table of a key, or to a value. Arrays are passed through.
    pub(super) path: Vec<String>,
    /// What is written there, or the cursor alone.
    pub(super) token: Range<usize>,
}

impl Place {
    /// Returns the last key of the path.
    pub(super) fn last(&self) -> &str {
        self.path.last().map_or("", String::as_str)
    }

    /// Returns the path as texts.
    pub(super) fn keys(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }
}

/// A part of the text.
type Part = (EventKind, Range<usize>);

/// What is open: the document, a table in braces, or an array.
#[derive(Debug, Default)]
struct Level {
    is_array: bool,
    /// The key whose value comes or is there.
    key: Vec<String>,
}

/// Returns the place of an offset; `None` where nothing can be written but what is there.
pub(super) fn place(text: &str, at: usize) -> Option<Place> {
    let mut walk = Walk::default();
    let mut last: Option<Part> = None;
    for (kind, span) in parts(text) {
        if span.start >= at {
            break;
        }
        // A part that the parser has made up.
        if span.is_empty() {
            continue;
        }
        if kind == EventKind::Comment && span.end >= at {
            return None;
        }
        walk.take(kind, text.get(span.clone()).unwrap_or_default());
        if !matches!(kind, EventKind::Whitespace | EventKind::Error) {
            last = Some((kind, span));
        }
    }
    let touched = last.filter(|(kind, span)| {
        span.end >= at && matches!(kind, EventKind::SimpleKey | EventKind::Scalar)
    });
    walk.place(touched, at)
}

/// Returns the place of the key or value that an offset is in.
pub(super) fn place_of_token(text: &str, at: usize) -> Option<Place> {
    let is_name = |kind| matches!(kind, EventKind::SimpleKey | EventKind::Scalar);
    let found = parts(text)
        .into_iter()
        .find(|(kind, span)| is_name(*kind) && span.start <= at && at < span.end);
    place(text, found?.1.end)
}

/// Returns a text without its quotes.
pub(super) fn unquoted(text: &str) -> &str {
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| text.starts_with(*quote));
    let Some(quote) = quote else { return text };
    let inner = text.strip_prefix(quote).unwrap_or(text);
    inner.strip_suffix(quote).unwrap_or(inner)
}

fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    // An offset counts from the beginning of the text, with the mark of an editor.
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = text.len() - body.len();
    let tokens = Source::new(body).lex().into_vec();
    let mut take = |event: Event| {
        let span = event.span();
        parts.push((event.kind(), span.start() + mark..span.end() + mark));
    };
    // The parser calls itself for each level.
    let mut take = RecursionGuard::new(&mut take, DEEPEST);
    parse_document(&tokens, &mut take, &mut ());
    parts
}

/// The way from the beginning of a text to a place.
#[derive(Debug)]
struct Walk {
    /// The table that the last header has opened.
    base: Vec<String>,
    levels: Vec<Level>,
    /// What could come now.
    next: Option<Role>,
    /// Whether a dot was before, so that a key goes on.
    dotted: bool,
}

impl Default for Walk {
    fn default() -> Self {
        Self {
            base: Vec::new(),
            levels: vec![Level::default()],
            next: Some(Role::Key),
            dotted: false,
        }
    }
}

impl Walk {
    fn take(&mut self, kind: EventKind, text: &str) {
        match kind {
            EventKind::Newline if self.levels.len() == 1 => {
                self.set_key(None);
                self.next = Some(Role::Key);
            }
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => {
                *self = Self { next: Some(Role::Header), ..Self::default() };
            }
            EventKind::StdTableClose | EventKind::ArrayTableClose => self.next = None,
            EventKind::SimpleKey if self.next == Some(Role::Header) => {
                self.base.push(unquoted(text).to_owned());
            }
            EventKind::SimpleKey => {
                self.set_key(Some(unquoted(text)));
                self.next = None;
            }
            EventKind::KeySep if self.next != Some(Role::Header) => {
                self.dotted = true;
                self.next = Some(Role::Key);
            }
            EventKind::KeyValSep => self.next = Some(Role::Value),
            EventKind::Scalar => self.next = None,
            EventKind::InlineTableOpen => {
                self.levels.push(Level::default());
                self.next = Some(Role::Key);
            }
            EventKind::ArrayOpen => {
                self.levels.push(Level { is_array: true, ..Level::default() });
                self.next = Some(Role::Value);
            }
            EventKind::ValueSep => {
                let in_array = self.levels.last().is_some_and(|level| level.is_array);
                if !in_array {
                    self.set_key(None);
                }
                self.next = Some(if in_array { Role::Value } else { Role::Key });
            }
            EventKind::InlineTableClose | EventKind::ArrayClose => {
                if self.levels.len() > 1 {
                    self.levels.pop();
                }
                self.next = None;
            }
            _ => {}
        }
    }

    /// Sets the key of the innermost level, or the next part of it.
    fn set_key(&mut self, key: Option<&str>) {
        let goes_on = std::mem::take(&mut self.dotted) && key.is_some();
        if let Some(level) = self.levels.last_mut() {
            if !goes_on {
                level.key.clear();
            }
            level.key.extend(key.map(str::to_owned));
        }
    }

    fn place(mut self, touched: Option<Part>, at: usize) -> Option<Place> {
        let role = match &touched {
            Some((EventKind::Scalar, _)) => Role::Value,
            Some(_) if self.next == Some(Role::Header) => {
                self.base.pop();
                Role::Header
            }
            Some(_) => {
                self.levels.last_mut()?.key.pop();
                Role::Key
            }
            None => self.next?,
        };
        let keys = self.levels.into_iter().flat_map(|level| level.key);
        let path = self.base.into_iter().chain(keys).collect();
        Some(Place { role, path, token: touched.map_or(at..at, |(_, span)| span) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of the sign `|` in a text.
    fn at(text: &str) -> Option<(Role, String, String)> {
        let at = text.find('|').unwrap();
        let text = text.replacen('|', "", 1);
        let place = place(&text, at)?;
        Some((place.role, place.path.join(" "), text.get(place.token).unwrap().to_owned()))
    }

    /// The parser calls itself for each level: without a bound this ends the process.
    #[test]
    fn a_text_may_be_nested_as_deep_as_it_likes() {
        for open in ["[", "{b="] {
            for close in ["", "]"] {
                let deep = format!("a={}{}", open.repeat(20_000), close.repeat(20_000));
                let place = place(&deep, 1).unwrap();
                assert_eq!((place.role, place.path), (Role::Key, Vec::<String>::new()), "{open}");
            }
        }
    }

    #[test]
    fn a_cursor_is_at_a_key_or_a_value_of_a_table() {
        for (text, role, path, token) in [
            ("|", Role::Key, "", ""),
            ("ver|", Role::Key, "", "ver"),
            ("[[ho|", Role::Header, "", "ho"),
            ("[limits]\n|", Role::Key, "limits", ""),
            ("[[hook]]\nid = 'a'\nev|\nx = 1", Role::Key, "hook", "ev"),
            ("[[hook]]\nevent = |", Role::Value, "hook event", ""),
            ("[[hook]]\nevent = \"pre_|\"", Role::Value, "hook event", "\"pre_\""),
            ("[[hook]]\nevent = \"pre_|\nid = 'a'", Role::Value, "hook event", "\"pre_"),
            ("[[hook]]\nevent = ['stop', |]", Role::Value, "hook event", ""),
            ("[[hook]]\ninput = { \"/com|", Role::Key, "hook input", "\"/com"),
            ("[[hook]]\ninput = { '/a' = { re|", Role::Key, "hook input /a", "re"),
            ("[[hook]]\ninput.'/a'.|", Role::Key, "hook input /a", ""),
            ("[hook.builtin]\nname = |", Role::Value, "hook builtin name", ""),
            ("[[hook]]\nany = [{ tool = 'a' }, { |", Role::Key, "hook any", ""),
        ] {
            let found = at(text);
            assert_eq!(found, Some((role, path.to_owned(), token.to_owned())), "{text}");
        }
        for nothing in ["# a |", "a = 1 |", "a |", "[a] |", "a = [1 |", "a = {} |"] {
            assert_eq!(at(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn a_token_is_found_from_any_of_its_letters() {
        let text = "[[hook]]\nevent = 'stop'\n";
        for at in 17..23 {
            assert_eq!(place_of_token(text, at).unwrap().token, 17..23);
        }
        assert_eq!(place_of_token(text, 9).unwrap().role, Role::Key);
        assert_eq!(place_of_token(text, 15), None);
    }

    /// Whatever is written, and wherever the cursor is, there is an answer.
    #[test]
    fn no_text_and_no_offset_is_too_odd() {
        let text = "\u{feff}[[hook]]\nid='é'\ninput={\"/a\"={regex='''x\ny''' , not=[1,{}]}}\n[[x.'y']]\n= ]} \"\n";
        for at in 0..=text.len() + 1 {
            let _ = (place(text, at), place_of_token(text, at));
            if let Some(cut) = text.get(..at) {
                let _ = place(cut, at);
            }
        }
    }
}
