//! The hook config of another agent, run as that agent runs it.
//!
//! ```text
//! files ──load──▶ ForeignConfig ──selects──▶ hooks ──run──▶ RawRun ──read──▶ HookResult ──combine──▶ Outcome
//! ```
//!
//! What differs between agents is a [`HookSystem`]; what is the same (processes, requests, time limits) is
//! here. An outcome tells what the agent would do, and each way in which a hook failed without stopping
//! anything: the agents let the action run then, and hookgate says so.

mod config;
mod outcome;
mod run;
mod system;

pub use config::{Action, CommandForm, ForeignConfig, ForeignHook, Layer, Shell, Warning};
pub use outcome::{Audience, ForeignVerdict, HookResult, HookStatus, Outcome};
pub use run::{RawRun, RunEnd};
pub use system::{HookSystem, Host, Order, Process, Selection};
