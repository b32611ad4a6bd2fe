//! OpenAI Codex.

pub mod system;
