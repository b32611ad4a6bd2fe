//! Any bytes are an envelope, or an error. `cargo +nightly fuzz run envelope`
#![no_main]

use hookgate::envelope::Incoming;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(incoming) = Incoming::parse(bytes) {
        // What was read can be written.
        assert!(incoming.payload.to_value().is_ok());
    }
});
