//! Hook configs of Gemini CLI, run as it runs them.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]

mod answers;
mod configs;
mod laws;
mod processes;
#[path = "../scene/mod.rs"]
mod scene;
mod stage;

#[test]
fn the_cases_pass() {
    scene::conformance("gemini");
}
