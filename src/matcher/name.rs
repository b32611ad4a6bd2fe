//! Patterns for names of tools and agents.
//!
//! A name, a glob, alternatives (`Edit|Write`), `*` for all, `!X` for all but X. No name of a tool
//! has these signs, so nothing is lost. What looks like something else is refused: a pattern that
//! is read in another way than it was meant matches nothing, and nobody notices.

mod hint;

use std::iter::Peekable;
use std::str::Chars;

use hookgate_contract::quote;

use super::glob::{GlobError, to_regex};
use hint::looks_like_regex;

/// Why a pattern for names cannot be meant as it is written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// It is empty.
    #[error("it is empty: write `*` for all, or leave the key out")]
    Empty,
    /// White space at an end, beside `|` or after `!`.
    #[error("white space at an end is a part of the name: write `{0}`")]
    Space(String),
    /// A character that no name has.
    #[error("it has {0}, which no name has")]
    Character(String),
    /// It looks like a regular expression.
    #[error("it looks like a regular expression, and globs are meant here: write {0}")]
    Regex(String),
    /// A name with arguments in brackets, as other agents write rules.
    #[error(
        "arguments do not stand here: write `{tool}`, and beside it a condition such as \
         `input = {{ \"/command\" = {{ glob = \"git push*\" }} }}`"
    )]
    Arguments {
        /// The name before the bracket.
        tool: String,
    },
    /// A comma between names.
    #[error("a comma separates nothing here: write `{0}`, or a list")]
    Comma(String),
    /// `|` in a glob.
    #[error("`|` separates nothing in a glob: write `{0}`, or use `tool`")]
    Bar(String),
    /// `!` elsewhere than at the beginning, or twice.
    #[error("`!` stands once, at the beginning: `!Edit|Write` is all but these two")]
    Negation,
    /// `!` in a glob.
    #[error("a glob has no `!` in front: that belongs to `tool`")]
    NegatedGlob,
    /// Nothing is left.
    #[error("it leaves nothing: no name can match")]
    Nothing,
    /// The glob cannot be read.
    #[error("{0}")]
    Glob(GlobError),
}

/// A pattern, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pattern {
    /// Whether the names that it takes in are left out.
    pub(super) negated: bool,
    /// Plain names.
    pub(super) exact: Vec<String>,
    /// Globs.
    pub(super) globs: Vec<String>,
}

/// How a pattern is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    /// As `tool` and `agent`.
    Names,
    /// As `tool_glob`: `\` makes the next character literal, alternatives stand in braces.
    Glob,
}

/// Takes a pattern of `tool` or `agent` apart.
pub(super) fn names(text: &str) -> Result<Pattern, NameError> {
    ends(text)?;
    if let Some(c) = text.chars().find(|c| is_odd(*c) || "\"'`;&<>%~=".contains(*c)) {
        return Err(NameError::Character(described(c)));
    }
    let (negated, rest) = text.strip_prefix('!').map_or((false, text), |rest| (true, rest));
    if rest.is_empty() || rest.starts_with('!') {
        return Err(NameError::Negation);
    }
    let parts = split(rest, Dialect::Names).ok_or_else(|| looks_like_regex(text))?;
    if parts.iter().any(|part| part.trim() != *part) {
        let joined = parts.iter().map(|part| part.trim()).collect::<Vec<_>>().join("|");
        let sign = if negated { "!" } else { "" };
        return Err(NameError::Space(format!("{sign}{joined}")));
    }
    if parts.iter().any(|part| part.is_empty()) {
        return Err(NameError::Empty);
    }
    if let Some(word) = parts.iter().find_map(|part| logical(part)) {
        return Err(NameError::Character(format!("the word `{word}`")));
    }
    if parts.iter().any(|part| part.starts_with('!')) {
        return Err(NameError::Negation);
    }
    if parts.iter().any(|part| has_comma(part)) {
        return Err(NameError::Comma(text.split(',').map(str::trim).collect::<Vec<_>>().join("|")));
    }
    let mut pattern = Pattern { negated, ..Pattern::default() };
    for part in parts {
        if part.contains(['*', '?', '[', ']', '{', '}']) {
            to_regex(part).map_err(NameError::Glob)?;
            pattern.globs.push(part.to_owned());
        } else {
            pattern.exact.push(part.to_owned());
        }
    }
    let everything = |glob: &String| glob.chars().all(|c| c == '*');
    if negated && pattern.globs.iter().any(everything) {
        return Err(NameError::Nothing);
    }
    Ok(pattern)
}

