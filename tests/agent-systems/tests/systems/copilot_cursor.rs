//! The hook systems of Copilot and Cursor, with real processes.

mod copilot_system;
mod cursor_system;
mod support;
