//! Any text is taken by the strict parser exactly if a naive reader takes it, and what is printed of
//! it is the same value again. `cargo +nightly fuzz run strict_json`
#![no_main]

use hookgate::contract::json::{Integers, parse_with};
use hookgate_test_support::naive_json;

libfuzzer_sys::fuzz_target!(|text: &str| {
    for integers in Integers::ALL {
        let read = parse_with(text.as_bytes(), integers);
        if let Some(expected) = naive_json::naive_json(text, integers == Integers::Exact) {
            assert_eq!(read.is_ok(), expected, "{text} under {integers:?}: {read:?}");
        }
        if let Ok(value) = read {
            let again = parse_with(value.to_string().as_bytes(), integers);
            assert_eq!(again.ok(), Some(value), "{text}");
        }
    }
});
