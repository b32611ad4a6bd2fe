//! Finds secrets in a text and puts something else in their place.
//!
//! One pass runs those scanners and patterns over the text that can find something in it (`signs.rs`), joins what they find, and
//! replaces it. What a pass leaves may look like a secret again next to a placeholder, so passes are
//! repeated until one finds nothing. That makes redaction stable: to redact twice is to redact once,
//! which matters where the output of one hook is the input of the next.

mod compiled_pattern;
mod literals;
mod patterns;
mod piece;
mod signs;

#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use self::compiled_pattern::CompiledPattern;
use self::patterns::Patterns;
use self::piece::{Piece, join};
use self::signs::Signs;
use crate::catalogue::SECRET_PATTERNS;
use crate::field_name::{self, NameHint};
use crate::pattern::accept_all;
use crate::scan::Sink;
use crate::{assignment, broken_token, declared, flag, pem, table, url};

/// The kind of what a pattern of the caller's own finds.
const CUSTOM: &str = "custom";

/// The kind of a value that is secret because of its key.
const FIELD: &str = "field";

/// The most passes over a text. Every pass takes something away, so they come to an end by themselves;
/// this stops a pattern that takes one character at a time.
const MAX_PASSES: usize = 16;

/// Finds secrets by the [catalogue](SECRET_PATTERNS), and by patterns and names of fields of its own.
///
/// What it has put in place of a secret is left alone from then on: to redact twice is to redact once.
/// It takes time that is linear in the text. The first search of a process compiles the catalogue, which
/// takes some 10 ms; patterns of its own are compiled when it is made: keep it. A clone is cheap.
///
/// ```
/// use hookgate_secrets::Finder;
///
/// let finder = Finder::new(&["ACME-[0-9]+", "ticket=([a-z]+)"], &["x-pin"])?;
/// let (text, count) = finder.redact("ACME-12, ticket=abc, x_pin: 9876abcd").unwrap();
/// assert_eq!(
///     text,
///     "[redacted:custom], ticket=[redacted:custom], x_pin: [redacted:assignment]"
/// );
/// assert_eq!(count, 3);
/// assert_eq!(finder.redact(&text), None, "stable");
/// # Ok::<(), regex::Error>(())
/// ```
#[derive(Clone)]
pub struct Finder {
    /// The caller's own patterns.
    own: Option<Patterns>,
    /// The caller's own names of fields, with `_` for `-`.
    keys: Vec<String>,
    /// What a redacted secret leaves.
    placeholder: &'static LazyLock<Regex>,
}

impl fmt::Debug for Finder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finder").field("keys", &self.keys).finish_non_exhaustive()
    }
}

/// The finder of the catalogue alone.
static CATALOGUE: Finder = Finder::with_placeholder(&REDACTED);

/// The patterns of the catalogue, by their place in it. Each is compiled once per process, by the first search of a text
/// that can have what it finds: most processes see none.
static KNOWN: LazyLock<Vec<Option<CompiledPattern>>> = LazyLock::new(|| {
    let known = SECRET_PATTERNS.iter().enumerate().map(|(rank, pattern)| {
        Some(CompiledPattern::new(pattern.name, pattern.regex?, pattern.accept, rank))
    });
    known.collect()
});

/// Returns the patterns of the catalogue that can match.
fn known(signs: Signs) -> impl Iterator<Item = &'static CompiledPattern> {
    let places = signs.patterns();
    // Who has no sign of any needs none of them.
    let all = if places == 0 { &[] } else { KNOWN.as_slice() };
    let can_match = move |(place, _): &(usize, &Option<_>)| places >> place & 1 == 1;
    all.iter().enumerate().filter(can_match).filter_map(|(_, pattern)| pattern.as_ref())
}

/// What redaction leaves. A fixed list of kinds, so that a text cannot hide a secret in a placeholder of its
/// own making.
static REDACTED: LazyLock<Regex> = LazyLock::new(|| {
    let kinds = SECRET_PATTERNS.iter().map(|pattern| pattern.name).chain([FIELD, CUSTOM]);
    let kinds: Vec<_> = kinds.collect();
    #[expect(clippy::unwrap_used, reason = "made of constants; a test builds it")]
    Regex::new(&format!(r"\[redacted:(?:{})\]", kinds.join("|"))).unwrap()
});

impl Finder {
    /// Creates a finder of the catalogue, of these patterns, and of fields with these names.
    ///
    /// Of a pattern the first group is the secret, or all of the match if it has no group. In names
    /// `-` and `_` are the same, and so are small and capital letters.
    ///
    /// # Errors
    /// A pattern is not a regular expression of the crate [`regex`], or is too large.
    pub fn new(patterns: &[&str], keys: &[&str]) -> Result<Self, regex::Error> {
        let own = patterns
            .iter()
            .map(|source| CompiledPattern::new(CUSTOM, source, accept_all, SECRET_PATTERNS.len()));
        let own = if patterns.is_empty() { None } else { Some(Patterns::new(own.collect())?) };
        let keys = keys.iter().map(|key| key.replace('-', "_")).collect();
        Ok(Self { own, keys, placeholder: &REDACTED })
    }