/// Checks a pattern of `tool_glob`.
pub(super) fn tool_glob(text: &str) -> Result<(), NameError> {
    whole(text)?;
    if text.starts_with('!') {
        return Err(NameError::NegatedGlob);
    }
    let parts = split(text, Dialect::Glob).ok_or_else(|| looks_like_regex(text))?;
    if parts.len() > 1 {
        return Err(NameError::Bar(format!("{{{}}}", parts.join(","))));
    }
    if parts.iter().any(|part| has_comma(part)) {
        return Err(NameError::Comma(format!("{{{text}}}")));
    }
    Ok(())
}

/// Checks a pattern for whole names of any sort: that it is not empty, and has no white space at its
/// ends and no character that cannot be meant.
pub(super) fn whole(text: &str) -> Result<(), NameError> {
    ends(text)?;
    // A name from outside may have white space in it, and a pattern may look for that.
    let odd = |c: &char| is_odd(*c) && !['\t', '\n', '\r'].contains(c);
    text.chars().find(odd).map_or(Ok(()), |c| Err(NameError::Character(described(c))))
}

fn ends(text: &str) -> Result<(), NameError> {
    if text.is_empty() {
        return Err(NameError::Empty);
    }
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(NameError::Empty);
    }
    if trimmed != text { Err(NameError::Space(super::shown(trimmed))) } else { Ok(()) }
}

/// Whether a character has no place in a name: it cannot be seen, or comes from a word processor.
pub(super) fn is_odd(c: char) -> bool {
    c.is_control()
        || quote::is_invisible(c)
        || matches!(c, '\u{2018}'..='\u{201f}' | '«' | '»' | '‹' | '›' | '–' | '—' | '…')
        || (c.is_whitespace() && !c.is_ascii())
}

/// A word by which other languages join conditions, beside a name.
fn logical(part: &str) -> Option<&str> {
    let is_logical =
        |word: &&str| ["and", "or", "not"].iter().any(|logical| word.eq_ignore_ascii_case(logical));
    part.contains(' ').then(|| part.split(' ').find(is_logical))?
}

fn described(c: char) -> String {
    let code = format!("U+{:04X}", u32::from(c));
    if c.is_control() {
        format!("the control character {code}")
    } else if "\"'`".contains(c) {
        format!("the quotation mark {c}")
    } else if c.is_whitespace() || quote::is_invisible(c) {
        format!("the invisible character {code}")
    } else if c.is_ascii() {
        format!("the sign `{c}`")
    } else {
        format!("the sign {c} ({code}) of a word processor")
    }
}

/// The alternatives of a pattern; none where it looks like a regular expression.
fn split(text: &str, dialect: Dialect) -> Option<Vec<&str>> {
    if text.len() > 2 && text.starts_with('/') && text.ends_with('/') {
        return None;
    }
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    let mut chars = text.chars().peekable();
    let mut before = '\0';
    let mut at = 0;
    while let Some(c) = chars.next() {
        let here = at;
        at += c.len_utf8();
        match c {
            '\\' if dialect == Dialect::Glob => match chars.next() {
                // `\w`, `\d`, `\b`: no letter needs to be made literal.
                Some(next) if next.is_alphanumeric() => return None,
                next => at += next.map_or(0, char::len_utf8),
            },
            '\\' | '^' | '$' | '(' | ')' | '+' => return None,
            '*' | '?' if before == '.' => return None,
            '{' if matches!(before, '.' | ']') && is_count(chars.clone()) => return None,
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '[' => at += skip_class(&mut chars),
            '|' if depth > 0 => return None,
            '|' => {
                parts.push(text.get(start..here)?);
                start = at;
            }
            _ => {}
        }
        before = if c == '[' { ']' } else { c };
    }
    parts.push(text.get(start..)?);
    Some(parts)
}

/// Leaves out the rest of a class, and says how many bytes it has. One that is not closed is found
/// by the translation.
fn skip_class(chars: &mut Peekable<Chars<'_>>) -> usize {
    let mut length = 0;
    let mut first = true;
    if let Some(c) = chars.next_if(|c| matches!(c, '!' | '^')) {
        length += c.len_utf8();
    }
    while let Some(c) = chars.next() {
        length += c.len_utf8();
        match c {
            ']' if !first => break,
            '\\' => length += chars.next().map_or(0, char::len_utf8),
            _ => {}
        }
        first = false;
    }
    length
}

/// Whether what follows a brace is how often a regular expression repeats: `2}`, `1,3}`.
fn is_count(chars: Peekable<Chars<'_>>) -> bool {
    let inside: String = chars.take_while(|c| *c != '}').collect();
    inside.starts_with(|c: char| c.is_ascii_digit())
        && inside.chars().all(|c| c.is_ascii_digit() || c == ',')
}

