//! At home in every coding agent: its envelopes, its answers, its hook configs.
//!
//! * A [`Dialect`] per agent maps its envelope to a step of ours and
//!   a decision to the answer that it obeys, and back for scripts that were written for it. [`every`]
//!   returns them; a host adds them to its registry, and its own beside them.
//! * [`import`] writes the hook config of an agent as a hooks.toml.

use std::sync::Arc;

use hookgate_contract::dialect::Dialect;

mod agent_dialect;
pub mod ahp;
pub mod claude;
pub mod cline;
pub mod codex;
pub mod copilot;
pub mod cursor;
pub mod defect;
pub mod docker_agent;
pub mod gemini;
pub mod import;
pub mod kimi;
pub mod meerkat;
pub mod opencode;
mod places;
mod pointer;
pub mod qwen;
mod script_verdict;
mod tools;
mod wire;

pub use agent_dialect::AgentDialect;

/// Returns the dialects of all agents that are known here, sorted by their names.
#[must_use]
pub fn of_agents() -> Vec<Arc<dyn Dialect>> {
    vec![
        Arc::new(claude::DIALECT),
        Arc::new(cline::DIALECT),
        Arc::new(codex::DIALECT),
        Arc::new(copilot::DIALECT),
        Arc::new(cursor::DIALECT),
        Arc::new(gemini::DIALECT),
        Arc::new(kimi::DIALECT),
        Arc::new(opencode::DIALECT),
        Arc::new(qwen::DIALECT),
    ]
}

/// Returns the dialects of systems and protocols whose programs and services can be called here, and in
/// which hookgate is not installed, sorted by their names.
#[must_use]
pub fn of_systems() -> Vec<Arc<dyn Dialect>> {
    vec![
        Arc::new(ahp::DIALECT),
        Arc::new(defect::DIALECT),
        Arc::new(docker_agent::DIALECT),
        Arc::new(meerkat::DIALECT),
    ]
}

/// Returns the dialects of all agents, systems and protocols that are known here.
#[must_use]
pub fn every() -> Vec<Arc<dyn Dialect>> {
    let mut every = of_agents();
    every.extend(of_systems());
    every
}

/// Systems whose hooks are code in their own process, each with what that means: no program can be written
/// for them, so there is no dialect of theirs.
pub const IN_PROCESS: &[(&str, &str)] =
    &[("pioneer", "its hooks are Rust code that is registered in the agent itself")];
