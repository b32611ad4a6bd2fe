//! Patterns for the name of the tool: those of one hook.
//!
//! A hook can give names, globs and regular expressions; of each kind that it gives one must match.
//! The kinds are bits: a pattern that matches sets the bit of its kind, and the hook matches if the
//! bits are exactly those that it wants. A name that is excluded sets a bit that no hook wants.
//!
//! The patterns of all hooks of an event are joined in [`super::tool_set`].

use std::sync::Arc;

use super::error::MatchError;
use super::glob::anchored;
use super::name::{self, Pattern};
use super::pattern::{glob, refuse_control, regex};
use super::spec::MatchSpec;
use hookgate_contract::glob::Wildcard;

/// The kinds of patterns; a hook that gives several wants all of them to match.
const NAME: u8 = 1;
const GLOB: u8 = 2;
const REGEX: u8 = 4;
/// The kind of the names that are excluded, which no hook wants.
const NOT: u8 = 8;

/// The patterns of one hook, each with its kind.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct ToolPatterns {
    /// Plain names.
    pub(super) exact: Vec<(u8, Arc<str>)>,
    /// Globs of nothing but text and `*`.
    pub(super) wildcards: Vec<(u8, Wildcard)>,
    /// Sources of regular expressions. They are kept as sources because the set of an event is
    /// compiled of all of them together.
    pub(super) sources: Vec<(u8, String)>,
    /// The kinds that must match.
    pub(super) wanted: u8,
}

impl ToolPatterns {
    /// Checks and translates the patterns of a hook, and reports those that cannot be used, each
    /// with its key.
    pub(crate) fn compile(spec: &MatchSpec, errors: &mut Vec<(&'static str, MatchError)>) -> Self {
        let mut patterns = Self::default();
        let before = errors.len();
        for text in &spec.tool {
            match name::names(text) {
                Ok(pattern) => patterns.add(&pattern, text, errors),
                Err(error) => errors.push(("tool", MatchError::name("tool", text, error))),
            }
        }
        if errors.len() == before && patterns.is_contradiction() {
            errors.push(("tool", MatchError::NoTool));
        }
        for text in &spec.tool_glob {
            patterns.wanted |= GLOB;
            let checked =
                name::tool_glob(text).map_err(|error| MatchError::name("tool_glob", text, error));
            if let Err(error) = checked.and_then(|()| patterns.add_glob(GLOB, text, text)) {
                errors.push(("tool_glob", error));
            }
        }
        for text in &spec.tool_regex {
            patterns.wanted |= REGEX;
            let checked = refuse_control(text).and_then(|()| {
                name::whole_name(text).map_err(|error| MatchError::name("tool_regex", text, error))
            });
            // It is compiled alone too: a `(?x)` comment in it must not swallow the bracket around it.
            let checked = checked.and_then(|()| regex(text, text));
            let source = if spec.regex_search { format!("(?:{text})") } else { anchored(text) };
            match checked.and_then(|_| regex(&source, text)) {
                Ok(_) => patterns.sources.push((REGEX, source)),
                Err(error) => errors.push(("tool_regex", error)),
            }
        }
        patterns
    }

    /// Adds a pattern of `tool`.
    fn add(
        &mut self,
        pattern: &Pattern<'_>,
        text: &str,
        errors: &mut Vec<(&'static str, MatchError)>,
    ) {
        let kind = if pattern.negated { NOT } else { NAME };
        self.wanted |= kind & NAME;
        self.exact.extend(pattern.exact().map(|name| (kind, name.into())));
        for source in pattern.globs() {
            if let Err(error) = self.add_glob(kind, source, text) {
                errors.push(("tool", error));
            }
        }
    }

    /// Adds a glob: as a regular expression only if it must be one. An error shows the pattern as it was
    /// written.
    fn add_glob(&mut self, kind: u8, text: &str, written: &str) -> Result<(), MatchError> {
        if let Some(wildcard) = Wildcard::parse(text) {
            self.wildcards.push((kind, wildcard));
        } else {
            let source = glob(text)?;
            regex(&source, written)?;
            self.sources.push((kind, source));
        }
        Ok(())
    }

    /// Returns whether `tool` includes plain names only, and excludes each of them again.
    fn is_contradiction(&self) -> bool {
        let kinds = self.wildcards.iter().map(|(kind, _)| kind);
        if kinds.chain(self.sources.iter().map(|(kind, _)| kind)).any(|kind| *kind == NAME) {
            return false;
        }
        let (wanted, unwanted): (Vec<_>, Vec<_>) =
            self.exact.iter().partition(|(kind, _)| *kind == NAME);
        let globs: Vec<_> =
            self.sources.iter().filter_map(|(_, source)| regex(source, source).ok()).collect();
        let excluded = |name: &Arc<str>| {
            unwanted.iter().any(|(_, other)| other == name)
                || self.wildcards.iter().any(|(_, wildcard)| wildcard.matches(name))
                || globs.iter().any(|glob| glob.is_match(name))
        };
        !wanted.is_empty() && wanted.iter().all(|(_, name)| excluded(name))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::matcher) fn spec(tool: &[&str], glob: &[&str], regex: &[&str]) -> MatchSpec {
        let owned = |all: &[&str]| all.iter().map(|&text| text.to_owned()).collect();
        MatchSpec {
            tool: owned(tool),
            tool_glob: owned(glob),
            tool_regex: owned(regex),
            ..MatchSpec::default()
        }
    }

    #[test]
    fn a_list_that_leaves_nothing_is_refused() {
        for tool in [&["Bash", "!Bash"][..], &["Bash|Bar", "!Ba*"]] {
            let mut errors = Vec::new();
            ToolPatterns::compile(&spec(tool, &[], &[]), &mut errors);
            assert_eq!(errors, [("tool", MatchError::NoTool)], "{tool:?}");
        }
        for tool in [&["Bash|Read", "!Ba*"][..], &["!Bash", "!Read"]] {
            let mut errors = Vec::new();
            ToolPatterns::compile(&spec(tool, &[], &[]), &mut errors);
            assert_eq!(errors, [], "{tool:?}");
        }
    }

    #[test]
    fn a_huge_pattern_is_refused() {
        let mut errors = Vec::new();
        ToolPatterns::compile(&spec(&[], &[], &[r"\w{2000}"]), &mut errors);
        assert_eq!(errors.len(), 1);
    }

    #[test]
    fn brackets_in_a_pattern_cannot_break_the_anchors() {
        let mut errors = Vec::new();
        ToolPatterns::compile(&spec(&[], &[], &["a)|(b"]), &mut errors);
        assert_eq!(errors.len(), 1);
    }
}
