//! GitHub Copilot.

pub mod system;
