//! The coding agents that hookgate can be installed in: where each reads its hooks from, in which form,
//! and the command line that is written there.
//!
//! What an agent does with an answer is known by its dialect (`hookgate-dialects`); here is only what
//! installing and looking after it needs.

pub(crate) mod command_line;
pub(crate) mod draft;
pub(crate) mod edit;
pub(crate) mod entry;
pub(crate) mod installed;
pub(crate) mod json;
pub(crate) mod name;
pub(crate) mod place;
pub(crate) mod profile;
pub(crate) mod refusal;
pub(crate) mod script;
pub(crate) mod splice;
pub(crate) mod switches;
pub(crate) mod syntax;
pub(crate) mod tables;

pub(crate) use command_line::CommandLine;
pub(crate) use entry::Entry;
pub(crate) use name::{dialect_of, is_called};
pub(crate) use place::{Folders, Scope};
pub(crate) use profile::{Form, ListedKeys, PROFILES, Profile, Shell};
pub(crate) use refusal::Refusal;
