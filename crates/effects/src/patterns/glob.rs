//! Globs as lists of tokens, and what two of them have in common.
//!
//! A path of a command can itself be a glob or have unknown parts, so a pattern is not compared with a
//! text but with another pattern: they may share a text, and all texts of the one may be in the other.

use hookgate_contract::glob::{self as braces, open_brace};

use super::error::{PatternError, PatternFault};
use crate::word::WordPart;

/// The most patterns that the braces of one pattern may stand for.
pub(crate) const MOST_ALTERNATIVES: usize = 64;

/// A set of characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Set {
    /// Any character.
    Any,
    /// Any, but no name begins with a dot: the folders that `**` of a glob goes through.
    Visible,
    /// Any but a slash.
    NoSlash,
    /// Neither slash nor dot: what a `?` of the shell takes at the start of a name.
    NoSlashNoDot,
    /// Any but a slash, and no dot at the start of a name: what a `*` of the shell takes there.
    VisibleName,
    /// Any but a colon: the name of a branch.
    NoColon,
    /// `[…]`: ranges, never a slash.
    Class { ranges: Vec<(char, char)>, negated: bool },
}

/// One step of a glob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// This character.
    Char(char),
    /// One character of the set.
    One(Set),
    /// Any number of characters of the set.
    Many(Set),
    /// Nothing at all, without the token that follows, or a slash and then that token: `/**`.
    Enter,
}

impl Set {
    fn has(&self, c: char) -> bool {
        match self {
            Self::Any | Self::Visible => true,
            Self::NoSlash | Self::VisibleName => c != '/',
            Self::NoSlashNoDot => c != '/' && c != '.',
            Self::NoColon => c != ':',
            Self::Class { ranges, negated } => {
                c != '/' && ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *negated
            }
        }
    }

    /// Returns one of its characters.
    fn sample(&self) -> Option<char> {
        let own = match self {
            Self::Class { ranges, negated: false } => ranges.as_slice(),
            _ => &[],
        };
        let mut all = own.iter().map(|(from, _)| *from).chain("wx05AZ_-.é".chars());
        all.find(|c| self.has(*c))
    }

    /// Returns whether every character of this set is in the other one; false if that is hard to say.
    fn is_within(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::Any)
            | (
                Self::NoSlash | Self::NoSlashNoDot | Self::VisibleName | Self::Class { .. },
                Self::NoSlash,
            ) => true,
            (one, other) => one == other,
        }
    }
}

/// Adds `/**`: the path so far and everything below.
pub(crate) fn push_below(tokens: &mut Vec<Token>) {
    tokens.extend([Token::Enter, Token::Many(Set::Any)]);
}

/// Reads a glob without slashes that count: `*` takes anything but a slash, or anything at all if
/// `whole_text` is set.
pub(crate) fn read(glob: &str, whole_text: bool) -> Result<Vec<Token>, PatternError> {
    let any = || if whole_text { Set::Any } else { Set::NoSlash };
    let mut tokens = Vec::new();
    let mut chars = glob.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '*' => {
                if tokens.last() != Some(&Token::Many(any())) {
                    tokens.push(Token::Many(any()));
                }
            }
            '?' => tokens.push(Token::One(any())),
            '[' => tokens.push(Token::One(class(at, &mut chars)?)),
            '\\' => match chars.next() {
                Some((_, c)) => tokens.push(Token::Char(c)),
                None => return Err(PatternFault::Escape.at(at)),
            },
            c => tokens.push(Token::Char(c)),
        }
    }
    Ok(tokens)
}

/// Reads a glob of the shell, in which a leading dot of a name is never meant by `*`, `?` and `[…]`.
pub(crate) fn read_shell(glob: &str, at_start_of_name: bool, tokens: &mut Vec<Token>) {
    let mut first = at_start_of_name;
    let Ok(read) = read(glob, false) else {
        tokens.push(Token::Many(Set::NoSlash));
        return;
    };
    for token in read {
        match (first, token) {
            (true, Token::One(Set::NoSlash)) => tokens.push(Token::One(Set::NoSlashNoDot)),
            (true, Token::Many(Set::NoSlash)) => {
                tokens.push(Token::Many(Set::VisibleName));
            }
            (_, token) => tokens.push(token),
        }
        first = false;
    }
}

/// Returns which names a glob of the shell means, whatever the case of letters is: `shopt -s nocaseglob`. With `any_dots`
/// a star means names that begin with a dot, too.
pub(crate) fn names_with(glob: &[WordPart], any_dots: bool) -> impl Fn(&str) -> bool {
    let mut tokens = vec![Token::Char('/')];
    for part in glob {
        match part {
            WordPart::Text(text) => tokens.extend(text.to_lowercase().chars().map(Token::Char)),
            WordPart::Glob(glob) => {
                read_shell(&glob.to_lowercase(), tokens.len() == 1 && !any_dots, &mut tokens);
            }
            WordPart::Unknown { .. } => tokens.push(Token::Many(Set::Any)),
        }
    }
    move |name| {
        let name = name.to_lowercase();
        let name: Vec<Token> = std::iter::once('/').chain(name.chars()).map(Token::Char).collect();
        may_meet(&tokens, &name)
    }
}

