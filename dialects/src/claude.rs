//! Claude Code.

pub mod system;
