//! Patterns for the names of tools and agents.
//!
//! A pattern is a name, a glob, alternatives (`Edit|Write`), `*` for all, or one of these after `!`
//! for all others. No name of a tool contains these signs, so nothing is lost by giving them a
//! meaning.
//!
//! A pattern that is read in another way than it was meant matches nothing, and no one notices: the
//! guard is silently gone. So what looks like a regular expression, like a rule of another agent
//! (`Bash(git push:*)`), or like a list with commas is refused, with what to write instead.
//!
//! Names are not matched by `globset`: see [`hookgate_contract::glob`].

mod advice;
mod error;
mod split;

use hookgate_contract::look_alike::LookAlike;

use super::characters::{described, is_odd, shown};
use super::glob::to_regex;
use advice::looks_like_regex;
pub use error::NameError;
use split::{Dialect, has_comma, split};

/// A pattern for names, in its parts: `!Edit|mcp__*` is negated, with the name `Edit` and the glob
/// `mcp__*`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pattern<'t> {
    /// Whether the names that match are excluded.
    pub(super) negated: bool,
    /// The alternatives.
    parts: Vec<&'t str>,
}

impl<'t> Pattern<'t> {
    /// Returns the plain names.
    pub(super) fn exact(&self) -> impl Iterator<Item = &'t str> {
        self.parts.iter().copied().filter(|part| !is_glob(part))
    }

    /// Returns the globs.
    pub(super) fn globs(&self) -> impl Iterator<Item = &'t str> {
        self.parts.iter().copied().filter(|part| is_glob(part))
    }
}

fn is_glob(part: &str) -> bool {
    part.contains(['*', '?', '[', ']', '{', '}'])
}

/// Reads a pattern of `tool` or `agent`.
///
/// # Errors
/// The pattern cannot have been meant as it is written; the error says what to write instead.
pub(super) fn names(text: &str) -> Result<Pattern<'_>, NameError> {
    ends(text)?;
    let in_no_name = |c: &char| {
        matches!(c, '"' | '\'' | '`' | ';' | '&' | '<' | '>' | '%' | '~' | '=') || is_odd(*c)
    };
    if let Some(c) = text.chars().find(in_no_name) {
        return Err(NameError::Character(described(c)));
    }
    plain_letters(text)?;
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
    if let Some(operator) = parts.iter().find_map(|part| logical(part)) {
        return Err(NameError::Character(format!("the word `{operator}`")));
    }
    if parts.iter().any(|part| part.starts_with('!')) {
        return Err(NameError::Negation);
    }
    if parts.iter().any(|part| has_comma(part)) {
        return Err(NameError::Comma(text.split(',').map(str::trim).collect::<Vec<_>>().join("|")));
    }
    // Text and `*` alone cannot be wrong.
    for part in parts.iter().filter(|part| part.contains(['?', '[', ']', '{', '}'])) {
        to_regex(part).map_err(NameError::Glob)?;
    }
    if negated && parts.iter().any(|part| part.chars().all(|c| c == '*')) {
        return Err(NameError::Nothing);
    }
    Ok(Pattern { negated, parts })
}

/// Checks a pattern of `tool_glob`.
pub(super) fn tool_glob(text: &str) -> Result<(), NameError> {
    whole_name(text)?;
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

/// Checks what every pattern for names must meet: it is not empty, and has neither white space at
/// its ends nor a character that is in no name.
pub(super) fn whole_name(text: &str) -> Result<(), NameError> {
    ends(text)?;
    // A name from another program may contain white space, and a pattern may look for that.
    let odd = |c: &char| is_odd(*c) && !['\t', '\n', '\r'].contains(c);
    text.chars().find(odd).map_or(Ok(()), |c| Err(NameError::Character(described(c))))?;
    plain_letters(text)
}

/// Refuses letters of another script that look like those around them.
fn plain_letters(text: &str) -> Result<(), NameError> {
    let Some(odd) = LookAlike::find(text).filter(LookAlike::is_hidden) else { return Ok(()) };
    Err(NameError::LookAlike { found: odd.to_string(), instead: odd.plain })
}

/// Refuses white space at the ends: it would be a part of the name.
fn ends(text: &str) -> Result<(), NameError> {
    if text.is_empty() {
        return Err(NameError::Empty);
    }
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(NameError::Empty);
    }
    if trimmed != text { Err(NameError::Space(shown(trimmed))) } else { Ok(()) }
}

/// Returns an operator by which other languages join conditions, if it is beside a name.
fn logical(part: &str) -> Option<&str> {
    let is_logical =
        |part: &&str| ["and", "or", "not"].iter().any(|logical| part.eq_ignore_ascii_case(logical));
    part.contains(' ').then(|| part.split(' ').find(is_logical))?
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
        let rule = NameError::Arguments {
            tool: "Bash".to_owned(),
            condition: "runs = \"git push\"".to_owned(),
        };
        assert_eq!(names("Bash(git push:*)"), Err(rule));
        assert!(matches!(names("Bash()"), Err(NameError::Arguments { .. })));
    }

    #[test]
    fn patterns_are_taken_apart() {
        for (text, negated, names_in, globs) in [
            ("Bash", false, &["Bash"][..], &[][..]),
            ("Edit|Write", false, &["Edit", "Write"], &[]),
            ("!Edit|mcp__*", true, &["Edit"], &["mcp__*"]),
            ("*", false, &[], &["*"]),
            ("{Edit,Write}|Re?d", false, &[], &["{Edit,Write}", "Re?d"]),
            ("[!a|b]x|y", false, &["y"], &["[!a|b]x"]),
            ("Read File|fs.read|a:b/c-d_1", false, &["Read File", "fs.read", "a:b/c-d_1"], &[]),
        ] {
            let pattern = names(text).unwrap();
            assert_eq!(pattern.negated, negated, "{text}");
            assert_eq!(pattern.exact().collect::<Vec<_>>(), names_in, "{text}");
            assert_eq!(pattern.globs().collect::<Vec<_>>(), globs, "{text}");
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
