//! The real client of async-openai and a scripted server on loopback, with hooks between them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "these are tests"
)]

mod requests;
mod streams;
mod support;
mod tool_calls;
