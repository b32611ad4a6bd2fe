//! What the state promises, through the crate and through real processes.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "helpers of tests may fail loudly"
)]

mod crash;
mod former;
mod kept;
mod support;
mod tampering;
