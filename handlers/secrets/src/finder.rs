//! Finds secrets in a text by their shapes, and puts something else in their place.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex::{Regex, RegexSet};

use crate::catalogue::SHAPES;
use crate::key::{self, Tells};
use crate::{assignment, flag, pem, url};

/// The kind of what a pattern of the caller's own finds.
const CUSTOM: &str = "custom";

/// The kind of a value that is secret because of its key.
const FIELD: &str = "field";

/// What a pass leaves may look like a secret again, next to the placeholders. Every pass takes
/// something away, so they come to an end; a pattern that eats one character a pass is stopped.
const PASSES: usize = 16;

/// A shape that is ready to be looked for.
struct Compiled {
    kind: &'static str,
    pattern: String,
    /// Compiled when it is needed first: most never are.
    regex: OnceLock<Option<Regex>>,
    accept: fn(&str) -> bool,
    rank: usize,
}

/// A piece of a text that is to be replaced.
struct Piece {
    range: Range<usize>,
    kind: &'static str,
    /// Of pieces that begin together the lowest names the kind.
    rank: usize,
}

/// Finds secrets: by the [catalogue](SHAPES), and by patterns and names of fields of its own.
///
/// What it put in the place of a secret is left alone from then on: to redact twice is to redact
/// once. It takes time that is linear in the text.
pub struct Finder {
    set: RegexSet,
    each: Vec<Compiled>,
    keys: Vec<String>,
    /// What a redacted secret leaves behind.
    placeholder: Regex,
}

impl std::fmt::Debug for Finder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Finder").field("keys", &self.keys).finish_non_exhaustive()
    }
}

/// That of the catalogue alone; the placeholders of [`Finder::redact`].
static CATALOGUE: LazyLock<Option<Finder>> = LazyLock::new(|| Finder::new(&[], &[]).ok());

impl Finder {
    /// A finder of the catalogue, of these patterns, and of fields with these names (`-` and `_`
    /// are the same in them, and so are small and large letters).
    ///
    /// # Errors
    /// One of the patterns is none.
    pub fn new(patterns: &[&str], keys: &[&str]) -> Result<Self, regex::Error> {
        // A fixed list of kinds, so that nobody can hide a secret in a placeholder of his own
        // making.
        let kinds: Vec<_> = SHAPES.iter().map(|shape| shape.name).chain([FIELD, CUSTOM]).collect();
        Self::build(patterns, keys, &format!(r"\[redacted:(?:{})\]", kinds.join("|")))
    }

