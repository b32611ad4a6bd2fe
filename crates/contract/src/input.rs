//! Reads what comes from outside, strictly, and shows it safely.
//!
//! | module | reads or shows |
//! |---|---|
//! | [`json`] | text that two readers could understand differently is refused; canonical form, size |
//! | [`settings`] | a table of settings, with the span of each mistake |
//! | [`glob`] | patterns for names, and braces in any pattern |
//! | [`file`](mod@file) | files that cannot hold up or fill the reader |
//! | [`salvage`] | decisions in answers that are damaged |
//! | [`data`](mod@data), [`name_enum`](mod@name_enum) | structs and enums that cross the wire |
//! | [`quote`], [`visible`], [`suggest`] | messages about what was read |
//!
//! Handlers use these modules through `hookgate_contract`, which re-exports them.

pub(crate) mod data;
pub mod file;
pub mod files;
pub mod glob;
pub mod json;
pub mod look_alike;
pub(crate) mod name_enum;
pub mod quote;
pub(crate) mod salvage;
pub mod settings;
pub mod suggest;
pub mod visible;
