//! Globs for names and texts: `*` is any text, `?` one character, `[a-z]` and `[!a-z]` classes,
//! `{a,b}` alternatives, which nest, and `\` makes the next character literal.
//!
//! Every name that a hook asks for is compared by these: tools, agents, events, branches. Why not
//! `globset`? Three of its rules are right for paths, and would each let a name slip past a guard:
//!
//! * `*` can stop at a slash. `git *` must match `git push origin/main`.
//! * It compares bytes: `?` is one byte, so `caf?` would not match `café`.
//! * Its text form loses the flag by which `.` matches a newline, so a line break in a command would
//!   evade the guard.
//!
//! The engine joins the globs of many hooks into one regular expression ([`NameGlob::to_regex`]), others
//! compare one by one ([`NameGlob::matches`]); `tests/laws/matcher` holds both to the same naive matcher.

mod braces;
mod wildcard;

use std::iter::Peekable;
use std::str::Chars;

pub use braces::{Braces, expand_braces, first_braces, open_brace};
pub use wildcard::Wildcard;

/// How deep braces may stand inside of each other.
const DEEPEST: usize = 32;

/// Why a glob cannot be read.
///
/// ```
/// use hookgate_contract::glob::GlobError;
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
    /// Braces in braces in braces.
    #[error("braces stand more than {DEEPEST} levels deep in each other")]
    TooDeep,
}

/// A part of a glob.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    /// This character.
    Char(char),
    /// Any character.
    One,
    /// Any text.
    Many,
    /// `[…]`
    Class(Class),
    /// `{…}`
    Choice(Vec<Vec<Self>>),
}

/// `[a-z]`: ranges of characters, or all but these.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Class {
    ranges: Vec<(char, char)>,
    negated: bool,
}

/// A glob for names.
///
/// ```
/// use hookgate_contract::glob::NameGlob;
///
/// let glob = NameGlob::parse("{feature,fix}/caf?")?;
/// assert!(glob.matches("fix/café") && !glob.matches("fix/cafe/x"));
/// # Ok::<(), hookgate_contract::glob::GlobError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameGlob {
    pieces: Vec<Piece>,
}

impl NameGlob {
    /// Reads a glob.
    ///
    /// # Errors
    /// Something is not closed, or closes nothing: a glob is never repaired by guessing.
    pub fn parse(glob: &str) -> Result<Self, GlobError> {
        let mut chars = glob.chars().peekable();
        // What was read before each open brace: the pieces before it, and the alternatives that are closed.
        let mut open: Vec<(Vec<Piece>, Vec<Vec<Piece>>)> = Vec::new();
        let mut pieces = Vec::new();
        while let Some(c) = chars.next() {
            match c {
                '*' => {
                    while chars.next_if_eq(&'*').is_some() {}
                    pieces.push(Piece::Many);
                }
                '?' => pieces.push(Piece::One),
                '[' => pieces.push(Piece::Class(class(&mut chars)?)),
                '{' if open.len() == DEEPEST => return Err(GlobError::TooDeep),
                '{' => open.push((std::mem::take(&mut pieces), Vec::new())),
                '}' => {
                    let (before, mut choices) = open.pop().ok_or(GlobError::StrayBrace)?;
                    choices.push(std::mem::replace(&mut pieces, before));
                    pieces.push(Piece::Choice(choices));
                }
                ',' if !open.is_empty() => {
                    let choice = std::mem::take(&mut pieces);
                    open.last_mut().into_iter().for_each(|(_, all)| all.push(choice.clone()));
                }
                '\\' => pieces.push(Piece::Char(chars.next().ok_or(GlobError::Escape)?)),
                literal => pieces.push(Piece::Char(literal)),
            }
        }
        if open.is_empty() { Ok(Self { pieces }) } else { Err(GlobError::OpenBrace) }
    }

    /// Returns whether it matches a whole name. The time is the product of both lengths at most.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        let mut start = vec![false; name.len() + 1];
        start.iter_mut().take(1).for_each(|first| *first = true);
        ends(&self.pieces, &name, start).last().copied().unwrap_or(false)
    }

    /// Returns a regular expression without anchors, to be compiled with `.` matching newlines.
    #[must_use]
    pub fn to_regex(&self) -> String {
        let mut out = String::new();
        write_regex(&self.pieces, &mut out);
        out
    }

    /// Returns a name that it matches, with a text of the caller's choice for each `*`; `None` if a class has
    /// no character that comes to mind.
    #[must_use]
    pub fn sample(&self, star: &str) -> Option<String> {
        let mut out = String::new();
        write_sample(&self.pieces, star, &mut out)?;
        Some(out)
    }
}

