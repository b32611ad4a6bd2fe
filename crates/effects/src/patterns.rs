//! Patterns for what a step would do: programs, paths and hosts, and how they match. Each match is
//! true, false or unknown.

mod deed;
mod error;
mod found;
mod glob;
mod host_pattern;
mod other_syntax;
mod path_list;
mod path_pattern;
mod push_pattern;
mod run_flags;
mod run_match;
mod run_names;
mod run_pattern;
mod run_table;
mod run_text;
mod run_witness;
mod run_words;
mod text_glob;
mod variable_pattern;

#[cfg(test)]
mod live_laws;
#[cfg(test)]
mod path_tests;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod run_tests;

use crate::truth;

pub use deed::Deed;
pub use error::{PatternError, PatternFault};
pub use found::{Cause, Found};
pub(crate) use glob::names_with;
pub use host_pattern::HostPatterns;
pub use path_list::PathPatterns;
pub use path_pattern::Folders;
pub use push_pattern::PushPatterns;
pub use run_pattern::RunPatterns;
pub use run_table::RunTable;
pub use truth::Truth;
pub use variable_pattern::VariablePatterns;
