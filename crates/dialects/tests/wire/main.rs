//! How the dialects talk: envelopes both ways, the answer to every decision, the answers of scripts.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod agents;
mod answers;
mod envelopes;
mod fields;
mod recipes;
mod samples;
mod scripts;
