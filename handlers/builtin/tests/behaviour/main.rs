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
mod denials;
mod docs;
mod environment;
#[cfg(feature = "git")]
mod git;
mod goals;
mod host;
mod limits;
mod log;
mod named;
mod reasons;
mod redaction;
mod results;
mod rewriting;
mod settings;
mod skills;
#[cfg(feature = "git")]
mod snapshots;
mod support;
mod verdicts;
