//! Hook configs of Gemini CLI, run as it runs them.

mod answers;
mod configs;
mod laws;
mod processes;
mod stage;

#[test]
fn the_cases_pass() {
    crate::scene::conformance("gemini");
}
