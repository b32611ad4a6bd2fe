//! Characters of names that look like others, or cannot be seen: the dash of a word processor, a space that does
//! not break, a Cyrillic letter in a Latin word. A name with one of them looks right and is another name.

use std::fmt;

use crate::quote::is_invisible;

/// A character that looks like another one, or cannot be seen.
///
/// ```
/// use hookgate_contract::look_alike::LookAlike;
///
/// let found = LookAlike::find("rm –rf").unwrap();
/// assert_eq!((found.at, found.plain.as_str()), (3, "rm -rf"));
/// assert_eq!(found.to_string(), "`–` (U+2013), which looks like `-` and is another character");
/// assert!(LookAlike::find("B\u{430}sh").is_some(), "a Cyrillic letter");
/// for name in ["rm -rf", "größe", "поиск", "文件", "Δx", "x²"] {
///     assert_eq!(LookAlike::find(name), None, "{name}");
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookAlike {
    /// Where it stands, in bytes.
    pub at: usize,
    /// The character.
    pub found: char,
    /// What it looks like; empty for one that cannot be seen.
    instead: &'static str,
    /// The whole text with the characters that were meant.
    pub plain: String,
}

impl LookAlike {
    /// Returns the first such character of a name, or of a pattern for names.
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        if text.is_ascii() {
            return None;
        }
        let mut first = None;
        let mut plain = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let at = text.len() - rest.len();
            let len = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
            let (word, after) = rest.split_at(if len == 0 { c.len_utf8() } else { len });
            rest = after;
            let letter = |c: char| if c.is_ascii() { None } else { latin(c) };
            if len > 0 && is_mixed(word) {
                let odd = word.char_indices().find_map(|(at, c)| Some((at, c, letter(c)?)));
                first = first.or(odd.map(|(inside, c, latin)| (at + inside, c, latin)));
                for c in word.chars() {
                    match letter(c) {
                        Some(latin) => plain.push_str(latin),
                        None => plain.push(c),
                    }
                }
            } else if let (0, Some(instead)) = (len, sign(c)) {
                first = first.or(Some((at, c, instead)));
                plain.push_str(instead);
            } else {
                plain.push_str(word);
            }
        }
        let (at, found, instead) = first?;
        Some(Self { at, found, instead, plain })
    }

    /// Returns whether it is one that cannot be seen, or a letter in a word of another script: also the name of a
    /// file has these by mistake only.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        // Emoji are joined by these, and words of some languages.
        let joins = matches!(self.found, '\u{200c}' | '\u{200d}' | '\u{fe0f}');
        !joins && (self.instead.is_empty() || self.found.is_alphabetic())
    }
}

impl fmt::Display for LookAlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = u32::from(self.found);
        match self.instead {
            "" => write!(f, "the invisible character U+{code:04X}"),
            " " => write!(f, "the space U+{code:04X}, which is another character than ` `"),
            instead => write!(
                f,
                "`{}` (U+{code:04X}), which looks like `{instead}` and is another character",
                self.found
            ),
        }
    }
}

/// Returns whether a word has Latin letters, and others that all look like Latin ones.
fn is_mixed(word: &str) -> bool {
    let (latin_ones, others): (Vec<char>, Vec<char>) = word.chars().partition(char::is_ascii);
    !latin_ones.is_empty() && !others.is_empty() && others.into_iter().all(|c| latin(c).is_some())
}

/// Returns the sign that a character looks like; empty for one that cannot be seen.
fn sign(c: char) -> Option<&'static str> {
    match c {
        _ if c.is_ascii() => None,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => Some("-"),
        '\u{2018}'..='\u{201b}' => Some("'"),
        '\u{201c}'..='\u{201f}' => Some("\""),
        _ if c.is_whitespace() => Some(" "),
        _ if is_invisible(c) => Some(""),
        _ => None,
    }
}

/// Cyrillic and Greek letters, each with the Latin one that it looks like.
const LETTERS: &str = "аa вb сc ԁd еe гr һh нh іi јj кk ӏl мm оo рp ԛq ѕs тt уy хx ѵv ԝw \
    АA ВB СC ЕE НH ІI ЈJ КK МM ОO РP ЅS ТT УY ХX ԚQ ԜW \
    αa ιi κk νv οo ρp τt υu χx γy \
    ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX";

/// Returns the Latin letter that another letter looks like.
fn latin(c: char) -> Option<&'static str> {
    LETTERS.split_ascii_whitespace().find_map(|pair| pair.strip_prefix(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_another_character_is_found_with_what_was_meant() {
        for (text, at, plain) in [
            ("git\u{a0}push", 3, "git push"),
            ("rm\u{200b}", 2, "rm"),
            ("git commit “x”", 11, "git commit \"x\""),
            ("B\u{430}sh", 1, "Bash"),
            ("B\u{3b1}sh|\u{3a5}es", 1, "Bash|Yes"),
            ("origin\u{2212}main", 6, "origin-main"),
        ] {
            let found = LookAlike::find(text).unwrap();
            assert_eq!((found.at, found.plain.as_str()), (at, plain), "{text}");
        }
        for text in ["поиск", "сор", "COVIDотчёт", "naïve", "a«b»", "日本語", "α", "50µs", "x…"]
        {
            assert_eq!(LookAlike::find(text), None, "{text}");
        }
    }

    #[test]
    fn the_name_of_a_file_may_have_dashes_and_quotes() {
        let hidden = |text: &str| LookAlike::find(text).unwrap().is_hidden();
        assert!(hidden(".\u{200b}env") && hidden("p\u{430}sswd"));
        assert!(!hidden("2024–2025") && !hidden("John’s") && !hidden("a\u{202f}b"));
    }
}
