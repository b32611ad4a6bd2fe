//! What well-known programs do with their words, from tables: which options they have, which words are
//! paths that they read, write or delete, and which name hosts.
//!
//! The tables are the files in `programs/data`, whose first lines say how they are written.

#[cfg(test)]
mod check;
mod code;
mod effects_of;
mod entry;
mod found_files;
mod git_push;
pub(crate) mod hosts;
mod hosts_of_settings;
mod mode;
mod no_run;
mod reading;
mod role;
mod sed_script;
mod sink;
mod special;
mod table;
mod tar;

#[cfg(test)]
mod tests;

pub use effects_of::effects_of;
pub use mode::ModeBit;

pub(crate) use code::starts_programs;
pub(crate) use effects_of::asks_for_help;
pub(crate) use entry::is_git_command;
pub(crate) use entry::named_program;
pub(crate) use git_push::push_of;
pub(crate) use mode::gives;
pub(crate) use no_run::status_counts;
pub(crate) use reading::{Reading, read};
pub(crate) use sed_script::{SedCommand, sed_commands};
pub(crate) use table::Program;
