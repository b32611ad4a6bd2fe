//! Which projects their user trusts: what is in force of a config that came with a folder.
//!
//! A project is known by its canonical path and by a hash of all that its hooks are made of: the texts of its
//! configs, the tables that they become, and the files that their hooks name. What is hashed is what was read
//! to build those tables, so nothing else than what was trusted is run.

mod content;
mod describe;
mod difference;
mod examine;
mod files;
mod folder_of_programs;
mod grants;
mod permissions;
mod policy;
mod project;
mod rule;
mod store;
mod sum;

pub(crate) use content::{Content, Text};
pub(crate) use difference::{Difference, differences};
pub(crate) use examine::{Examined, State, examine_all, examine_path};
pub(crate) use files::files_of;
pub(crate) use grants::{Grants, Why};
pub(crate) use permissions::{is_of_system, other_writer_of};
pub(crate) use policy::Policy;
pub(crate) use project::{Project, projects, root_of};
pub(crate) use rule::{is_tightening, only_tightens};
pub(crate) use store::{Record, Store, StoreError};
