//! The patterns for tools of all hooks of an event, joined so that a name is looked up and not compared
//! with each of them.
//!
//! | pattern | how a name meets it |
//! |---|---|
//! | a plain name | one lookup in a hash map |
//! | text and `*` | a lookup for each length that the texts before the first `*` have, then a comparison |
//! | any other | one pass of a regular expression for all of them |
//!
//! To join patterns costs a pass over all of them, and a regular expression much more. So tables that are
//! made from an earlier one share its index, and keep beside it the patterns of the few hooks that were
//! replaced since.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use regex::{RegexSet, RegexSetBuilder};

use super::error::MatchError;
use super::pattern::{PATTERN_LIMIT, problem};
use super::tool_patterns::ToolPatterns;
use hookgate_contract::glob::Wildcard;

/// For how many hooks patterns are kept beside the index before it is made anew: each of them is compared
/// with a name that was not seen before.
const MOST_REPLACED: usize = 32;

/// The patterns of all hooks of an event.
#[derive(Debug, Clone)]
pub(crate) struct ToolSet {
    index: Arc<Index>,
    /// The patterns of hooks that were replaced since the index was made, with the position of each.
    replaced: Vec<(usize, Arc<Index>)>,
}

impl ToolSet {
    /// Joins the patterns of hooks that are in their order.
    ///
    /// # Errors
    /// All regular expressions together are too large. Each of them was compiled alone before.
    pub(crate) fn join<'a>(
        all: impl Iterator<Item = &'a ToolPatterns>,
    ) -> Result<Self, MatchError> {
        Ok(Self { index: Arc::new(Index::join(all)?), replaced: Vec::new() })
    }

    /// Returns the set with other patterns for the hook at a position; `None` if so many were replaced
    /// that all are better joined again.
    ///
    /// # Errors
    /// As [`Self::join`].
    pub(crate) fn replace(
        &self,
        position: usize,
        patterns: &ToolPatterns,
    ) -> Result<Option<Self>, MatchError> {
        let mut set = self.clone();
        set.replaced.retain(|(other, _)| *other != position);
        if set.replaced.len() >= MOST_REPLACED {
            return Ok(None);
        }
        set.replaced.push((position, Arc::new(Index::join(std::iter::once(patterns))?)));
        Ok(Some(set))
    }

    /// Returns the hooks that match a name; without a name those that want none.
    pub(crate) fn matching(&self, name: Option<&str>) -> Vec<usize> {
        let mut kinds = self.index.kinds(name);
        for (position, alone) in &self.replaced {
            if let Some(kinds) = kinds.get_mut(*position) {
                *kinds = alone.kinds(name).first().copied().unwrap_or_default();
            }
        }
        let matching = kinds.iter().enumerate().filter(|(_, kinds)| kinds.is_met());
        matching.map(|(hook, _)| hook).collect()
    }
}

/// The kinds of patterns that a hook wants a name to meet, and those that it meets.
#[derive(Debug, Default, Clone, Copy)]
struct Kinds {
    wanted: u8,
    met: u8,
}

impl Kinds {
    const fn is_met(self) -> bool {
        self.wanted == self.met
    }
}

/// A pattern of a hook: the position of the hook, and the kind of the pattern there.
type Owner = (usize, u8);

/// Patterns that are joined.
#[derive(Debug)]
struct Index {
    /// For each hook the kinds that must match.
    wanted: Vec<Kinds>,
    /// For each plain name the hooks that give it.
    exact: MultiMap<Owner>,
    /// The globs by the text before their first `*`.
    wildcards: MultiMap<(Owner, Wildcard)>,
    /// The lengths of these texts.
    lengths: BTreeSet<usize>,
    /// All other patterns, if there are any: also an empty set takes memory and time.
    set: Option<RegexSet>,
    /// For each pattern of the set its hook.
    owners: Vec<Owner>,
}

impl Index {
    fn join<'a>(all: impl Iterator<Item = &'a ToolPatterns>) -> Result<Self, MatchError> {
        let all: Vec<_> = all.collect();
        let names = all.iter().map(|patterns| patterns.exact.len()).sum();
        let heads = all.iter().map(|patterns| patterns.wildcards.len()).sum();
        let mut index = Self {
            wanted: Vec::with_capacity(all.len()),
            exact: MultiMap::with_capacity(names),
            wildcards: MultiMap::with_capacity(heads),
            lengths: BTreeSet::new(),
            set: None,
            owners: Vec::new(),
        };
        let mut sources = Vec::new();
        for (hook, patterns) in all.into_iter().enumerate() {
            index.wanted.push(Kinds { wanted: patterns.wanted, met: 0 });
            for (kind, name) in &patterns.exact {
                index.exact.insert(name, (hook, *kind));
            }
            for (kind, wildcard) in &patterns.wildcards {
                index.lengths.insert(wildcard.head().len());
                index.wildcards.insert(wildcard.head(), ((hook, *kind), wildcard.clone()));
            }
            for (kind, source) in &patterns.sources {
                sources.push(source.as_str());
                index.owners.push((hook, *kind));
            }
        }
        if !sources.is_empty() {
            index.set = Some(joined(&sources)?);
        }
        Ok(index)
    }

    /// Returns for each hook what a name meets; without a name it meets nothing.
    fn kinds(&self, name: Option<&str>) -> Vec<Kinds> {
        let mut kinds = self.wanted.clone();
        let Some(name) = name else { return kinds };
        let mut meet = |&(hook, kind): &Owner| {
            if let Some(kinds) = kinds.get_mut(hook) {
                kinds.met |= kind;
            }
        };
        self.exact.get(name).for_each(&mut meet);
        // A length that ends inside of a character, or behind the name, has no text.
        let heads = self.lengths.iter().filter_map(|&length| name.get(..length));
        for (owner, wildcard) in heads.flat_map(|head| self.wildcards.get(head)) {
            if wildcard.matches(name) {
                meet(owner);
            }
        }
        if let Some(set) = &self.set {
            for pattern in &set.matches(name) {
                self.owners.get(pattern).into_iter().for_each(&mut meet);
            }
        }
        kinds
    }
}

