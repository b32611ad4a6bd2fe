//! In which state a run is, and which states can follow.

use std::fmt;

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use serde::{Deserialize, Serialize};

/// In which state a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunState {
    /// It waits until it is due and a worker has room.
    Queued,
    /// A process has claimed it.
    Running,
    /// Its handler has done it.
    Succeeded,
    /// Its handler has failed, and it was to be tried once, or the failure is one that does not go away.
    Failed,
    /// Its handler took too long, and it was to be tried once.
    TimedOut,
    /// There was nothing to do.
    Skipped,
    /// Somebody has cancelled it.
    Cancelled,
    /// The process that had it is gone, and no attempt is left.
    Orphaned,
    /// Another config is in force than the one that queued it.
    Superseded,
    /// It has failed as often as it may.
    DeadLettered,
    /// What it was to be done with cannot be read any more.
    Unreadable,
    /// This program, with the same config, has no handler for it.
    HandlerMissing,
}

impl RunState {
    /// Every state, in the order of a run's life.
    pub const ALL: &[Self] = &[
        Self::Queued,
        Self::Running,
        Self::Succeeded,
        Self::Failed,
        Self::TimedOut,
        Self::Skipped,
        Self::Cancelled,
        Self::Orphaned,
        Self::Superseded,
        Self::DeadLettered,
        Self::Unreadable,
        Self::HandlerMissing,
    ];

    /// Returns its name, as in the file, on the wire and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
            Self::Orphaned => "orphaned",
            Self::Superseded => "superseded",
            Self::DeadLettered => "dead_lettered",
            Self::Unreadable => "unreadable",
            Self::HandlerMissing => "handler_missing",
        }
    }

    /// Returns the state of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|state| state.name() == name)
    }

    /// Returns whether nothing comes after it by itself.
    #[must_use]
    pub const fn is_end(self) -> bool {
        !matches!(self, Self::Queued | Self::Running)
    }

    /// Returns whether somebody may have it tried again. What it is done with is kept for that.
    #[must_use]
    pub const fn can_be_retried(self) -> bool {
        matches!(
            self,
            Self::Failed
                | Self::TimedOut
                | Self::Orphaned
                | Self::DeadLettered
                | Self::HandlerMissing
        )
    }

    /// Returns whether the other state can follow this one. Nothing else writes a state.
    ///
    /// ```
    /// use hookgate_store::RunState::{Cancelled, Queued, Running, Succeeded};
    ///
    /// assert!(Queued.may_become(Running) && Running.may_become(Succeeded));
    /// assert!(!Queued.may_become(Succeeded) && !Succeeded.may_become(Queued));
    /// assert!(!Cancelled.may_become(Running));
    /// ```
    #[must_use]
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            // What is refused before it begins.
            Self::Queued => matches!(
                next,
                Self::Running
                    | Self::Cancelled
                    | Self::Superseded
                    | Self::Unreadable
                    | Self::HandlerMissing
            ),
            Self::Running => matches!(
                next,
                Self::Queued
                    | Self::Superseded
                    | Self::Unreadable
                    | Self::HandlerMissing
                    | Self::Succeeded
                    | Self::Failed
                    | Self::TimedOut
                    | Self::Skipped
                    | Self::Cancelled
                    | Self::Orphaned
                    | Self::DeadLettered
            ),
            ended => ended.can_be_retried() && matches!(next, Self::Queued),
        }
    }
}

impl fmt::Display for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl ToSql for RunState {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.name().into())
    }
}

impl FromSql for RunState {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        Self::from_name(value.as_str()?).ok_or(FromSqlError::InvalidType)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_an_end_unless_somebody_retries_it() {
        for state in RunState::ALL.iter().copied().filter(|state| state.is_end()) {
            for next in RunState::ALL.iter().copied() {
                let may = next == RunState::Queued && state.can_be_retried();
                assert_eq!(state.may_become(next), may, "{state} to {next}");
            }
        }
    }

    #[test]
    fn work_is_done_only_by_who_has_claimed_it() {
        let done = |next: &RunState| {
            matches!(next, RunState::Succeeded | RunState::Failed | RunState::TimedOut)
        };
        for next in RunState::ALL.iter().filter(|next| done(next)) {
            let before: Vec<_> =
                RunState::ALL.iter().filter(|state| state.may_become(*next)).collect();
            assert_eq!(before, [&RunState::Running], "{next}");
        }
    }
}