    /// Returns the finder of the catalogue alone, which is made once per process.
    #[must_use]
    pub fn catalogue() -> &'static Self {
        &CATALOGUE
    }

    /// Returns a finder of the catalogue that leaves these placeholders alone.
    pub(crate) const fn with_placeholder(placeholder: &'static LazyLock<Regex>) -> Self {
        Self { own: None, keys: Vec::new(), placeholder }
    }

    /// Returns what can be in a text. Names of the caller's own can be any.
    fn signs(&self, text: &str) -> Signs {
        let signs = Signs::of(text);
        if self.keys.is_empty() { signs } else { signs.and(Signs::NAME) }
    }

    /// Returns whether the finder has patterns of the caller's own. They may reach over any place at which a text
    /// could be cut.
    #[must_use]
    pub const fn has_own_patterns(&self) -> bool {
        self.own.is_some()
    }

    /// Returns whether a text has a sign of anything that can be found in it.
    pub(crate) fn has_sign(&self, text: &str) -> bool {
        !self.signs(text).is_empty()
    }

    /// Returns whether there may be a secret. It is cheaper than [`Finder::redact`] and does not
    /// allocate; if it returns false, there is nothing to redact.
    ///
    /// ```
    /// use hookgate_secrets::Finder;
    ///
    /// assert!(Finder::catalogue().suspects("password=hunter2"));
    /// assert!(!Finder::catalogue().suspects("password=$PASSWORD"));
    /// ```
    #[must_use]
    pub fn suspects(&self, text: &str) -> bool {
        self.suspects_by(text, self.signs(text))
    }

    fn suspects_by(&self, text: &str, signs: Signs) -> bool {
        if signs.is_empty() && self.own.is_none() {
            return false;
        }
        known(signs).any(|pattern| pattern.is_match(text))
            || self.own.as_ref().is_some_and(|own| own.have_match(text))
            || !self.scan(text, signs, &mut |_, _| false)
    }

    /// Has every scanner that can find something go through a text; returns whether they came to the end.
    fn scan(&self, text: &str, signs: Signs, found: Sink<'_>) -> bool {
        let own = |key: &str| self.is_own_key(key);
        let (of_name, of_flag) =
            (signs.has(Signs::NAME), signs.has(Signs::NAME.and(Signs::PROGRAM)));
        (!signs.has(Signs::MARK) || pem::find(text, &mut |range| found(range, "private_key")))
            && (!signs.has(Signs::URL)
                || url::find(text, &mut |range| found(range, "url_password")))
            && (!of_name || assignment::find(text, &own, found))
            && (!of_flag || flag::find(text, &own, found))
            && (!of_name || table::find(text, &own, found))
            && (!(of_name && signs.has(Signs::DECLARATION)) || declared::find(text, &own, found))
            && (!signs.has(Signs::WORD) || broken_token::find(text, &token_in, found))
    }

    /// Returns whether a field of this name holds a secret, whatever its value looks like.
    #[must_use]
    pub fn is_secret_key(&self, key: &str) -> bool {
        self.is_own_key(key) || field_name::name_hint(key) == NameHint::Secret
    }

    pub(crate) fn is_own_key(&self, key: &str) -> bool {
        self.keys.iter().any(|secret| {
            key.len() == secret.len()
                && key.bytes().zip(secret.bytes()).all(|(k, s)| {
                    let k = if k == b'-' { b'_' } else { k };
                    k.eq_ignore_ascii_case(&s)
                })
        })
    }

    /// Returns the placeholder of a value that is secret because of its key.
    #[must_use]
    pub fn field_placeholder() -> String {
        placeholder(FIELD)
    }

    /// Returns whether the text is a placeholder and nothing else.
    #[must_use]
    pub fn is_placeholder(&self, text: &str) -> bool {
        self.placeholder.find(text).is_some_and(|found| found.len() == text.len())
    }

    /// Returns the text with `[redacted:KIND]` in place of each secret, and their number; `None` if it
    /// has none. The kinds are the names of the [catalogue](SECRET_PATTERNS), `custom` and `field`.
    #[must_use]
    pub fn redact(&self, text: &str) -> Option<(String, u64)> {
        self.replace(text, |kind, out| {
            out.push_str("[redacted:");
            out.push_str(kind);
            out.push(']');
        })
    }

    /// Returns the text with what `put` writes in place of each secret.
    pub(crate) fn replace(
        &self,
        text: &str,
        put: impl Fn(&'static str, &mut String),
    ) -> Option<(String, u64)> {
        let (mut replaced, mut total) = self.pass(text, &put)?;
        for _ in 1..MAX_PASSES {
            let Some((next, count)) = self.pass(&replaced, &put) else { break };
            replaced = next;
            total = total.saturating_add(count);
        }
        Some((replaced, total))
    }

    /// Replaces all that looks like a secret now; returns `None` if nothing does.
    fn pass(&self, text: &str, put: &impl Fn(&'static str, &mut String)) -> Option<(String, u64)> {
        let pieces = self.pieces(text, self.signs(text));
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

    /// Returns what is to be replaced, in order and without overlaps.
    fn pieces(&self, text: &str, signs: Signs) -> Vec<Piece> {
        let mut found = Vec::new();
        if signs.is_empty() && self.own.is_none() {
            return found;
        }
        self.scan(text, signs, &mut |range, kind| {
            found.push(Piece { range, kind, rank: rank_of(kind) });
            true
        });
        known(signs).for_each(|pattern| pattern.find(text, &mut found));
        self.own.iter().for_each(|own| own.find(text, &mut found));
        if found.is_empty() {
            return found;
        }
        let placeholders = self.placeholder.find_iter(text).map(|found| found.range());
        join(found, &placeholders.collect::<Vec<_>>())
    }
}

/// Returns the first thing in a text that the catalogue knows.
fn token_in(text: &str) -> Option<(Range<usize>, &'static str)> {
    let mut found = Vec::new();
    known(Signs::of(text)).for_each(|pattern| pattern.find(text, &mut found));
    found.into_iter().map(|piece| (piece.range, piece.kind)).min_by_key(|(range, _)| range.start)
}

fn rank_of(kind: &str) -> usize {
    SECRET_PATTERNS.iter().position(|pattern| pattern.name == kind).unwrap_or(SECRET_PATTERNS.len())
}

fn placeholder(kind: &str) -> String {
    format!("[redacted:{kind}]")
}
