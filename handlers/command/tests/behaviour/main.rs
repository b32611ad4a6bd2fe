//! Programs as hooks, with real processes.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests may fail loudly"
)]

mod answers;
mod building;
mod checks;
mod faults;
mod flat;
mod outcomes;
mod pipes;
mod resolution;
mod secrets;
mod silence;
mod support;
mod surroundings;
mod survivors;
mod workers;
