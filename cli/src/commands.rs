//! The verbs, one module each.

pub mod builtins;
pub mod check;
pub mod conditions;
pub mod daemon;
pub mod demo;
pub mod doctor;
pub mod effects;
pub mod eval;
pub mod events;
pub mod hook;
pub mod import;
pub mod init;
pub mod install;
pub mod judge;
pub mod list;
pub mod reference;
pub mod run;
pub mod schema;
pub mod test;
pub mod trust;
