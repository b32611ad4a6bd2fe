//! Whether a text can have anything that the patterns of the catalogue find.
//!
//! The set of all patterns takes some milliseconds to compile, which is more than everything else that a process for one
//! step does. What is here takes microseconds, and is true of nearly no text of every day. It may say yes too often,
//! and never no too often: a test makes texts of each pattern, and asks about them.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// Words of which each match of nearly every pattern has one, in letters of any case.
const WORDS: &[&str] = &[
    // Prefixes of tokens.
    "akia",
    "asia",
    "abia",
    "acca",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "glrt-",
    "gldt-",
    "glptt-",
    "glcbt-",
    "glft-",
    "glsoat-",
    "glimt-",
    "glagent-",
    "glffct-",
    "xox",
    "xapp-",
    "sk-",
    "aiza",
    "ya29.",
    "gocspx-",
    "1//0",
    "k_live_",
    "k_test_",
    "whsec_",
    "npm_",
    "pypi-",
    "rubygems_",
    "dckr_",
    "hf_",
    "gsk_",
    "xai-",
    "r8_",
    "pplx-",
    "nvapi-",
    "tvly-",
    "sg.",
    "key-",
    ":aa",
    "hvs.",
    "hvb.",
    "hvr.",
    ".atlasv1.",
    "atatt3x",
    "atctt3x",
    "atbb",
    "q~",
    "sig=",
    "age-secret-key-",
    "_v1_",
    "shpat_",
    "shpca_",
    "shppa_",
    "shpss_",
    "lin_api_",
    "lin_oauth_",
    "pmak-",
    "sntrys_",
    "sntryu_",
    "nrak-",
    "figd_",
    "ntn_",
    "secret_",
    "dapi",
    "dp.pt.",
    "dp.st.",
    "dp.ct.",
    "dp.sa.",
    "dp.scim.",
    "dp.audit.",
    "tskey-",
    "sbp_",
    "pul-",
    "sq0csp-",
    "sq0atp-",
    "glc_",
    "glsa_",
    "eyj",
    "ls0tls1crudjti",
    // Places in which secrets stand.
    "hooks.slack.com/",
    "/api/webhooks/",
    "webhook.office.com/",
    "_auth",
    "private-lines:",
    "bearer",
    "basic",
    "\"auth\"",
    "cookie",
    "\ttrue\t",
    "\tfalse\t",
    "password",
    "identified",
    "requirepass",
    "masterauth",
    "$1$",
    "$5$",
    "$6$",
    "$7$",
    "$y$",
    "$gy$",
    "$2a$",
    "$2b$",
    "$2x$",
    "$2y$",
    "$apr1$",
    "$argon2",
    "$scrypt$",
];

/// How many letters and digits in a row a key without a prefix has.
const KEY: usize = 32;

/// How many characters in a row a token of Discord has.
const TOKEN: usize = 58;

/// How many colons a line of `.pgpass` has.
const COLONS: usize = 4;

static WORDS_IN: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::builder().ascii_case_insensitive(true).build(WORDS).ok());

/// Tells whether a text can have something that a pattern of the catalogue finds.
pub(super) fn can_match(text: &str) -> bool {
    has_long_word(text) || WORDS_IN.as_ref().is_none_or(|words| words.is_match(text))
}

/// Tells whether a text has what a pattern without a word finds.
fn has_long_word(text: &str) -> bool {
    let (mut letters, mut word, mut colons) = (0, 0, 0);
    for byte in text.bytes() {
        letters = if byte.is_ascii_alphanumeric() { letters + 1 } else { 0 };
        word = if byte.is_ascii_alphanumeric() || b"_.-".contains(&byte) { word + 1 } else { 0 };
        colons += usize::from(byte == b':');
        if letters >= KEY || word >= TOKEN || colons >= COLONS {
            return true;
        }
    }
    false
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
                    assert!(can_match(&text), "{}: {text:?}", pattern.name);
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
            assert!(!can_match(text), "{text}");
        }
    }
}
