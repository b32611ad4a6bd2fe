//! Cursor.

pub mod system;
