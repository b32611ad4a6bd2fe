//! What can be in a text, told by one look at its bytes.
//!
//! The set of all patterns takes some milliseconds to compile, which is more than everything else that a process for one
//! step does, and each scanner goes through a text of its own accord. What is here goes through it once, and says which
//! of them can find anything: of nearly no text of every day one can. It may say yes too often, and never no too
//! often: tests make texts of each pattern, compare what is found with what is found without this, and ask about names.
//!
//! A literal is searched for by its first three bytes. Literals are in buckets, one bit each: a bucket is left over
//! where three bytes in a row could be those of its literals, and only then these are compared. The tables are made
//! when this is compiled, so that the first look costs what every look does.

use memchr::memchr_iter;

use super::literals::{DECLARATIONS, LONG, MARKS, NAMES, PROGRAMS, URLS, WORDS};
use crate::catalogue::SECRET_PATTERNS;

/// How many literals are in a bucket.
const IN_BUCKET: usize = 3;

/// How many letters and digits in a row a key without a prefix has.
const KEY: usize = 32;

/// How many characters in a row a token of Discord has.
const TOKEN: usize = 58;

/// How many colons a line of `.pgpass` has.
const COLONS: usize = 4;

/// What can be in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signs {
    /// The patterns of the catalogue that can match, by their place in it.
    patterns: u64,
    others: u8,
}

impl Signs {
    const NONE: Self = Self::other(0);

    /// A part of the name of a field that holds a secret.
    pub(super) const NAME: Self = Self::other(1);

    /// A program that takes a password by a flag.
    pub(super) const PROGRAM: Self = Self::other(1 << 1);

    /// A URL.
    pub(super) const URL: Self = Self::other(1 << 2);

    /// The mark of a key in PEM.
    pub(super) const MARK: Self = Self::other(1 << 3);

    /// What stands before a name and a value that have no sign between them.
    pub(super) const DECLARATION: Self = Self::other(1 << 4);

    /// A word of the catalogue.
    pub(super) const WORD: Self = Self::other(1 << 5);

    /// So many letters in a row, or so many colons, as a pattern without a word needs.
    const LENGTH: Self = Self { patterns: long(), others: 1 << 6 };

    /// Whatever there is.
    #[cfg(test)]
    pub(super) const ALL: Self = Self { patterns: u64::MAX, others: u8::MAX };

    const fn other(others: u8) -> Self {
        Self { patterns: 0, others }
    }

    /// Whether nothing can be in the text.
    pub(super) const fn is_empty(self) -> bool {
        self.patterns == 0 && self.others == 0
    }

    /// Whether one of these is there.
    pub(super) const fn has(self, any: Self) -> bool {
        self.others & any.others != 0
    }

    /// Returns a bit for each pattern of the catalogue that can match.
    pub(super) const fn patterns(self) -> u64 {
        self.patterns
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self { patterns: self.patterns | other.patterns, others: self.others | other.others }
    }

    /// Looks at a text.
    pub(super) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut signs = if has_length(bytes) { Self::LENGTH } else { Self::NONE };
        let (mut first, mut second) = (0, 0);
        for (at, byte) in bytes.iter().enumerate() {
            let Some(of_byte) = TABLE.get(usize::from(*byte)) else { continue };
            let left_over = second & of_byte.third;
            (first, second) = (of_byte.first, first & of_byte.second);
            if left_over != 0 {
                let begin = bytes.get(at.saturating_sub(2)..).unwrap_or_default();
                signs = signs.and(confirmed(begin, left_over));
            }
        }
        // A literal of two bytes at the very end has no third byte behind it.
        if second & SHORT != 0 {
            let end = bytes.get(bytes.len().saturating_sub(2)..).unwrap_or_default();
            signs = signs.and(confirmed(end, second & SHORT));
        }
        signs
    }
}

/// Tells whether a text has what a pattern without a word finds.
fn has_length(text: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_.-".contains(byte);
    has_run(text, KEY, u8::is_ascii_alphanumeric)
        || has_run(text, TOKEN, is_part)
        || memchr_iter(b':', text).take(COLONS).count() == COLONS
}

