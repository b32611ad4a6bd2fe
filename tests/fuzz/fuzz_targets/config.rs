//! Any text is a config, or errors with positions in it. `cargo +nightly fuzz run config`
#![no_main]

use hookgate::Registry;
use hookgate::config::Loader;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let registry = Registry::new();
    registry.add(hookgate::builtin::kind());
    if let Err(errors) = Loader::new(&registry).parse("fuzz.toml", text, "/nonexistent".as_ref()) {
        assert!(!errors.errors().is_empty());
        for error in errors.errors() {
            assert!(error.line() >= 1 && error.column() >= 1);
        }
    }
});
