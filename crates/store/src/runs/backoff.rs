//! How long a run waits before it is tried again.

use std::time::Duration;

use rusqlite::ToSql;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};

/// The longest wait.
pub(super) const LONGEST: Duration = Duration::from_secs(60);

/// How often a wait can double.
const DOUBLINGS: u32 = 6;

/// How long a run waits before it is tried again: a minute at most.
///
/// ```
/// use std::time::Duration;
/// use hookgate_store::Backoff;
///
/// let backoff = Backoff::Exponential(Duration::from_millis(500));
/// assert_eq!(backoff.after(1), Duration::from_millis(500));
/// assert_eq!(backoff.after(3), Duration::from_secs(2));
/// assert_eq!(backoff.after(50), Duration::from_secs(32));
/// assert_eq!(Backoff::Exponential(Duration::from_secs(5)).after(9), Duration::from_secs(60));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Backoff {
    /// The same each time.
    Fixed(Duration),
    /// Twice as long each time, six times at most.
    Exponential(Duration),
}

impl Backoff {
    /// Returns how long it waits after the attempt of this number, from 1.
    #[must_use]
    pub fn after(self, attempt: u32) -> Duration {
        let wait = match self {
            Self::Fixed(wait) => wait,
            Self::Exponential(first) => {
                let doublings = attempt.saturating_sub(1).min(DOUBLINGS);
                first.saturating_mul(1 << doublings)
            }
        };
        wait.min(LONGEST)
    }
}

impl Default for Backoff {
    /// A second, doubled each time.
    fn default() -> Self {
        Self::Exponential(Duration::from_secs(1))
    }
}

impl ToSql for Backoff {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let (name, wait) = match self {
            Self::Fixed(wait) => ("fixed", wait),
            Self::Exponential(wait) => ("exponential", wait),
        };
        Ok(format!("{name} {}", wait.as_millis()).into())
    }
}

impl FromSql for Backoff {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let (name, wait) = value.as_str()?.split_once(' ').ok_or(FromSqlError::InvalidType)?;
        let wait = wait.parse().map(Duration::from_millis);
        let wait = wait.map_err(|_| FromSqlError::InvalidType)?;
        match name {
            "fixed" => Ok(Self::Fixed(wait)),
            "exponential" => Ok(Self::Exponential(wait)),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}
