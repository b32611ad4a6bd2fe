//! Hook configs of OpenAI Codex, run as it runs them.

mod answers;
mod configs;
mod laws;
mod processes;
mod stage;

#[test]
fn the_cases_pass() {
    crate::scene::conformance("codex");
}
