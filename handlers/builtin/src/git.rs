//! Builtins that ask git, with the feature `git`.
//!
//! They start the real program, without a shell, in the folder of the session, and wait for it as an
//! asynchronous handler does: within the deadline of the hook, and never on the thread that dispatches.

mod add_git_diff;
mod add_git_status;
mod add_recent_commits;
mod answer;
mod program;
mod snapshot;
mod snapshots;

pub use add_git_diff::AddGitDiff;
pub use add_git_status::AddGitStatus;
pub use add_recent_commits::AddRecentCommits;
pub use snapshot::TakeSnapshot;
pub use snapshots::{Snapshot, SnapshotSession, Snapshots, Undone};

use crate::doc::BuiltinDoc;

pub(crate) const ADD_GIT_STATUS: BuiltinDoc = add_git_status::DOC;
pub(crate) const ADD_GIT_DIFF: BuiltinDoc = add_git_diff::DOC;
pub(crate) const ADD_RECENT_COMMITS: BuiltinDoc = add_recent_commits::DOC;
pub(crate) const SNAPSHOT: BuiltinDoc = snapshot::DOC;
