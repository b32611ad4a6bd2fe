//! Globs for names and texts: `*` is any text, `?` one character, `[a-z]` and `[!a-z]` classes,
//! `{a,b}` alternatives.
//!
//! Why not `globset`, which matches *paths* here ([`super::path_glob`])? Three of its rules are
//! right for paths and would each let a command slip past a guard:
//!
//! * `*` can stop at a slash. `git *` must match `git push origin/main`.
//! * Its regular expressions are bytes (`(?-u)`): `?` is one byte, so `rm ?` would not match `rm é`. The
//!   expressions of names are joined with those of users into one Unicode set, so they cannot be
//!   bytes.
//! * Its text form loses the flag by which `.` matches a newline, so a line break in a command would
//!   evade the guard.
//!
//! `tests/matcher_laws` compares this translation with a naive matcher, and shows that the other
//! recipes fail.

/// Why a glob cannot be read.
///
/// ```
/// use hookgate::matcher::GlobError;
///
/// assert_eq!(GlobError::Range('z', 'a').to_string(), "the range `z-a` is upside down");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GlobError {
    /// `[` without `]`.
    #[error("`[` is never closed")]
    OpenClass,
    /// `[]` or `[!]`.
    #[error("a class in `[…]` is empty")]
    EmptyClass,
    /// A range that ends before it begins.
    #[error("the range `{0}-{1}` is upside down")]
    Range(char, char),
    /// `{` without `}`.
    #[error("`{{` is never closed")]
    OpenBrace,
    /// `}` without `{`.
    #[error("`}}` closes nothing; write `\\}}` for the character")]
    StrayBrace,
    /// A backslash at the end.
    #[error("`\\` at the end escapes nothing")]
    Escape,
}

/// Translates a glob into a regular expression for the whole text, to be compiled with `.`
/// matching newlines.
///
/// `*` and `**` are any characters, `?` is one character, `[a-z]` and `[!a-z]` are classes,
/// `{a,b}` are alternatives (they nest), `\` makes the next character literal.
///
/// # Errors
/// Something is not closed, or closes nothing: a glob is never repaired by guessing.
pub(super) fn to_regex(glob: &str) -> Result<String, GlobError> {
    let mut out = String::with_capacity(glob.len() + 16);
    let mut chars = glob.chars().peekable();
    let mut depth = 0_usize;
    while let Some(c) = chars.next() {
        match c {
            '*' => {
                while chars.next_if_eq(&'*').is_some() {}
                out.push_str(".*");
            }
            '?' => out.push('.'),
            '[' => class(&mut chars, &mut out)?,
            '{' => {
                depth += 1;
                out.push_str("(?:");
            }
            '}' => {
                depth = depth.checked_sub(1).ok_or(GlobError::StrayBrace)?;
                out.push(')');
            }
            ',' if depth > 0 => out.push('|'),
            '\\' => push_literal(&mut out, chars.next().ok_or(GlobError::Escape)?),
            literal => push_literal(&mut out, literal),
        }
    }
    if depth > 0 {
        return Err(GlobError::OpenBrace);
    }
    Ok(anchored(&out))
}

/// Returns a regular expression that matches the whole of a text or nothing. Unlike `^` and `$`,
/// the anchors hold under every flag.
pub(super) fn anchored(source: &str) -> String {
    format!(r"\A(?:{source})\z")
}

fn push_literal(out: &mut String, c: char) {
    out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4])));
}

/// Translates a class, after its opening bracket.
fn class(
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    out: &mut String,
) -> Result<(), GlobError> {
    out.push('[');
    if chars.next_if(|&c| c == '!' || c == '^').is_some() {
        out.push('^');
    }
    let mut empty = true;
    loop {
        let start = match chars.next().ok_or(GlobError::OpenClass)? {
            // A bracket that comes first is a literal.
            ']' if !empty => break,
            ']' if chars.peek().is_none() => return Err(GlobError::EmptyClass),
            '\\' => chars.next().ok_or(GlobError::OpenClass)?,
            c => c,
        };
        empty = false;
        push_in_class(out, start);
        let mut ahead = chars.clone();
        if ahead.next() == Some('-')
            && let Some(end) = ahead.next().filter(|&end| end != ']')
        {
            let end = if end == '\\' { ahead.next().ok_or(GlobError::OpenClass)? } else { end };
            if end < start {
                return Err(GlobError::Range(start, end));
            }
            out.push('-');
            push_in_class(out, end);
            *chars = ahead;
        }
    }
    out.push(']');
    Ok(())
}

/// Inside a class of the regex crate more characters are special than outside.
fn push_in_class(out: &mut String, c: char) {
    if c.is_ascii_punctuation() {
        out.push('\\');
    }
    out.push(c);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(glob: &str, text: &str) -> bool {
        super::super::pattern::regex(&to_regex(glob).unwrap(), glob).unwrap().is_match(text)
    }

    #[test]
    fn stars_cross_newlines_and_slashes() {
        assert!(matches("git *", "git a\nb"));
        assert!(matches("a*c", "a/b/c"));
        assert!(matches("a/**/c", "a/x\ny/c"));
        assert!(!matches("a/**/c", "a/c"), "the slashes are literal");
        assert!(!matches("git *", "xgit a"));
        assert!(!matches("git", "git\n"));
    }

    #[test]
    fn a_question_mark_is_one_character() {
        assert!(matches("a?c", "aéc"));
        assert!(!matches("a?c", "aééc"));
        assert!(matches("?", "\n"));
    }

    #[test]
    fn classes_and_alternatives() {
        assert!(matches("[a-c]x", "bx"));
        assert!(matches("[!a-c]x", "dx"));
        assert!(!matches("[^a-c]x", "ax"));
        assert!(matches("[]]", "]"));
        assert!(matches("[a-]", "-"));
        assert!(matches("[\\]-a]", "^"));
        assert!(matches("{Read,{Multi,}Edit}", "MultiEdit"));
        assert!(matches("{Read,{Multi,}Edit}", "Edit"));
        assert!(!matches("{Read,Edit}", "MultiEdit"));
        assert!(matches("a,b", "a,b"));
        assert!(matches("\\*\\{", "*{"));
        assert!(matches("é{ü,ö}", "éö"));
        assert!(!matches("bash", "Bash"));
        assert!(!matches("a|b", "a"));
    }

    #[test]
    fn mistakes_are_errors() {
        for (glob, error) in [
            ("[ab", GlobError::OpenClass),
            ("[]", GlobError::EmptyClass),
            ("[z-a]", GlobError::Range('z', 'a')),
            ("{a,b", GlobError::OpenBrace),
            ("a}", GlobError::StrayBrace),
            ("a\\", GlobError::Escape),
        ] {
            assert_eq!(to_regex(glob), Err(error), "{glob}");
        }
    }
}