/// Tells whether so many bytes in a row are of a kind. Each stretch of that length is looked at from its end: where
/// it has a byte of another kind, the next one begins behind that.
fn has_run(text: &[u8], length: usize, is_of_kind: impl Fn(&u8) -> bool) -> bool {
    let mut rest = text;
    while let Some(stretch) = rest.get(..length) {
        match stretch.iter().rposition(|byte| !is_of_kind(byte)) {
            None => return true,
            Some(other) => rest = rest.get(other + 1..).unwrap_or_default(),
        }
    }
    false
}

/// Returns what the literals say with which a text begins, of those in the buckets that are left over.
fn confirmed(text: &[u8], buckets: u64) -> Signs {
    let mut signs = Signs::NONE;
    let mut rest = buckets;
    while rest != 0 {
        let bucket = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        for (literal, sign) in LITERALS.chunks(IN_BUCKET).nth(bucket).unwrap_or_default() {
            let begin = text.get(..literal.len());
            if begin.is_some_and(|begin| begin.eq_ignore_ascii_case(literal.as_bytes())) {
                signs = signs.and(*sign);
            }
        }
    }
    signs
}

const COUNT: usize = count();

/// Each literal, with what it is a sign of.
static LITERALS: [(&str, Signs); COUNT] = literals();

/// In which buckets a byte is the first, second or third of a literal.
#[derive(Clone, Copy)]
struct OfByte {
    first: u64,
    second: u64,
    third: u64,
}

static TABLE: [OfByte; 256] = table();

/// The buckets with a literal of two bytes.
const SHORT: u64 = short();

const _: () = assert!(COUNT.div_ceil(IN_BUCKET) <= 64, "a bucket is a bit of 64");

const _: () = assert!(SECRET_PATTERNS.len() <= 64, "a pattern is a bit of 64");

/// The literals that are no words of a pattern.
const OTHERS: &[(&[&str], Signs)] = &[
    (NAMES, Signs::NAME),
    (PROGRAMS, Signs::PROGRAM),
    (URLS, Signs::URL),
    (MARKS, Signs::MARK),
    (DECLARATIONS, Signs::DECLARATION),
];

#[expect(clippy::indexing_slicing, reason = "when this is compiled")]
const fn count() -> usize {
    let (mut count, mut list) = (0, 0);
    while list < WORDS.len() {
        count += WORDS[list].1.len();
        list += 1;
    }
    list = 0;
    while list < OTHERS.len() {
        count += OTHERS[list].0.len();
        list += 1;
    }
    count
}

/// Returns the bit of a pattern of the catalogue.
#[expect(clippy::indexing_slicing, clippy::panic, reason = "when this is compiled")]
const fn bit_of(name: &str) -> u64 {
    let mut place = 0;
    while place < SECRET_PATTERNS.len() {
        if is_same(SECRET_PATTERNS[place].name.as_bytes(), name.as_bytes()) {
            return 1 << place;
        }
        place += 1;
    }
    panic!("no pattern of the catalogue has this name")
}

#[expect(clippy::indexing_slicing, reason = "when this is compiled")]
const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// Returns the patterns that match without a word.
#[expect(clippy::indexing_slicing, reason = "when this is compiled")]
const fn long() -> u64 {
    let (mut patterns, mut at) = (0, 0);
    while at < LONG.len() {
        patterns |= bit_of(LONG[at]);
        at += 1;
    }
    patterns
}