/// Returns behind which characters of a name the pieces can end that start at some others.
fn ends(pieces: &[Piece], name: &[char], starts: Vec<bool>) -> Vec<bool> {
    let after_one = |starts: &[bool], takes: &dyn Fn(char) -> bool| {
        let taken = name.iter().zip(starts).map(|(c, starts)| *starts && takes(*c));
        std::iter::once(false).chain(taken).collect::<Vec<bool>>()
    };
    pieces.iter().fold(starts, |starts, piece| match piece {
        Piece::Char(wanted) => after_one(&starts, &|c| c == *wanted),
        Piece::One => after_one(&starts, &|_| true),
        Piece::Class(class) => after_one(&starts, &|c| class.has(c)),
        Piece::Many => {
            let mut begun = false;
            let reached = |start: bool| {
                begun |= start;
                begun
            };
            starts.into_iter().map(reached).collect()
        }
        Piece::Choice(choices) => {
            let mut all = vec![false; starts.len()];
            for choice in choices {
                let one = ends(choice, name, starts.clone());
                all.iter_mut().zip(one).for_each(|(all, one)| *all |= one);
            }
            all
        }
    })
}

impl Class {
    fn has(&self, c: char) -> bool {
        self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != self.negated
    }

    /// Returns one of its characters.
    fn sample(&self) -> Option<char> {
        let own = self.ranges.iter().map(|(from, _)| *from);
        let mut all = own.chain(('a'..='z').chain('0'..='9').chain("ABC_-é".chars()));
        all.find(|c| self.has(*c))
    }
}

/// Reads a class, after its opening bracket.
fn class(chars: &mut Peekable<Chars<'_>>) -> Result<Class, GlobError> {
    let negated = chars.next_if(|&c| c == '!' || c == '^').is_some();
    let mut ranges = Vec::new();
    loop {
        let start = match chars.next().ok_or(GlobError::OpenClass)? {
            // A bracket that comes first is a literal.
            ']' if !ranges.is_empty() => return Ok(Class { ranges, negated }),
            ']' if chars.peek().is_none() => return Err(GlobError::EmptyClass),
            '\\' => chars.next().ok_or(GlobError::OpenClass)?,
            c => c,
        };
        let mut ahead = chars.clone();
        let end = match (ahead.next(), ahead.next()) {
            (Some('-'), Some('\\')) => ahead.next().ok_or(GlobError::OpenClass)?,
            (Some('-'), Some(end)) if end != ']' => end,
            _ => {
                ranges.push((start, start));
                continue;
            }
        };
        if end < start {
            return Err(GlobError::Range(start, end));
        }
        ranges.push((start, end));
        *chars = ahead;
    }
}

fn write_regex(pieces: &[Piece], out: &mut String) {
    for piece in pieces {
        match piece {
            Piece::Char(c) => push_literal(out, *c),
            Piece::One => out.push('.'),
            Piece::Many => out.push_str(".*"),
            Piece::Class(Class { ranges, negated }) => {
                out.push_str(if *negated { "[^" } else { "[" });
                for (from, to) in ranges {
                    push_literal(out, *from);
                    if from != to {
                        out.push('-');
                        push_literal(out, *to);
                    }
                }
                out.push(']');
            }
            Piece::Choice(choices) => {
                for (at, choice) in choices.iter().enumerate() {
                    out.push_str(if at == 0 { "(?:" } else { "|" });
                    write_regex(choice, out);
                }
                out.push(')');
            }
        }
    }
}

/// No other signs may be escaped: `\<` is the start of a word.
fn push_literal(out: &mut String, c: char) {
    if r"\.+*?()|[]{}^$#&-~".contains(c) {
        out.push('\\');
    }
    out.push(c);
}

fn write_sample(pieces: &[Piece], star: &str, out: &mut String) -> Option<()> {
    for piece in pieces {
        match piece {
            Piece::Char(c) => out.push(*c),
            Piece::One => out.push('x'),
            Piece::Many => out.push_str(star),
            Piece::Class(class) => out.push(class.sample()?),
            Piece::Choice(choices) => write_sample(choices.first()?, star, out)?,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(glob: &str, name: &str) -> bool {
        NameGlob::parse(glob).unwrap().matches(name)
    }

    #[test]
    fn stars_cross_newlines_and_slashes() {
        assert!(matches("git *", "git a\nb"));
        assert!(matches("a*c", "a/b/c"));
        assert!(matches("a/**/c", "a/x\ny/c"));
        assert!(!matches("a/**/c", "a/c"), "the slashes are literal");
        assert!(!matches("git *", "xgit a"));
        assert!(!matches("git", "git\n"));
        assert!(matches("*a*b*c*", "xxaxxbxxcxx") && !matches("*a*b*c*", "xxcxxbxxaxx"));
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
            assert_eq!(NameGlob::parse(glob), Err(error), "{glob}");
        }
        assert_eq!(NameGlob::parse(&"{".repeat(100_000)), Err(GlobError::TooDeep));
    }

    #[test]
    fn many_alternatives_take_no_more_time_than_they_are_long() {
        let glob = NameGlob::parse(&"{a,*}".repeat(200)).unwrap();
        assert!(glob.matches(&"ab".repeat(200)));
    }

    proptest::proptest! {
        #[test]
        fn a_sample_matches(glob in "([ab?*]|\\[[!]?[a-c]\\]|\\{[a-c*]{0,2},[ab]\\}){0,6}") {
            let glob = NameGlob::parse(&glob).unwrap();
            let sample = glob.sample("w").unwrap();
            proptest::prop_assert!(glob.matches(&sample), "{:?}", sample);
        }
    }
}