    /// The finder of the catalogue alone.
    ///
    /// # Panics
    /// Never: a test builds it.
    #[must_use]
    pub fn catalogue() -> &'static Self {
        static NONE: LazyLock<Finder> = LazyLock::new(|| Finder {
            set: RegexSet::empty(),
            each: Vec::new(),
            keys: Vec::new(),
            placeholder: NOTHING.clone(),
        });
        CATALOGUE.as_ref().unwrap_or_else(|| &NONE)
    }

    pub(crate) fn build(
        patterns: &[&str],
        keys: &[&str],
        placeholder: &str,
    ) -> Result<Self, regex::Error> {
        let known = SHAPES
            .iter()
            .enumerate()
            .filter_map(|(rank, shape)| Some((shape.name, shape.pattern?, shape.accept, rank)));
        let custom = patterns
            .iter()
            .map(|pattern| (CUSTOM, *pattern, accept_all as fn(&str) -> bool, SHAPES.len()));
        let all: Vec<_> = known.chain(custom).collect();
        Ok(Self {
            set: RegexSet::new(all.iter().map(|(_, pattern, ..)| pattern))?,
            placeholder: Regex::new(placeholder)?,
            each: all
                .into_iter()
                .map(|(kind, pattern, accept, rank)| Compiled {
                    kind,
                    pattern: pattern.to_owned(),
                    regex: OnceLock::new(),
                    accept,
                    rank,
                })
                .collect(),
            keys: keys.iter().map(|key| key.replace('-', "_")).collect(),
        })
    }

    /// Whether there could be a secret: where there is none, nothing is to be done. It allocates
    /// nothing.
    #[must_use]
    pub fn suspects(&self, text: &str) -> bool {
        let own = |key: &str| self.is_own_key(key);
        self.set.is_match(text)
            || !pem::find(text, &mut |_| false)
            || !url::find(text, &mut |_| false)
            || !assignment::find(text, &own, &mut |_, _| false)
            || !flag::find(text, &own, &mut |_, _| false)
    }

    /// Whether a field of this name holds a secret whatever it looks like.
    #[must_use]
    pub fn is_secret_key(&self, key: &str) -> bool {
        self.is_own_key(key) || key::tells(key) == Tells::Secret
    }

    fn is_own_key(&self, key: &str) -> bool {
        self.keys.iter().any(|secret| {
            key.len() == secret.len()
                && key.bytes().zip(secret.bytes()).all(|(k, s)| {
                    let k = if k == b'-' { b'_' } else { k };
                    k.eq_ignore_ascii_case(&s)
                })
        })
    }

    /// What stands in the place of a value that is secret because of its key.
    #[must_use]
    pub fn field_placeholder() -> String {
        placeholder(FIELD)
    }

    /// Whether the text is a placeholder and nothing else.
    #[must_use]
    pub fn is_placeholder(&self, text: &str) -> bool {
        self.placeholder.find(text).is_some_and(|found| found.len() == text.len())
    }

    /// The text with `[redacted:KIND]` in place of each secret, and how many there were; none where
    /// there are none.
    #[must_use]
    pub fn redact(&self, text: &str) -> Option<(String, u64)> {
        self.replace(text, |kind, out| {
            out.push_str("[redacted:");
            out.push_str(kind);
            out.push(']');
        })
    }

    /// The text with something else in place of each secret.
    pub(crate) fn replace(
        &self,
        text: &str,
        put: impl Fn(&'static str, &mut String),
    ) -> Option<(String, u64)> {
        let (mut replaced, mut total) = self.pass(text, &put)?;
        for _ in 1..PASSES {
            let Some((next, count)) = self.pass(&replaced, &put) else { break };
            replaced = next;
            total = total.saturating_add(count);
        }
        Some((replaced, total))
    }

    /// Replaces all that looks like a secret now; none where nothing does.
    fn pass(&self, text: &str, put: &impl Fn(&'static str, &mut String)) -> Option<(String, u64)> {
        let pieces = self.pieces(text);
        if pieces.is_empty() {
            return None;
        }
        let mut out = String::with_capacity(text.len());
        let mut end = 0;
        for piece in &pieces {
            out.push_str(text.get(end..piece.range.start)?);
            put(piece.kind, &mut out);
            end = piece.range.end;
        }
        out.push_str(text.get(end..)?);
        Some((out, pieces.len() as u64))
    }

    /// What is to be replaced, in order and without overlaps. All shapes are looked for in the
    /// same text: where two overlap, both are covered.
    fn pieces(&self, text: &str) -> Vec<Piece> {
        let mut found = Vec::new();
        let own = |key: &str| self.is_own_key(key);
        let mut coded = |range: Range<usize>, kind| {
            found.push(Piece { range, kind, rank: rank(kind) });
            true
        };
        pem::find(text, &mut |range| coded(range, "private_key"));
        url::find(text, &mut |range| coded(range, "url_password"));
        assignment::find(text, &own, &mut coded);
        flag::find(text, &own, &mut coded);
        for index in &self.set.matches(text) {
            let Some(shape) = self.each.get(index) else { continue };
            // The set compiled it, so it compiles.
            let regex = shape.regex.get_or_init(|| Regex::new(&shape.pattern).ok());
            for captures in regex.iter().flat_map(|regex| regex.captures_iter(text)) {
                let group = captures.iter().skip(1).flatten().next().or_else(|| captures.get(0));
                if let Some(group) = group.filter(|group| (shape.accept)(group.as_str())) {
                    found.push(Piece { range: group.range(), kind: shape.kind, rank: shape.rank });
                }
            }
        }
        if found.is_empty() {
            return found;
        }
        let done: Vec<Range<usize>> =
            self.placeholder.find_iter(text).map(|found| found.range()).collect();
        let mut open = Vec::with_capacity(found.len());
        for piece in found {
            without(piece, &done, &mut open);
        }
        open.sort_by_key(|piece| (piece.range.start, piece.rank));
        let mut pieces: Vec<Piece> = Vec::with_capacity(open.len());
        for piece in open {
            match pieces.last_mut() {
                Some(last) if piece.range.start < last.range.end => {
                    last.range.end = last.range.end.max(piece.range.end);
                }
                _ => pieces.push(piece),
            }
        }
        pieces
    }
}

/// Matches nothing.
static NOTHING: LazyLock<Regex> = LazyLock::new(|| {
    #[expect(clippy::unwrap_used, reason = "a constant; a test builds it")]
    Regex::new("[^\\s\\S]").unwrap()
});

fn accept_all(_: &str) -> bool {
    true
}

fn rank(kind: &str) -> usize {
    SHAPES.iter().position(|shape| shape.name == kind).unwrap_or(SHAPES.len())
}

/// Adds what remains of a piece once the placeholders in it are taken out. Nothing but that may be
/// replaced, or redacting twice would differ from redacting once.
fn without(piece: Piece, done: &[Range<usize>], pieces: &mut Vec<Piece>) {
    let Piece { range, kind, rank } = piece;
    let mut start = range.start;
    let first = done.partition_point(|placeholder| placeholder.end <= start);
    for placeholder in done.get(first..).unwrap_or_default() {
        if placeholder.start >= range.end {
            break;
        }
        if placeholder.start > start {
            pieces.push(Piece { range: start..placeholder.start, kind, rank });
        }
        start = placeholder.end;
    }
    if start < range.end {
        pieces.push(Piece { range: start..range.end, kind, rank });
    }
}

fn placeholder(kind: &str) -> String {
    format!("[redacted:{kind}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redact(patterns: &[&str], text: &str) -> Option<String> {
        Finder::new(patterns, &["X-Session"]).unwrap().redact(text).map(|(text, _)| text)
    }

    #[test]
    fn the_catalogue_compiles() {
        assert!(CATALOGUE.is_some() && !NOTHING.is_match("x"));
    }

    #[test]
    fn overlapping_secrets_are_both_covered() {
        assert_eq!(redact(&["bbcc", "aabb"], "-aabbcc-").unwrap(), "-[redacted:custom]-");
    }

    #[test]
    fn a_greedy_pattern_takes_what_a_placeholder_leaves() {
        let redact = |text| redact(&["(?m)^.*internal.*$"], text).unwrap();
        assert_eq!(redact("the internal key AKIAIOSFODNN7EXAMPLE is here"), "[redacted:custom]");
        assert_eq!(
            redact("internal [redacted:aws_key] tail"),
            "[redacted:custom][redacted:aws_key][redacted:custom]"
        );
    }

    #[test]
    fn a_long_credential_is_taken_out_whole() {
        for scheme in ["Bearer", "Digest"] {
            let text = format!("Authorization: {scheme} {} then", "0aB1".repeat(3000));
            let redacted = redact(&[], &text).unwrap();
            assert!(!redacted.contains("0aB1"), "{scheme}: {}", redacted.len());
        }
        let word = format!("token={}", "0aB1".repeat(3000));
        assert_eq!(redact(&[], &word).unwrap(), "token=[redacted:assignment]");
    }

    #[test]
    fn an_empty_match_and_a_creeping_one_come_to_an_end() {
        assert_eq!(redact(&["x*"], "abc"), None);
        assert!(redact(&[r"^.|\].?"], &"a".repeat(100)).is_some());
    }

    #[test]
    fn nobody_hides_a_secret_in_a_placeholder_of_his_own() {
        let hidden = redact(&["hunter2"], "[redacted:hunter2]").unwrap();
        assert_eq!(hidden, "[redacted:[redacted:custom]]");
    }

    #[test]
    fn own_names_of_fields_are_compared_loosely() {
        let finder = Finder::new(&[], &["X-Pin"]).unwrap();
        for key in ["x-pin", "X_PIN", "password", "API-Key", "my_password"] {
            assert!(finder.is_secret_key(key), "{key}");
        }
        for key in ["pin", "", "toke", "x-pins"] {
            assert!(!finder.is_secret_key(key), "{key}");
        }
        assert_eq!(finder.redact("x_pin=correct7").unwrap().0, "x_pin=[redacted:assignment]");
    }
}
