//! Patterns of tool names: names, `*` and `?`, with `|` between alternatives.

use std::fmt;

/// Why a pattern of tool names cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum NameProblem {
    #[error("an alternative is empty: write a name between the `|`")]
    Empty,
    #[error("white space is in no tool's name")]
    Space,
    #[error(
        "`{0}` is in no tool's name: a pattern is names with `*` and `?`, and `|` between them"
    )]
    Sign(char),
}

/// The signs that people write in regular expressions, and that no tool's name has.
const SIGNS: &[char] = &[
    '(', ')', '[', ']', '{', '}', '^', '$', '+', '!', '"', '\'', '`', ',', ';', '<', '>', '“', '”',
];

/// The names of the tools that a manifest is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamePattern {
    alternatives: Vec<String>,
}

impl NamePattern {
    /// Reads a pattern: `Read`, `mcp__fs__*`, `Edit|Write`.
    pub(super) fn read(text: &str) -> Result<Self, NameProblem> {
        let alternatives: Vec<String> = text.split('|').map(str::to_owned).collect();
        for name in &alternatives {
            if name.is_empty() {
                return Err(NameProblem::Empty);
            }
            if name.chars().any(char::is_whitespace) {
                return Err(NameProblem::Space);
            }
            if let Some(sign) = name.chars().find(|c| SIGNS.contains(c)) {
                return Err(NameProblem::Sign(sign));
            }
        }
        Ok(Self { alternatives })
    }

    /// Adds the alternatives of another pattern.
    pub(super) fn add(&mut self, other: Self) {
        self.alternatives.extend(other.alternatives);
    }

    /// Returns whether a tool of this name is meant.
    pub(super) fn matches(&self, name: &str) -> bool {
        self.alternatives.iter().any(|pattern| glob_matches(pattern, name))
    }

    /// Returns the alternatives without `*` and `?`.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.alternatives.iter().map(String::as_str).filter(|name| !is_glob(name))
    }

    /// Returns the alternatives with `*` or `?`.
    pub(super) fn globs(&self) -> impl Iterator<Item = &str> {
        self.alternatives.iter().map(String::as_str).filter(|name| is_glob(name))
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.alternatives.join("|"))
    }
}

fn is_glob(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// Returns whether a text is matched by a glob in which `*` is any text and `?` one character.
///
/// After a mismatch only the last `*` takes one more character: an earlier one could not help.
pub(super) fn glob_matches(glob: &str, text: &str) -> bool {
    let (mut glob, mut text) = (glob.chars(), text.chars());
    let mut last_star = None;
    loop {
        let rest = text.clone();
        match (glob.next(), text.next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                last_star = Some((glob.clone(), rest.clone()));
                text = rest;
            }
            (Some('?'), Some(_)) => {}
            (Some(wanted), Some(there)) if wanted == there => {}
            _ => {
                let Some((after, mut from)) = last_star else { return false };
                if from.next().is_none() {
                    return false;
                }
                glob = after.clone();
                text = from.clone();
                last_star = Some((after, from));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_of_names() {
        for (glob, text, holds) in [
            ("Read", "Read", true),
            ("Read", "Reads", false),
            ("*", "", true),
            ("mcp__*__read_*", "mcp__a__b__read_file", true),
            ("mcp__*__read_*", "mcp__a__write_file", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*a*b", "xaxbxb", true),
            ("*a*b", "xaxbxc", false),
            ("**x", "x", true),
        ] {
            assert_eq!(glob_matches(glob, text), holds, "{glob} {text}");
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        assert_eq!(NamePattern::read("Edit|"), Err(NameProblem::Empty));
        assert_eq!(NamePattern::read("^mcp"), Err(NameProblem::Sign('^')));
        assert_eq!(NamePattern::read(" Bash"), Err(NameProblem::Space));
        assert!(NamePattern::read("Edit|mcp__*").is_ok());
    }
}