fn class(
    open: usize,
    chars: &mut std::iter::Peekable<std::str::CharIndices<'_>>,
) -> Result<Set, PatternError> {
    let negated = chars.next_if(|(_, c)| matches!(c, '!' | '^')).is_some();
    let mut ranges: Vec<(char, char)> = Vec::new();
    loop {
        match chars.next() {
            None => return Err(PatternFault::OpenClass.at(open)),
            Some((at, ']')) if ranges.is_empty() => {
                // As everywhere, a first `]` is a member, if another one closes the class.
                if !chars.clone().any(|(_, c)| c == ']') {
                    return Err(PatternFault::EmptyClass.at(at));
                }
                ranges.push((']', ']'));
            }
            Some((_, ']')) => return Ok(Set::Class { ranges, negated }),
            Some((at, from)) => {
                let mut ahead = chars.clone();
                match (ahead.next(), ahead.next()) {
                    (Some((_, '-')), Some((_, to))) if to != ']' => {
                        if to < from {
                            return Err(PatternFault::Range(from, to).at(at));
                        }
                        ranges.push((from, to));
                        *chars = ahead;
                    }
                    _ => ranges.push((from, from)),
                }
            }
        }
    }
}

/// Puts every alternative of `{a,b}` in a text of its own.
pub(crate) fn expand_braces(text: &str) -> Result<Vec<String>, PatternError> {
    if let Some(at) = open_brace(text) {
        return Err(PatternFault::OpenBrace.at(at));
    }
    braces::expand_braces(text, MOST_ALTERNATIVES, |_| true)
        .ok_or_else(|| PatternFault::TooManyAlternatives(MOST_ALTERNATIVES).at(0))
}

/// Returns a text that a glob takes; `None` if a class has no character that comes to mind.
pub(crate) fn sample(tokens: &[Token]) -> Option<String> {
    let mut text = String::new();
    let mut tokens = tokens.iter();
    while let Some(token) = tokens.next() {
        match token {
            Token::Char(c) => text.push(*c),
            Token::One(set) => text.push(set.sample()?),
            Token::Many(set) => text.push(set.sample()?),
            // What follows it takes the name of a folder.
            Token::Enter => {
                tokens.next();
                text.push_str("/w");
            }
        }
    }
    Some(text)
}

/// Returns whether there is a text that both globs take.
pub(crate) fn may_meet(one: &[Token], other: &[Token]) -> bool {
    solve(one, other, false)
}

/// Returns whether every text that `one` takes is taken by `other`. False if that is hard to say.
pub(crate) fn is_within(one: &[Token], other: &[Token]) -> bool {
    solve(one, other, true)
}

/// Answers for all pairs of ends, from the shortest on: the time is the product of the lengths, whatever
/// the globs.
fn solve(one: &[Token], other: &[Token], all: bool) -> bool {
    let width = other.len() + 1;
    let mut cells = vec![false; (one.len() + 2) * (width + 1)];
    for i in (0..=one.len()).rev() {
        for j in (0..=other.len()).rev() {
            let at = |i: usize, j: usize| cells.get(i * (width + 1) + j).copied().unwrap_or(false);
            let holds = match (one.get(i), other.get(j)) {
                (None, None) => true,
                // `other` may end here, or pass over tokens that take nothing.
                (_, Some(Token::Enter)) if at(i, j + 2) => true,
                (_, Some(Token::Many(_))) if at(i, j + 1) => true,
                (Some(Token::Enter), _) if !all && at(i + 2, j) => true,
                (Some(Token::Many(Set::Visible | Set::VisibleName)), Some(Token::Char('.')))
                    if j > 0 && other.get(j - 1) == Some(&Token::Char('/')) =>
                {
                    false
                }
                (Some(Token::Many(_)), _) if !all && at(i + 1, j) => true,
                (Some(here), Some(there)) => step(here, there, all, i, j, &at),
                (Some(_), None) | (None, Some(_)) => false,
            };
            if let Some(cell) = cells.get_mut(i * (width + 1) + j) {
                *cell = holds;
            }
        }
    }
    cells.first().copied().unwrap_or(false)
}

