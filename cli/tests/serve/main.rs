//! What `hookgate serve` promises, through the program: a real child for each test.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "helpers of tests may fail loudly"
)]

mod asks;
mod documents;
mod ends;
mod enforces;
mod events;
mod frames;
mod go;
mod http;
mod http_access;
mod http_client;
mod meerkat;
mod opa;
mod overrides;
mod page;
mod python;
mod reloads;
mod same_verdicts;
mod schema;
mod sessions;
mod socket;
mod support;
mod typescript;
