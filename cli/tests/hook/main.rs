//! `hookgate hook`, as an agent calls it: a process, an envelope on stdin, an answer.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod certify;
mod daemon;
mod decisions;
mod escalate;
mod failures;
mod formats;
mod includes;
mod journal;
mod later;
mod layers;
mod memory;
mod overrides;
mod packs;
mod pipes;
mod self_protection;
mod sources;
mod state;
mod support;
mod trust;
mod user;
mod weaker;
