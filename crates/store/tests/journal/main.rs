//! What a journal promises, through the crate and through real processes.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "helpers of tests may fail loudly"
)]

mod ahead;
mod content;
mod crash;
mod failures;
mod found;
mod heads;
mod retention;
mod support;
mod tampering;
