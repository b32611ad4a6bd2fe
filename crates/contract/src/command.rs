//! One command of a step, for conditions that depend on where a command works.

use crate::truth::Truth;

/// What is checked out in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// A branch. It may have no commit yet.
    Branch(String),
    /// A commit without a branch, or a ref that is no branch.
    Detached(String),
    /// The folder is in no repository.
    NoRepository,
    /// It cannot be told, and why.
    Unreadable(String),
}

impl Head {
    /// Returns the branch.
    #[must_use]
    pub fn branch(&self) -> Option<&str> {
        match self {
            Self::Branch(name) => Some(name),
            _ => None,
        }
    }
}

/// The file that a condition means of a command: what it writes, for one on what is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum MeantFile {
    /// The condition is about no file.
    #[default]
    None,
    /// This one, by its absolute path; of a folder that is meant as a whole, the path of the folder.
    Known(String),
    /// One that is not known before the step runs.
    Unknown,
}

/// One command of a step that a condition means: see [`Condition::commands`](crate::Condition::commands).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Whether the condition means it: true, or unknown.
    pub meant: Truth,
    /// The command in a few words, for explanations; `None` if it is not known which one it is.
    pub shown: Option<String>,
    /// The folder in which it works, absolute; `None` if that is not known.
    pub folder: Option<String>,
    /// What may be checked out in its repository when it runs: more than one if the step changes the
    /// branch before and that may fail.
    pub heads: Vec<Head>,
    /// Whether it surely ran and succeeded if the call as a whole succeeded. `cargo test || true` succeeds
    /// whatever the tests say.
    pub status_counts: bool,
    /// Whether the call can only have failed because this command failed: no other one gives it its exit status.
    pub status_is_own: bool,
    /// The file because of which it is meant.
    pub file: MeantFile,
}