#[expect(clippy::indexing_slicing, reason = "when this is compiled")]
const fn literals() -> [(&'static str, Signs); COUNT] {
    let mut all = [("", Signs::NONE); COUNT];
    let (mut at, mut list) = (0, 0);
    while list < WORDS.len() {
        let (name, words) = WORDS[list];
        let sign = Signs { patterns: bit_of(name), ..Signs::WORD };
        (list, at) = (list + 1, put(&mut all, at, words, sign));
    }
    list = 0;
    while list < OTHERS.len() {
        let (words, sign) = OTHERS[list];
        (list, at) = (list + 1, put(&mut all, at, words, sign));
    }
    all
}

/// Puts literals into the list of all, and returns where the next ones go.
#[expect(clippy::indexing_slicing, reason = "when this is compiled")]
const fn put(
    all: &mut [(&'static str, Signs); COUNT],
    from: usize,
    literals: &[&'static str],
    sign: Signs,
) -> usize {
    let mut index = 0;
    while index < literals.len() {
        all[from + index] = (literals[index], sign);
        index += 1;
    }
    from + index
}

#[expect(clippy::indexing_slicing, reason = "when this is compiled")]
const fn table() -> [OfByte; 256] {
    let mut table = [OfByte { first: 0, second: 0, third: SHORT }; 256];
    let all = literals();
    let mut at = 0;
    while at < COUNT {
        let (literal, bucket) = (all[at].0.as_bytes(), 1 << (at / IN_BUCKET));
        let mut place = 0;
        while place < literal.len() && place < 3 {
            let cases = [literal[place].to_ascii_lowercase(), literal[place].to_ascii_uppercase()];
            let mut case = 0;
            while case < cases.len() {
                let of_byte = &mut table[cases[case] as usize];
                match place {
                    0 => of_byte.first |= bucket,
                    1 => of_byte.second |= bucket,
                    _ => of_byte.third |= bucket,
                }
                case += 1;
            }
            place += 1;
        }
        at += 1;
    }
    table
}

#[expect(clippy::indexing_slicing, reason = "when this is compiled")]
const fn short() -> u64 {
    let all = literals();
    let (mut buckets, mut at) = (0, 0);
    while at < COUNT {
        assert!(all[at].0.len() > 1, "a literal has two bytes at least");
        if all[at].0.len() == 2 {
            buckets |= 1 << (at / IN_BUCKET);
        }
        at += 1;
    }
    buckets
}

#[cfg(test)]
mod tests {
    use regex::Regex;
    use regex_syntax::hir::{Class, Hir, HirKind};

    use super::*;
    use crate::catalogue::SECRET_PATTERNS;

    /// Numbers that look random, and are the same in each run.
    struct Chance(u64);

    impl Chance {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as usize % bound.max(1)
        }
    }

    /// Writes a text that a pattern finds, as short as it can be or somewhat longer.
    fn write(hir: &Hir, chance: &mut Chance, out: &mut String) {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => out.push_str(str::from_utf8(&literal.0).unwrap()),
            HirKind::Class(Class::Unicode(class)) => {
                let ranges: Vec<_> =
                    class.iter().filter(|range| range.start().is_ascii()).collect();
                let range = ranges[chance.below(ranges.len())];
                let (start, end) = (range.start() as u32, (range.end() as u32).min(0x7e));
                let at = start.max(0x20).min(end) as usize;
                let at = at + chance.below((end as usize + 1).saturating_sub(at));
                out.push(char::from_u32(at as u32).unwrap());
            }
            HirKind::Class(Class::Bytes(class)) => out.push(class.ranges()[0].start() as char),
            HirKind::Repetition(repetition) => {
                let more = repetition.max.map_or(2, |max| (max - repetition.min).min(2)) as usize;
                for _ in 0..repetition.min as usize + chance.below(more + 1) {
                    write(&repetition.sub, chance, out);
                }
            }
            HirKind::Capture(capture) => write(&capture.sub, chance, out),
            HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, chance, out)),
            HirKind::Alternation(ways) => write(&ways[chance.below(ways.len())], chance, out),
        }
    }

    #[test]
    fn no_match_of_any_pattern_is_passed_over() {
        let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
        for (place, pattern) in SECRET_PATTERNS.iter().enumerate() {
            let Some(source) = pattern.regex else { continue };
            let (hir, regex) = (regex_syntax::parse(source).unwrap(), Regex::new(source).unwrap());
            let mut found = 0;
            for _ in 0..2_000 {
                let mut text = String::new();
                write(&hir, &mut chance, &mut text);
                if regex.is_match(&text) {
                    found += 1;
                    let can_match = Signs::of(&text).patterns() >> place & 1 == 1;
                    assert!(can_match, "{}: {text:?}", pattern.name);
                }
            }
            assert!(found > 1_000, "{}: {found}", pattern.name);
        }
    }

    #[test]
    fn every_day_texts_are_passed_over() {
        for text in [
            "cargo test --workspace && git status",
            "/home/me/project/crates/store/src/database.rs",
            "01a22686-f90c-78ce-90b7-38fa7b36ebc5",
            "fn main() { println!(\"hello\"); }",
            "pre_tool_use",
        ] {
            assert_eq!(Signs::of(text).patterns(), 0, "{text}");
        }
    }
}
