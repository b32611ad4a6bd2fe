//! Conditions of hooks about time and history: windows of time, the git branch, marks, counts, and
//! expressions in CEL.
//!
//! | condition | tests |
//! |---|---|
//! | [`when`] | the time: days, hours, dates, in a zone |
//! | [`git_branch`] | the branch that is checked out where a command works, or the session |
//! | [`marked`], set by [`mark`] | what happened earlier in the session |
//! | [`count`] | how often a hook held, or of how many files |
//! | `expr` | an expression in CEL, with the feature `expr` |
//!
//! A host adds them to its registry. The history is its own, so that marks outlive a config that is loaded
//! again:
//!
//! ```
//! use std::sync::Arc;
//! use hookgate_conditions::{Conditions, MemoryHistory};
//!
//! let history = Arc::new(MemoryHistory::new());
//! let kinds = Conditions::new(history).kinds();
//! let names: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
//! assert!(names.starts_with(&["when", "git_branch", "mark", "marked", "count"]));
//! ```
//!
//! # The agent may stop only after tests ran since the last edit
//! ```toml
//! [[hook]]
//! id = "edits"
//! event = "post_tool_use"
//! tool = "Edit|Write"
//! mark = "edited"
//! builtin = { name = "audit" }
//!
//! [[hook]]
//! id = "tests"
//! event = "post_tool_use"
//! tool = "Bash"
//! input = { "/command" = { regex = '^cargo test\b' } }
//! mark = "tested"
//! builtin = { name = "audit" }
//!
//! [[hook]]
//! id = "tested-before-stop"
//! event = "stop"
//! marked = { edited = { after = "tested" } }
//! builtin = { name = "deny", reason = "run the tests: files were edited since" }
//! ```

pub mod count;
#[cfg(feature = "expr")]
pub mod expr;
pub mod git_branch;
pub mod mark;
pub mod marked;
pub mod when;

mod clock;
mod conditions;
mod distinct;
mod glob_names;
mod history;
mod memory;
mod session_marks;
mod texts;
mod written_files;

pub use clock::{Clock, FixedClock, SystemClock};
pub use conditions::Conditions;
#[cfg(feature = "expr")]
pub use expr::FIELDS as EXPR_FIELDS;
pub use history::{Counted, History, KeptHistory, Marked, MemoryHistory, Moment, Numbered, Period};
pub use mark::MarkNames;
pub use session_marks::SessionMarks;
pub use written_files::WrittenFiles;