/// Whether a comma stands outside of braces and classes.
fn has_comma(part: &str) -> bool {
    let mut chars = part.chars().peekable();
    let mut depth = 0_u32;
    while let Some(c) = chars.next() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            '\\' => {
                chars.next();
            }
            '[' => {
                skip_class(&mut chars);
            }
            ',' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_regex_is_refused_with_what_to_write() {
        for (text, instead) in [
            ("mcp__.*", "`mcp__*`"),
            (".*", "`*`"),
            ("^Bash", "`Bash`"),
            ("Bash$", "`Bash`"),
            ("^Bash$|^Edit$", "`Bash|Edit`"),
            ("(Edit|Write)", "`Edit|Write`"),
            ("^(?:Edit|Write)$", "`Edit|Write`"),
            ("mcp__(fs|git)__.+", "`mcp__{fs,git}__?*`"),
            ("!^Bash$", "`!Bash`"),
            ("/Bash/", "`Bash`"),
            (r"\w+", "a name or a glob; for tools there is `tool_regex`"),
            (r"mcp\w", "a name or a glob; for tools there is `tool_regex`"),
            ("[a-z]+", "a name or a glob; for tools there is `tool_regex`"),
            ("[a-z]{2,3}", "a name or a glob; for tools there is `tool_regex`"),
            ("(?i)bash", "a name or a glob; for tools there is `tool_regex`"),
            ("a{b|c}", "a name or a glob; for tools there is `tool_regex`"),
        ] {
            assert_eq!(names(text), Err(NameError::Regex(instead.to_owned())), "{text}");
        }
        let rule = NameError::Arguments { tool: "Bash".to_owned() };
        assert_eq!(names("Bash(git push:*)"), Err(rule.clone()));
        assert_eq!(names("Bash()"), Err(rule));
    }

    #[test]
    fn patterns_are_taken_apart() {
        let exact = |all: &[&str]| all.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        for (text, negated, names_in, globs) in [
            ("Bash", false, &["Bash"][..], &[][..]),
            ("Edit|Write", false, &["Edit", "Write"], &[]),
            ("!Edit|mcp__*", true, &["Edit"], &["mcp__*"]),
            ("*", false, &[], &["*"]),
            ("{Edit,Write}|Re?d", false, &[], &["{Edit,Write}", "Re?d"]),
            ("[!a|b]x|y", false, &["y"], &["[!a|b]x"]),
            ("Read File|fs.read|a:b/c-d_1", false, &["Read File", "fs.read", "a:b/c-d_1"], &[]),
        ] {
            let pattern = Pattern { negated, exact: exact(names_in), globs: exact(globs) };
            assert_eq!(names(text), Ok(pattern), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let space = |text: &str| Err(NameError::Space(text.to_owned()));
        assert_eq!(names(""), Err(NameError::Empty));
        assert_eq!(names("  "), Err(NameError::Empty));
        assert_eq!(names("Bash "), space("Bash"));
        assert_eq!(names("\tBash"), space("Bash"));
        assert_eq!(names("Edit | Write"), space("Edit|Write"));
        assert_eq!(names("! Bash"), space("!Bash"));
        for text in ["Edit|", "|", "a||b"] {
            assert_eq!(names(text), Err(NameError::Empty), "{text}");
        }
        for text in ["!", "!!Bash", "Edit|!Write"] {
            assert_eq!(names(text), Err(NameError::Negation), "{text}");
        }
        assert_eq!(names("!*"), Err(NameError::Nothing));
        assert_eq!(names("Edit, Write"), Err(NameError::Comma("Edit|Write".into())));
        for text in [
            "“Bash”",
            "'Bash'",
            "\"Bash\"",
            "Ba\u{8}sh",
            "Ba\u{200b}sh",
            "a\u{a0}b",
            "mcp—fs",
            "a\nb",
        ] {
            assert!(matches!(names(text), Err(NameError::Character(_))), "{text:?}");
        }
        assert!(matches!(names("[ab"), Err(NameError::Glob(_))));
        assert!(matches!(names("a}"), Err(NameError::Glob(_))));
    }

    #[test]
    fn a_glob_may_escape_what_it_means_literally() {
        for good in ["mcp__*", r"a\|b", r"\!x", r"\^a\$", r"a\,b", "[,|^$]x", "a\nb", "{a,b}"] {
            assert_eq!(tool_glob(good), Ok(()), "{good:?}");
        }
        assert_eq!(tool_glob("Edit|Write"), Err(NameError::Bar("{Edit,Write}".into())));
        assert_eq!(tool_glob("Edit,Write"), Err(NameError::Comma("{Edit,Write}".into())));
        assert_eq!(tool_glob("!Bash"), Err(NameError::NegatedGlob));
        assert_eq!(tool_glob("mcp__.*"), Err(NameError::Regex("`mcp__*`".into())));
        for bad in ["", " ", "a ", r"\w*", "^a", "a$", "(a)", "a+", "“a”", "a\u{7}"] {
            assert!(tool_glob(bad).is_err(), "{bad:?}");
        }
    }
}
