//! Programs and services that were written for one agent, under hookgate for another.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod agents;
mod commands;
mod services;
mod settings;
mod support;
mod systems;