/// Entries that are found by a text. Few texts have more than one, so those of the same text are linked instead
/// of having a list of their own.
#[derive(Debug)]
struct MultiMap<T> {
    /// The entry of each text that was inserted last.
    last: HashMap<Arc<str>, usize>,
    /// Each entry, with the one of the same text that was inserted before it.
    entries: Vec<(T, Option<usize>)>,
}

impl<T> MultiMap<T> {
    fn with_capacity(entries: usize) -> Self {
        Self { last: HashMap::with_capacity(entries), entries: Vec::with_capacity(entries) }
    }

    fn insert(&mut self, text: &Arc<str>, entry: T) {
        let before = self.last.insert(Arc::clone(text), self.entries.len());
        self.entries.push((entry, before));
    }

    /// Returns the entries of a text.
    fn get(&self, text: &str) -> impl Iterator<Item = &T> {
        let mut next = self.last.get(text).copied();
        std::iter::from_fn(move || {
            let (entry, before) = self.entries.get(next?)?;
            next = *before;
            Some(entry)
        })
    }
}

/// Compiles all regular expressions of an event into one.
fn joined(sources: &[&str]) -> Result<RegexSet, MatchError> {
    RegexSetBuilder::new(sources)
        .dot_matches_new_line(true)
        .size_limit(PATTERN_LIMIT.saturating_mul(sources.len().clamp(1, 256)))
        .build()
        .map_err(|error| MatchError::Regex {
            regex: format!("all {} patterns of the event together", sources.len()),
            problem: problem(&error),
        })
}

#[cfg(test)]
mod tests {
    use super::super::spec::MatchSpec;
    use super::super::tool_patterns::tests::spec;
    use super::*;

    fn set(specs: &[MatchSpec]) -> ToolSet {
        let mut errors = Vec::new();
        let patterns: Vec<_> =
            specs.iter().map(|spec| ToolPatterns::compile(spec, &mut errors)).collect();
        assert_eq!(errors, []);
        ToolSet::join(patterns.iter()).unwrap()
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
    fn searching_is_asked_for() {
        let searching = MatchSpec { regex_search: true, ..spec(&[], &[], &["Edit"]) };
        assert_eq!(set(&[searching]).matching(Some("MultiEdit")), [0]);
    }

    #[test]
    fn a_replaced_hook_has_its_new_patterns_and_no_others_change() {
        let compiled = |spec: &MatchSpec| ToolPatterns::compile(spec, &mut Vec::new());
        let mut all: Vec<_> = (0..100).map(|i| spec(&[&format!("t{i}")], &[], &[])).collect();
        let mut set = set(&all);
        let others = [
            spec(&["mcp__*"], &[], &[]),
            spec(&[], &["*_x"], &[]),
            spec(&[], &[], &["mcp__.*"]),
            spec(&["!mcp__x_x"], &[], &[]),
            spec(&["t1"], &[], &[]),
        ];
        let names = ["mcp__a", "mcp__x_x", "t1", "t2", "t99", "t100"].map(Some);
        for round in 0..70 {
            let position = round * 7 % all.len();
            all[position] = others[round % others.len()].clone();
            set = match set.replace(position, &compiled(&all[position])).unwrap() {
                Some(replaced) => replaced,
                None => super::ToolSet::join(all.iter().map(compiled).collect::<Vec<_>>().iter())
                    .unwrap(),
            };
            let anew = self::set(&all);
            for name in names.into_iter().chain([None]) {
                assert_eq!(set.matching(name), anew.matching(name), "round {round}, {name:?}");
            }
        }
    }

    #[test]
    fn globs_are_found_by_the_text_before_their_star() {
        let set = set(&[
            spec(&["mcp__é*"], &[], &[]),
            spec(&["mcp__*", "*"], &[], &[]),
            spec(&["mcp__*_a", "!mcp__é*"], &[], &[]),
            spec(&[], &[r"mcp__\**"], &[]),
            spec(&["*a*c"], &[], &[]),
        ]);
        assert_eq!(set.matching(Some("mcp__é_a")), [0, 1]);
        assert_eq!(set.matching(Some("mcp__x_a")), [1, 2]);
        assert_eq!(set.matching(Some("mcp__*abc")), [1, 3, 4]);
        assert_eq!(set.matching(Some("mc")), [1]);
    }
}
