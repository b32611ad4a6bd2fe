//! What well-known programs do with their words, from tables: which options they have, which words are
//! paths that they read, write or delete, and which name hosts.
//!
//! The tables are the files in `programs/data`, whose first lines say how they are written.

#[cfg(test)]
mod check;
mod code;
mod effects_of;
mod entry;
mod environment;
mod found_files;
mod git_discards;
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
pub(crate) mod tar;
mod trial;
mod verbs;

#[cfg(test)]
mod tests;

pub use effects_of::effects_of;
pub use mode::ModeBit;

/// Whether the tables have a program of this name.
pub(crate) fn is_listed(name: &str) -> bool {
    entry::entry(name).is_some()
}

pub(crate) use code::starts_programs;
pub(crate) use entry::{is_git_command, named_program, sub_commands};
pub(crate) use environment::behind_pipes;
pub(crate) use found_files::{is_exec_of_fd, is_filter, is_search, writes_folders};
pub(crate) use git_discards::discards;
pub(crate) use git_push::push_of;
pub(crate) use mode::{MODE_PROGRAMS, gives};
pub(crate) use no_run::status_counts;
pub(crate) use reading::{Reading, read};
pub(crate) use sed_script::{SedCommand, sed_commands};
pub(crate) use table::Program;
pub(crate) use trial::{Trial, trial};
pub(crate) use verbs::{Verb, has_verbs, verbs};