/// What both tokens say if both take a character, or for `all`, if `there` takes all that `here` does.
fn step(
    here: &Token,
    there: &Token,
    all: bool,
    i: usize,
    j: usize,
    at: &impl Fn(usize, usize) -> bool,
) -> bool {
    // After one character: `Enter` goes into its `Many`, which is the next token; `Many` stays.
    let next = |token: &Token, at: usize| if matches!(token, Token::Many(_)) { at } else { at + 1 };
    match here {
        Token::Char(c) => takes(there, *c) && at(i + 1, next(there, j)),
        Token::Enter => takes(there, '/') && at(i + 1, next(there, j)) && (!all || at(i + 2, j)),
        Token::One(set) if all => takes_all(there, set) && at(i + 1, next(there, j)),
        Token::One(set) => shares(there, set) && at(i + 1, next(there, j)),
        // All texts of a `Many` are taken only by a `Many`, which may then take more.
        Token::Many(set) if all => {
            matches!(there, Token::Many(other) if set.is_within(other)) && at(i + 1, j)
        }
        Token::Many(set) => shares(there, set) && at(i, next(there, j)),
    }
}

fn takes(token: &Token, c: char) -> bool {
    match token {
        Token::Char(other) => *other == c,
        Token::One(set) | Token::Many(set) => set.has(c),
        Token::Enter => c == '/',
    }
}

fn takes_all(token: &Token, wanted: &Set) -> bool {
    matches!(token, Token::One(set) | Token::Many(set) if wanted.is_within(set))
}

fn shares(token: &Token, set: &Set) -> bool {
    match token {
        Token::Char(c) => set.has(*c),
        Token::Enter => set.has('/'),
        // Two sets nearly always share a character.
        Token::One(_) | Token::Many(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glob(text: &str) -> Vec<Token> {
        read(text, false).unwrap()
    }

    #[test]
    fn texts_are_taken() {
        let takes = |pattern: &str, text: &str| {
            let text: Vec<Token> = text.chars().map(Token::Char).collect();
            let meets = may_meet(&text, &glob(pattern));
            assert_eq!(meets, is_within(&text, &glob(pattern)), "{pattern}");
            meets
        };
        assert!(takes("a*c", "abc") && takes("a*c", "ac") && !takes("a*c", "a/c"));
        assert!(takes("[a-c]?", "bx") && !takes("[!a-c]?", "bx") && !takes("?", "/"));
        assert!(takes(r"\*", "*") && !takes(r"\*", "x") && takes("[]]", "]"));
        assert!(takes("*a*b*c*", "xxaxxbxxcxx") && !takes("*a*b*c*", "xxcxxbxxaxx"));
    }

    #[test]
    fn globs_meet_and_contain() {
        let (a, b) = (glob("*.rs"), glob("lib.*"));
        assert!(may_meet(&a, &b) && !is_within(&a, &b));
        assert!(is_within(&glob("lib*.rs"), &glob("*.rs")));
        assert!(!may_meet(&glob("*.rs"), &glob("*.py")));
        assert!(is_within(&glob("*"), &glob("*")) && !is_within(&glob("*"), &glob("?*")));
    }

    #[test]
    fn folders_of_a_glob_are_visible_ones() {
        let mut css = glob("/p/");
        css.extend([Token::Many(Set::Visible), Token::Char('/')]);
        read_shell("*.css", true, &mut css);
        let below = |name: &str| {
            let mut tokens = vec![Token::Enter, Token::Many(Set::Any), Token::Char('/')];
            tokens.extend(glob(name));
            push_below(&mut tokens);
            tokens
        };
        assert!(!may_meet(&css, &below(".ssh")) && may_meet(&css, &below("secrets")));
    }

    #[test]
    fn a_star_at_the_start_of_a_name_takes_nothing_or_what_is_no_dot() {
        let meets = |shell: &str, name: &str| {
            let mut tokens = vec![Token::Char('/')];
            read_shell(shell, true, &mut tokens);
            may_meet(&tokens, &glob(&format!("/{name}")))
        };
        assert!(meets("*id_rsa", "id_rsa") && meets("*id_rsa", "my.id_rsa") && meets("*", "x.y"));
        assert!(!meets("*env", ".env") && !meets("*", ".env") && meets("*.env", "a.env"));
        assert!(!meets("*.env", ".env") && !meets("*a", "b") && meets("*env", "env"));
    }

    #[test]
    fn braces_are_expanded() {
        assert_eq!(expand_braces("a{b,c{d,e}}f").unwrap(), ["abf", "acdf", "acef"]);
        assert_eq!(expand_braces(r"a\{b").unwrap(), [r"a\{b"]);
        assert_eq!(expand_braces("x[{]y").unwrap(), ["x[{]y"]);
        assert_eq!(expand_braces("ab{c").unwrap_err().offset, 2);
        let many = "{a,b}".repeat(8);
        assert!(matches!(
            expand_braces(&many).unwrap_err().fault,
            PatternFault::TooManyAlternatives(_)
        ));
    }

    #[test]
    fn faults_have_their_place() {
        assert_eq!(read("ab[c", false).unwrap_err().offset, 2);
        assert_eq!(read("ab[z-a]", false).unwrap_err().fault, PatternFault::Range('z', 'a'));
        assert_eq!(read(r"ab\", false).unwrap_err().offset, 2);
        assert_eq!(read("[]", false).unwrap_err().fault, PatternFault::EmptyClass);
    }
}
