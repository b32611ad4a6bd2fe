//! Programs as hooks, with real processes.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests may fail loudly"
)]

mod build_report;
mod building;
mod cleanup;
mod environment;
mod exit_codes;
mod faults;
mod logged;
mod pipes;
mod replaced;
mod resolution;
mod resource_leaks;
mod salvage;
mod secrets;
mod silence;
mod support;
mod workers;
