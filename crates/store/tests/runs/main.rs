//! What the runs promise, through the crate and through real processes.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "helpers of tests may fail loudly"
)]

mod approvals;
mod approvals_crash;
mod claims;
mod clocks;
mod crash;
mod ends;
mod engine;
mod files;
mod secrets;
mod support;
mod worker;
