//! Promise: everything that is wrong with a hooks.toml is reported in one run, each mistake with
//! its line and column and with what was probably meant; what is right does what it says.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test may fail"
)]
#![cfg(feature = "builtin")]

mod aliases;
use hookgate_test_support::envelopes;
mod include;
mod layers;
mod loading;
mod order;
mod origins;
#[cfg(feature = "overrides")]
mod overrides;
mod owners;
mod pieces;
mod probes;
#[cfg(feature = "overrides")]
mod problems;
mod pure;
mod quarantine;
mod registry;
mod reload;
mod reloader;
mod report;
mod schemas;
mod shared_handlers;
mod text_files;
mod translation;
#[cfg(all(feature = "watch", unix))]
mod watch;
use hookgate_test_support as support;
