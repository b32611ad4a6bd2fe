//! What the model of each agent's hooks does, held against cases, pages and real processes.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod codex_system;
mod conformance;
mod copilot_cursor;
mod foreign_processes;
mod foreign_requests;
mod gemini_system;
mod protocol_matrix;
mod scene;
