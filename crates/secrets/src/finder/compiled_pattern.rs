//! A pattern that is ready to be searched for.

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

/// A regular expression of the catalogue or of the caller.
///
/// The set of all patterns finds out which of them match at all, in one pass. Only those that do are
/// compiled on their own, when they are needed first: most never are.
#[derive(Clone)]
pub(super) struct CompiledPattern {
    pub(super) kind: &'static str,
    pub(super) rank: usize,
    source: String,
    regex: OnceLock<Option<Regex>>,
    accept: fn(&str) -> bool,
}

impl CompiledPattern {
    pub(super) fn new(
        kind: &'static str,
        source: &str,
        accept: fn(&str) -> bool,
        rank: usize,
    ) -> Self {
        Self { kind, rank, source: source.to_owned(), regex: OnceLock::new(), accept }
    }

    /// Returns the regular expression as it was written.
    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// Returns the ranges of the secrets in a text: of each match the first group that took part, or the
    /// match itself if the pattern has no group.
    pub(super) fn ranges(&self, text: &str) -> Vec<Range<usize>> {
        // The set has compiled it, so it compiles.
        let regex = self.regex.get_or_init(|| Regex::new(&self.source).ok());
        let captures = regex.iter().flat_map(|regex| regex.captures_iter(text));
        captures
            .filter_map(|captures| {
                let group = captures.iter().skip(1).flatten().next().or_else(|| captures.get(0))?;
                (self.accept)(group.as_str()).then(|| group.range())
            })
            .collect()
    }
}
