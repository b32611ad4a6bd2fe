//! The hook systems of Copilot and Cursor, with real processes.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may fail")]

mod copilot_system;
mod cursor_system;
mod support;
