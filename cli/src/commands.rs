//! The verbs, one module each.

pub mod builtins;
pub mod check;
pub mod completions;
pub mod conditions;
pub mod config;
pub mod daemon;
pub mod demo;
pub mod doctor;
pub mod effects;
pub mod eval;
pub mod events;
pub mod fmt;
pub mod hook;
pub mod import;
pub mod init;
pub mod install;
pub mod judge;
pub mod list;
pub mod lsp;
pub mod man;
pub mod reference;
pub mod run;
pub mod schema;
pub mod test;
pub mod trust;
pub mod why;
