//! Pushes: which refs of which remote a command would change, and how.

use crate::word::Word;

/// One push of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushEffect {
    /// The place of its run in [`Effects::runs`](crate::Effects::runs).
    pub run: usize,
    /// The remote: the name or address as it is given, and other names and addresses of the same.
    pub remotes: Vec<Word>,
    /// What it changes there.
    pub updates: Vec<RefUpdate>,
}

/// What a push changes at the remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefUpdate {
    /// Which refs.
    pub to: PushedRefs,
    /// Whether commits that are there may be taken away: `--force`, `--force-with-lease`, `+`.
    pub force: bool,
    /// Whether the refs are deleted.
    pub delete: bool,
    /// Whether it happens: it may depend on what is at the remote, or on what the line does before.
    pub sure: bool,
}

/// Refs of a remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushedRefs {
    /// A branch, without `refs/heads/`.
    Branch(Word),
    /// Another ref with its full name: `refs/tags/v1`.
    Ref(Word),
    /// All that are there.
    All,
    /// It is not known which, and why.
    Unknown(String),
}

impl RefUpdate {
    /// An update of refs that are not known.
    pub(crate) fn unknown(why: impl Into<String>, force: bool) -> Self {
        Self { to: PushedRefs::Unknown(why.into()), force, delete: false, sure: false }
    }
}
