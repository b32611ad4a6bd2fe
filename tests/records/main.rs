//! Promise: what an engine writes about itself can be kept and compared: a config has one identity
//! wherever it is loaded, a record is read back as what was written, and a recorder misses no dispatch
//! without counting it.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

use hookgate_test_support as support;
use hookgate_test_support::corpus;
use hookgate_test_support::envelopes;

#[cfg(feature = "builtin")]
mod config_hash;
mod recorder;
mod required;
mod round_trip;
mod subscription;
