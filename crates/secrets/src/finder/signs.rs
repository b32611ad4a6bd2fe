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

use super::literals::{MARKS, NAMES, PROGRAMS, URLS, WORDS};

/// How many literals are in a bucket.
const IN_BUCKET: usize = 3;

/// How many letters and digits in a row a key without a prefix has.
const KEY: u32 = 32;

/// How many characters in a row a token of Discord has.
const TOKEN: u32 = 58;

/// How many colons a line of `.pgpass` has.
const COLONS: u32 = 4;

/// What can be in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signs(u8);

impl Signs {
    const NONE: Self = Self(0);

    /// A word of the catalogue.
    pub(super) const WORD: Self = Self(1);

    /// So many letters in a row, or so many colons, as a pattern without a word needs.
    pub(super) const LENGTH: Self = Self(1 << 1);

    /// A part of the name of a field that holds a secret.
    pub(super) const NAME: Self = Self(1 << 2);

    /// A program that takes a password by a flag.
    pub(super) const PROGRAM: Self = Self(1 << 3);

    /// A URL.
    pub(super) const URL: Self = Self(1 << 4);

    /// The mark of a key in PEM.
    pub(super) const MARK: Self = Self(1 << 5);

    /// Whatever there is.
    #[cfg(test)]
    pub(super) const ALL: Self = Self(u8::MAX);

    /// Whether nothing can be in the text.
    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether one of these is there.
    pub(super) const fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    /// Whether a pattern of the catalogue can match.
    pub(super) const fn can_match(self) -> bool {
        self.has(Self::WORD.and(Self::LENGTH))
    }

    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Looks at a text.
    pub(super) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut signs = Self::NONE;
        let (mut first, mut second) = (0, 0);
        let (mut letters, mut word, mut colons) = (0_u32, 0_u32, 0_u32);
        let (mut most_letters, mut most_word) = (0, 0);
        for (at, byte) in bytes.iter().enumerate() {
            let Some(of_byte) = TABLE.get(usize::from(*byte)) else { continue };
            let left_over = second & of_byte.third;
            (first, second) = (of_byte.first, first & of_byte.second);
            letters = letters.wrapping_add(1) & of_byte.letter;
            word = word.wrapping_add(1) & of_byte.part;
            colons = colons.wrapping_add(of_byte.colon);
            (most_letters, most_word) = (most_letters.max(letters), most_word.max(word));
            if left_over != 0 {
                signs = signs.and(confirmed(bytes.get(at.saturating_sub(2)..).unwrap_or_default(), left_over));
            }
        }
        // A literal of two bytes at the very end has no third byte behind it.
        if second & SHORT != 0 {
            let end = bytes.get(bytes.len().saturating_sub(2)..).unwrap_or_default();
            signs = signs.and(confirmed(end, second & SHORT));
        }
        match most_letters >= KEY || most_word >= TOKEN || colons >= COLONS {
            true => signs.and(Self::LENGTH),
            false => signs,
        }
    }
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

const COUNT: usize = WORDS.len() + NAMES.len() + PROGRAMS.len() + URLS.len() + MARKS.len();

/// Each literal, with what it is a sign of.
static LITERALS: [(&str, Signs); COUNT] = literals();

/// In which buckets a byte is the first, second or third of a literal, and what else it is.
#[derive(Clone, Copy)]
struct OfByte {
    first: u64,
    second: u64,
    third: u64,
    /// All bits if it is a letter or a digit, as `part` is if it can be in a token.
    letter: u32,
    part: u32,
    colon: u32,
}

static TABLE: [OfByte; 256] = table();

/// The buckets with a literal of two bytes.
const SHORT: u64 = short();

const _: () = assert!(COUNT.div_ceil(IN_BUCKET) <= 64, "a bucket is a bit of 64");

#[expect(clippy::indexing_slicing, reason = "when this is compiled")]
const fn literals() -> [(&'static str, Signs); COUNT] {
    let lists = [
        (WORDS, Signs::WORD),
        (NAMES, Signs::NAME),
        (PROGRAMS, Signs::PROGRAM),
        (URLS, Signs::URL),
        (MARKS, Signs::MARK),
    ];
    let mut all = [("", Signs::NONE); COUNT];
    let (mut list, mut at) = (0, 0);
    while list < lists.len() {
        let (literals, sign) = lists[list];
        let mut index = 0;
        while index < literals.len() {
            all[at] = (literals[index], sign);
            (index, at) = (index + 1, at + 1);
        }
        list += 1;
    }
    all
}

#[expect(clippy::indexing_slicing, reason = "when this is compiled")]
const fn table() -> [OfByte; 256] {
    let empty = OfByte { first: 0, second: 0, third: SHORT, letter: 0, part: 0, colon: 0 };
    let mut table = [empty; 256];
    let mut byte = 0_u8;
    loop {
        let of_byte = &mut table[byte as usize];
        of_byte.letter = if byte.is_ascii_alphanumeric() { u32::MAX } else { 0 };
        of_byte.part = if matches!(byte, b'_' | b'.' | b'-') { u32::MAX } else { of_byte.letter };
        of_byte.colon = if byte == b':' { 1 } else { 0 };
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
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
        for pattern in SECRET_PATTERNS {
            let Some(source) = pattern.regex else { continue };
            let (hir, regex) = (regex_syntax::parse(source).unwrap(), Regex::new(source).unwrap());
            let mut found = 0;
            for _ in 0..2_000 {
                let mut text = String::new();
                write(&hir, &mut chance, &mut text);
                if regex.is_match(&text) {
                    found += 1;
                    assert!(Signs::of(&text).can_match(), "{}: {text:?}", pattern.name);
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
            assert!(!Signs::of(text).can_match(), "{text}");
        }
    }
}
