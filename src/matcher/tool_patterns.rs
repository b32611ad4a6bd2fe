//! Patterns for the name of the tool: those of one hook, and those of all hooks of an event in one
//! set.
//!
//! A hook can give names, globs and regular expressions; of each kind that it gives one must match.
//! The kinds are bits: a pattern that matches sets the bit of its kind, and the hook matches if the
//! bits are exactly those that it wants. A name that is excluded sets a bit that no hook wants.

use std::collections::HashMap;

use regex::{RegexSet, RegexSetBuilder};

use super::error::MatchError;
use super::glob::anchored;
use super::name::{self, Pattern};
use super::pattern::{PATTERN_LIMIT, glob, problem, refuse_control, regex};
use super::spec::MatchSpec;

/// The kinds of patterns; a hook that gives several wants all of them to match.
const NAME: u8 = 1;
const GLOB: u8 = 2;
const REGEX: u8 = 4;
/// The kind of the names that are excluded, which no hook wants.
const NOT: u8 = 8;

/// The patterns of one hook, as sources of regular expressions. They are kept as sources because
/// the set of an event is compiled of all of them together.
#[derive(Debug, Default, Clone)]
pub(crate) struct ToolPatterns {
    /// Plain names, each with its kind.
    exact: Vec<(u8, String)>,
    /// Sources of regular expressions, each with its kind.
    sources: Vec<(u8, String)>,
    /// The kinds that must match.
    wanted: u8,
}

