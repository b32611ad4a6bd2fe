//! Text that comes from steps, models and configs, made safe for a terminal.
//!
//! A control character in it could move the cursor and paint over the decision beside it. Which
//! characters are hidden is one list: [`hookgate::contract::visible`].

use std::borrow::Cow;

use hookgate::contract::visible;

/// How many characters of a message are shown.
pub(crate) const MESSAGE: usize = 2000;

/// Returns the text in one line of at most `most` characters.
pub(crate) fn one_line(text: &str, most: usize) -> String {
    visible::line(text, most)
}

/// Returns the text in one line of at most [`MESSAGE`] characters.
pub(crate) fn line(text: &str) -> String {
    one_line(text, MESSAGE)
}

/// Returns the text with each of its lines made safe.
pub(crate) fn lines(text: &str) -> String {
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Returns a text of this program as it is printed: its line ends and colours stay. What it quotes
/// was made safe where it was quoted; this catches what was forgotten there.
pub(crate) fn for_terminal(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| c != '\n' && visible::is_hidden(c)) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = colour_length(rest).unwrap_or(c.len_utf8());
        let (these, after) = rest.split_at(length);
        match c {
            '\n' => out.push(c),
            _ if length > c.len_utf8() || !visible::is_hidden(c) => out.push_str(these),
            _ => out.push('\u{fffd}'),
        }
        rest = after;
    }
    out.into()
}

/// Returns how many bytes the colour has with which a text begins, or `None` without a colour.
fn colour_length(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("\x1b[")?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    rest.get(end..)?.starts_with('m').then_some(end + 3)
}

/// Returns JSON for a terminal or a log: hidden characters in its strings are written as `\uXXXX`,
/// which is the same JSON.
pub(crate) fn escape_json(json: &str) -> Cow<'_, str> {
    // Most records are of such characters alone. Without a way out of the loop it takes many bytes at once.
    let is_plain = json.bytes().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~'));
    if is_plain || !json.chars().any(visible::is_hidden) {
        return json.into();
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if visible::is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            out.push(c);
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(one_line("a\x1b[2Jb\u{202e}c\r\n  d", 80), "a\u{fffd}[2Jb\u{fffd}c d");
    }

    #[test]
    fn a_long_line_is_cut() {
        assert_eq!(one_line("äöüß", 4), "äöüß");
        assert_eq!(one_line("äöüß!", 4), "äöü…");
    }

    #[test]
    fn only_the_colours_of_this_program_are_kept() {
        let ours = "\x1b[1;31mdeny\x1b[0m\nnext";
        assert_eq!(for_terminal(ours), ours);
        let foreign = "\x1b[2Ja\x1b]0;title\x07\u{9b}31m\u{202e}\r\t\x1b[";
        let expected =
            "\u{fffd}[2Ja\u{fffd}]0;title\u{fffd}\u{fffd}31m\u{fffd}\u{fffd}\u{fffd}\u{fffd}[";
        assert_eq!(for_terminal(foreign), expected);
    }

    #[test]
    fn escaped_json_is_the_same_json() {
        let value = serde_json::json!({"a\u{202e}": "\u{9b}2J \u{e0041} é \x1b \x7f"});
        let text = value.to_string();
        let escaped = escape_json(&text);
        assert!(!escaped.chars().any(visible::is_hidden), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
    }
}
