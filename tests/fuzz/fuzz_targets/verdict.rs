//! Any bytes are a verdict, or a failure of class malformed. `cargo +nightly fuzz run verdict`
#![no_main]

use hookgate::{FailureClass, Verdict};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Err(failure) = Verdict::parse(bytes) {
        assert_eq!(failure.class, FailureClass::Malformed);
    }
});