impl ToolPatterns {
    /// Checks and translates the patterns of a hook, and reports those that cannot be used, each
    /// with its key.
    pub(crate) fn compile(spec: &MatchSpec, errors: &mut Vec<(&'static str, MatchError)>) -> Self {
        let mut patterns = Self::default();
        let before = errors.len();
        for text in &spec.tool {
            match name::names(text) {
                Ok(pattern) => patterns.add(pattern, text, errors),
                Err(error) => errors.push(("tool", MatchError::name("tool", text, error))),
            }
        }
        if errors.len() == before && patterns.is_contradiction() {
            errors.push(("tool", MatchError::NoTool));
        }
        let globs = spec.tool_glob.iter().map(|text| {
            let checked =
                name::tool_glob(text).map_err(|error| MatchError::name("tool_glob", text, error));
            (GLOB, "tool_glob", text, checked.and_then(|()| glob(text)))
        });
        let regexes = spec.tool_regex.iter().map(|text| {
            let checked = refuse_control(text).and_then(|()| {
                name::whole_name(text).map_err(|error| MatchError::name("tool_regex", text, error))
            });
            // It is compiled alone too: a `(?x)` comment in it must not swallow the bracket around it.
            let checked = checked.and_then(|()| regex(text, text));
            let source = if spec.regex_search { format!("(?:{text})") } else { anchored(text) };
            (REGEX, "tool_regex", text, checked.map(|_| source))
        });
        for (kind, key, text, source) in globs.chain(regexes) {
            patterns.wanted |= kind;
            match source.and_then(|source| regex(&source, text).map(|_| source)) {
                Ok(source) => patterns.sources.push((kind, source)),
                Err(error) => errors.push((key, error)),
            }
        }
        patterns
    }

    /// Adds a pattern of `tool`: its plain names go into a hash map later, its globs into the set.
    fn add(&mut self, pattern: Pattern, text: &str, errors: &mut Vec<(&'static str, MatchError)>) {
        let kind = if pattern.negated { NOT } else { NAME };
        self.wanted |= kind & NAME;
        self.exact.extend(pattern.exact.into_iter().map(|name| (kind, name)));
        for source in pattern.globs {
            match glob(&source).and_then(|source| regex(&source, text).map(|_| source)) {
                Ok(source) => self.sources.push((kind, source)),
                Err(error) => errors.push(("tool", error)),
            }
        }
    }

    /// Returns whether `tool` includes plain names only, and excludes each of them again.
    fn is_contradiction(&self) -> bool {
        if self.sources.iter().any(|(kind, _)| *kind == NAME) {
            return false;
        }
        let (wanted, unwanted): (Vec<_>, Vec<_>) =
            self.exact.iter().partition(|(kind, _)| *kind == NAME);
        let globs: Vec<_> =
            self.sources.iter().filter_map(|(_, source)| regex(source, source).ok()).collect();
        let excluded = |name: &String| {
            unwanted.iter().any(|(_, other)| other == name)
                || globs.iter().any(|glob| glob.is_match(name))
        };
        !wanted.is_empty() && wanted.iter().all(|(_, name)| excluded(name))
    }
}

/// The patterns of all hooks of an event.
///
/// Plain names are looked up in a hash map, so a table of thousands of hooks for single tools costs
/// one lookup. Only globs and regular expressions are matched, all at once and in one pass over the
/// name.
#[derive(Debug)]
pub(crate) struct ToolSet {
    /// For each hook the kinds that must match.
    wanted: Vec<u8>,
    /// For each plain name the hooks that give it, and its kind there.
    exact: HashMap<String, Vec<(usize, u8)>>,
    set: RegexSet,
    /// For each pattern of the set its hook and kind.
    owners: Vec<(usize, u8)>,
}

impl ToolSet {
    /// Joins the patterns of hooks that are in their order.
    ///
    /// # Errors
    /// All patterns together are too large. Each of them was compiled alone before.
    pub(crate) fn join<'a>(
        all: impl Iterator<Item = &'a ToolPatterns>,
    ) -> Result<Self, MatchError> {
        let mut joined = Self {
            wanted: Vec::new(),
            exact: HashMap::new(),
            set: RegexSet::empty(),
            owners: Vec::new(),
        };
        let mut sources = Vec::new();
        for (hook, patterns) in all.enumerate() {
            joined.wanted.push(patterns.wanted);
            for (kind, name) in &patterns.exact {
                joined.exact.entry(name.clone()).or_default().push((hook, *kind));
            }
            for (kind, source) in &patterns.sources {
                sources.push(source.as_str());
                joined.owners.push((hook, *kind));
            }
        }
        joined.set = RegexSetBuilder::new(&sources)
            .dot_matches_new_line(true)
            .size_limit(PATTERN_LIMIT.saturating_mul(sources.len().clamp(1, 256)))
            .build()
            .map_err(|error| MatchError::Regex {
                regex: format!("all {} patterns of the event together", sources.len()),
                problem: problem(&error),
            })?;
        Ok(joined)
    }

    /// Returns the hooks that match a name; without a name those that want none.
    pub(crate) fn matching(&self, name: Option<&str>) -> Vec<usize> {
        let mut hit = vec![0_u8; self.wanted.len()];
        if let Some(name) = name {
            for &(hook, kind) in self.exact.get(name).into_iter().flatten() {
                set_kind(&mut hit, hook, kind);
            }
            for pattern in &self.set.matches(name) {
                if let Some(&(hook, kind)) = self.owners.get(pattern) {
                    set_kind(&mut hit, hook, kind);
                }
            }
        }
        let pairs = self.wanted.iter().zip(&hit).enumerate();
        pairs.filter(|(_, (wanted, hit))| wanted == hit).map(|(hook, _)| hook).collect()
    }
}

fn set_kind(hit: &mut [u8], hook: usize, kind: u8) {
    if let Some(kinds) = hit.get_mut(hook) {
        *kinds |= kind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(specs: &[MatchSpec]) -> ToolSet {
        let mut errors = Vec::new();
        let patterns: Vec<_> =
            specs.iter().map(|spec| ToolPatterns::compile(spec, &mut errors)).collect();
        assert_eq!(errors, []);
        ToolSet::join(patterns.iter()).unwrap()
    }

    fn spec(tool: &[&str], glob: &[&str], regex: &[&str]) -> MatchSpec {
        let owned = |all: &[&str]| all.iter().map(|&text| text.to_owned()).collect();
        MatchSpec {
            tool: owned(tool),
            tool_glob: owned(glob),
            tool_regex: owned(regex),
            ..MatchSpec::default()
        }
    }

    #[test]
    fn sorts_are_joined_by_and_lists_by_or() {
        let set = set(&[
            spec(&["Bash", "Read"], &[], &[]),
            spec(&[], &["mcp__*"], &["mcp__fs.*"]),
            spec(&[], &[], &["Edit|Write"]),
            spec(&[], &[], &[]),
        ]);
        assert_eq!(set.matching(Some("Read")), [0, 3]);
        assert_eq!(set.matching(Some("mcp__fs__read")), [1, 3]);
        assert_eq!(set.matching(Some("mcp__git")), [3]);
        assert_eq!(set.matching(Some("Write")), [2, 3]);
        assert_eq!(set.matching(Some("MultiEdit")), [3], "regexes are anchored");
        assert_eq!(set.matching(Some("Edit\n")), [3], "to the very end");
        assert_eq!(set.matching(None), [3]);
    }

    #[test]
    fn tool_takes_names_globs_alternatives_and_what_is_left_out() {
        let set = set(&[
            spec(&["*"], &[], &[]),
            spec(&["Edit|Write", "mcp__*"], &[], &[]),
            spec(&["!Bash"], &[], &[]),
            spec(&["mcp__*", "!mcp__fs__*", "!mcp__git"], &[], &[]),
            spec(&["!Bash"], &["B*"], &[]),
            spec(&["Ba{sh,r}"], &[], &["Ba.h"]),
        ]);
        assert_eq!(set.matching(Some("Bash")), [0, 5]);
        assert_eq!(set.matching(Some("Write")), [0, 1, 2]);
        assert_eq!(set.matching(Some("mcp__fs__read")), [0, 1, 2]);
        assert_eq!(set.matching(Some("mcp__git")), [0, 1, 2]);
        assert_eq!(set.matching(Some("mcp__web")), [0, 1, 2, 3]);
        assert_eq!(set.matching(Some("Bar")), [0, 2, 4]);
    }

    #[test]
    fn a_list_that_leaves_nothing_is_refused() {
        for tool in [&["Bash", "!Bash"][..], &["Bash|Bar", "!Ba*"]] {
            let mut errors = Vec::new();
            ToolPatterns::compile(&spec(tool, &[], &[]), &mut errors);
            assert_eq!(errors, [("tool", MatchError::NoTool)], "{tool:?}");
        }
        set(&[spec(&["Bash|Read", "!Ba*"], &[], &[]), spec(&["!Bash", "!Read"], &[], &[])]);
    }

    #[test]
    fn searching_is_asked_for() {
        let searching = MatchSpec { regex_search: true, ..spec(&[], &[], &["Edit"]) };
        assert_eq!(set(&[searching]).matching(Some("MultiEdit")), [0]);
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
