//! A real client and a real server of rmcp over a pipe, with hooks between them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "these are tests"
)]

mod questions;
mod results;
mod sessions;
mod support;
mod tools;
