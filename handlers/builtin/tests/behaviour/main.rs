//! Each builtin, from its settings to its verdicts.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "helpers of tests may fail loudly"
)]

mod audit;
mod corpus;
mod docs;
mod limits;
mod log;
mod reasons;
mod redaction;
mod rewriting;
mod settings;
mod support;
mod verdicts;
