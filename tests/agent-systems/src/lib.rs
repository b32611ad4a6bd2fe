//! A model of the hook systems of five coding agents: it reads their hook configs and runs their hooks as they
//! do, without hookgate.
//!
//! It is the second opinion for `hookgate-dialects`: what a config of an agent means is written down here once
//! more, by the agent's own pages, and held against the cases of `../shared/conformance`. It is not published,
//! and the program has nothing of it.
//!
//! [`foreign`] has what all agents share; each agent is one [`foreign::HookSystem`].

use std::sync::Arc;

use foreign::HookSystem;

pub mod claude;
pub mod codex;
pub mod copilot;
pub mod cursor;
pub mod foreign;
pub mod gemini;

/// Returns the hook systems of all agents that are modelled here.
#[must_use]
pub fn systems() -> Vec<Arc<dyn HookSystem>> {
    vec![
        Arc::new(claude::ClaudeSystem),
        Arc::new(codex::CodexSystem),
        Arc::new(copilot::CopilotSystem),
        Arc::new(cursor::CursorSystem),
        Arc::new(gemini::GeminiSystem),
    ]
}
