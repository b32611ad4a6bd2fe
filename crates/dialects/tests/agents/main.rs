//! All agents: laws of their envelopes and answers. And those that put their fields where they like:
//! envelopes both ways, answers that the watched agents obey, and what scripts say that were written for
//! them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod envelopes;
mod events;
mod laws;
mod recipes;
mod samples;
mod scripts;
mod systems;
mod tools;
