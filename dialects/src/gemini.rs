//! Gemini CLI.

pub mod system;
