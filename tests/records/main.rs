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

#[path = "../support/corpus.rs"]
mod corpus;
#[path = "../support/envelopes.rs"]
mod envelopes;
#[path = "../support/mod.rs"]
mod support;

#[cfg(feature = "builtin")]
mod config_hash;
mod recorder;
mod round_trip;
mod subscription;
