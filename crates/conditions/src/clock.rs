//! The clock that conditions read, so that tests and `--now` can set it.

use std::time::{Duration, SystemTime};

use hookgate_contract::system;
use jiff::Timestamp;

/// Tells what time it is.
///
/// ```
/// use std::time::SystemTime;
/// use hookgate_conditions::{Clock, FixedClock};
///
/// let clock = FixedClock(SystemTime::UNIX_EPOCH);
/// assert_eq!(clock.now(), SystemTime::UNIX_EPOCH);
/// ```
pub trait Clock: Send + Sync {
    /// Returns the present moment.
    fn now(&self) -> SystemTime;
}

/// A time that no calendar has: what depends on it cannot be told.
const NO_TIME: Duration = Duration::from_secs(1 << 62);

/// The clock of the machine. Where there is none ([`system`]), the time is one that no calendar has.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

/// Returns whether a moment is one that a calendar has.
pub(crate) fn is_known(moment: SystemTime) -> bool {
    Timestamp::try_from(moment).is_ok()
}

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        system::now().unwrap_or_else(|| SystemTime::UNIX_EPOCH + NO_TIME)
    }
}

/// A clock that stands still, for dry runs of another moment.
#[derive(Debug, Clone, Copy)]
pub struct FixedClock(pub SystemTime);

impl Clock for FixedClock {
    fn now(&self) -> SystemTime {
        self.0
    }
}

impl<F: Fn() -> SystemTime + Send + Sync> Clock for F {
    fn now(&self) -> SystemTime {
        self()
    }
}
