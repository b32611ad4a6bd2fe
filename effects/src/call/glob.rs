//! Globs that a tool takes as its input: `src/**/*.{ts,tsx}`.

use crate::paths::expand_home;
use crate::word::{Word, WordPart};

/// The most words that braces may stand for.
const MOST: usize = 64;

/// The longest glob that is read, in bytes.
const LONGEST: usize = 4096;

/// Returns the words of a glob, one for each choice of its braces; `None` if these are too many, or
/// if the glob is too long.
pub(super) fn glob_words(text: &str, home: Option<&str>) -> Option<Vec<Word>> {
    let choices = expand_braces(Some(text).filter(|text| text.len() <= LONGEST)?)?;
    Some(choices.iter().map(|choice| glob_word(choice, home)).collect())
}

/// Replaces braces by their choices. Braces without a comma, or that are never closed, stay.
fn expand_braces(text: &str) -> Option<Vec<String>> {
    let mut todo = vec![text.to_owned()];
    let mut done = Vec::new();
    while let Some(text) = todo.pop() {
        if todo.len() + done.len() >= MOST {
            return None;
        }
        match split_braces(&text) {
            Some((before, choices, after)) => {
                todo.extend(choices.iter().rev().map(|one| format!("{before}{one}{after}")));
            }
            None => done.push(text),
        }
    }
    Some(done)
}

/// Splits a text at its first braces with a comma.
fn split_braces(text: &str) -> Option<(&str, Vec<&str>, &str)> {
    let (mut depth, mut open, mut cuts) = (0_usize, 0, Vec::new());
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match c {
            '\\' => escaped = true,
            '{' => {
                if depth == 0 {
                    (open, cuts) = (at, Vec::new());
                }
                depth += 1;
            }
            ',' if depth == 1 => cuts.push(at),
            '}' if depth == 1 && !cuts.is_empty() => {
                let mut choices = Vec::new();
                let mut from = open + 1;
                for cut in cuts.iter().copied().chain([at]) {
                    choices.push(text.get(from..cut)?);
                    from = cut + 1;
                }
                return Some((text.get(..open)?, choices, text.get(at + 1..)?));
            }
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Reads a glob without braces.
fn glob_word(text: &str, home: Option<&str>) -> Word {
    if text == "~" || text.starts_with("~/") {
        let mut word = expand_home("~", home);
        append(&mut word, text.get(1..).unwrap_or_default());
        return word;
    }
    let mut word = Word::default();
    append(&mut word, text);
    word
}

fn append(word: &mut Word, text: &str) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '*' | '?' => word.push(WordPart::Glob(c.to_string())),
            '\\' => word.push(WordPart::Text(chars.next().unwrap_or(c).to_string())),
            '[' => {
                // A class ends at a bracket that does not come first; `[` alone is a text.
                let rest: String = chars.clone().collect();
                match class_length(&rest) {
                    Some(length) => {
                        let class: String = chars.by_ref().take(length).collect();
                        word.push(WordPart::Glob(format!("[{class}")));
                    }
                    None => word.push(WordPart::Text("[".into())),
                }
            }
            c => word.push(WordPart::Text(c.to_string())),
        }
    }
}

/// Returns how many characters a class has after its `[`, with the bracket at the end.
fn class_length(rest: &str) -> Option<usize> {
    let start = usize::from(rest.starts_with(['!', '^']));
    let end = rest.chars().skip(start + 1).take_while(|c| *c != '/').position(|c| c == ']')?;
    Some(start + 1 + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let show = |part: &WordPart| match part {
            WordPart::Text(text) => text.clone(),
            WordPart::Glob(glob) => format!("<{glob}>"),
            WordPart::Unknown { written, .. } => format!("${written}"),
        };
        let words = glob_words(text, Some("/h")).unwrap();
        words.iter().map(|word| word.parts.iter().map(show).collect()).collect()
    }

    #[test]
    fn globs_become_words() {
        assert_eq!(shown("**/*.pem"), ["<**>/<*>.pem"]);
        assert_eq!(shown("src/[!a-z]?.rs"), ["src/<[!a-z]?>.rs"]);
        assert_eq!(shown("[a"), ["[a"]);
        assert_eq!(shown(r"a\*"), ["a*"]);
        assert_eq!(shown("~/x*"), ["/h/x<*>"]);
    }

    #[test]
    fn braces_are_choices() {
        assert_eq!(shown("*.{ts,tsx}"), ["<*>.ts", "<*>.tsx"]);
        assert_eq!(shown("{a,{b,c}}/{d,e}"), ["a/d", "a/e", "b/d", "b/e", "c/d", "c/e"]);
        assert_eq!(shown("{a}"), ["{a}"]);
        assert_eq!(shown("{a,b"), ["{a,b"]);
        assert!(glob_words(&"{a,b}".repeat(40), None).is_none());
    }
}
