//! A known value and a planted shape survive in no text, and to redact twice is to redact once.
//! `cargo +nightly fuzz run secrets`
#![no_main]

use hookgate_secrets::{Finder, SECRET_PATTERNS, Secrets};

libfuzzer_sys::fuzz_target!(|input: (&str, &str, u8)| {
    let (before, after, pick) = input;
    let finder = Finder::catalogue();
    if let Some((once, _)) = finder.redact(before) {
        assert!(finder.suspects(before));
        assert_eq!(finder.redact(&once), None, "{once}");
    }
    let value = "hunter2-and-more";
    let secrets = Secrets::new([("KEY".to_owned(), value.to_owned())]);
    assert!(!secrets.hide(&format!("{before}{value}{after}")).contains(value));
    let (head, tail) = SECRET_PATTERNS[usize::from(pick) % SECRET_PATTERNS.len()].example;
    if !before.contains(tail) && !after.contains(tail) {
        let redacted = finder.redact(&format!("{before}\n{head}{tail}\n{after}"));
        assert!(!redacted.unwrap_or_default().0.contains(tail));
    }
});
