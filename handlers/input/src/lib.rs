//! Reads what comes from outside, strictly, and shows it safely.
//!
//! [`json`] refuses text that two readers could understand differently, and writes the canonical
//! form of a value. [`settings`] reads a table of settings and keeps the place of each mistake.
//! [`file`] reads files that cannot hold up or fill the reader. [`quote`], [`visible`] and
//! [`suggest`] make messages of what was read.
//!
//! Handlers use these modules through `hookgate_contract`, which re-exports them.

pub mod data;
pub mod file;
pub mod json;
pub mod name_enum;
pub mod quote;
pub mod salvage;
pub mod settings;
pub mod suggest;
pub mod visible;
