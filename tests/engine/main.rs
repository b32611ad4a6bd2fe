//! Promise: the engine keeps its promises beside the verdicts: it reports what happened, ends what it
//! began, and holds its bounds whatever the step, the host and the runtime are like.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

#[path = "../support/mod.rs"]
mod support;

mod background;
mod engines;
mod guarded_calls;
mod large_steps;
mod order;
mod spans;
mod stops;
mod stream;
mod votes;
