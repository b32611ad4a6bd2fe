//! The time and the random numbers of the machine, where a system may have none.
//!
//! On `wasm32-unknown-unknown` the standard library has neither: to ask it for the time panics, which ends the
//! program. There, and only there, this module has a trait `Host` and a function `provide`, by which the program
//! that embeds the engine gives both, once, before it makes an engine:
//!
//! ```ignore
//! use hookgate::contract::system::{Host, provide};
//!
//! struct Browser;
//!
//! impl Host for Browser {
//!     fn unix_time(&self) -> Duration { Duration::from_secs_f64(js_sys::Date::now() / 1e3) }
//!     fn uptime(&self) -> Duration { Duration::from_secs_f64(performance.now() / 1e3) }
//!     fn fill_random(&self, bytes: &mut [u8]) -> bool { crypto.get_random_values(bytes).is_ok() }
//! }
//!
//! assert!(provide(&Browser));
//! ```
//!
//! Nothing panics where a host gives nothing, and what needs a clock or random numbers does not get weaker:
//!
//! | what | without a host |
//! |---|---|
//! | ids of steps | count up from zero, and are unique in this program only: UUIDs of version 8, not 7 |
//! | permits, parked questions | are not issued: there is no key |
//! | times in records and reports | are zero |
//! | conditions on time (`when`, `within`) | cannot be told, so the posture of the hook decides |
//! | counts for a time (`count`) | never grow old |
//! | the builtins `add_date`, and `limit` for a time | fail, so the posture of the hook decides |
//! | handlers that wait | fail, also with a host: there are neither timers nor threads |
//!
//! Elsewhere the functions of this module ask the system, and nobody can give it another clock.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

#[cfg(target_os = "unknown")]
mod provided;

#[cfg(target_os = "unknown")]
pub use provided::{Host, fill_random, provide, uptime};

/// Returns the time since 1970; `None` where there is no clock. A clock that is set to an earlier time says zero.
///
/// ```
/// assert!(hookgate_contract::system::unix_time().is_some());
/// ```
#[must_use]
pub fn unix_time() -> Option<Duration> {
    #[cfg(target_os = "unknown")]
    return provided::unix_time();
    #[cfg(not(target_os = "unknown"))]
    Some(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default())
}

/// Returns the folder for temporary files; `None` where there are no files, and where to ask for it panics.
///
/// ```
/// assert!(hookgate_contract::system::temporary_folder().is_some());
/// ```
#[must_use]
pub fn temporary_folder() -> Option<PathBuf> {
    (!cfg!(target_os = "unknown")).then(std::env::temp_dir)
}

/// Returns the time of day; `None` where there is no clock.
///
/// ```
/// assert!(hookgate_contract::system::now().is_some());
/// ```
#[must_use]
pub fn now() -> Option<SystemTime> {
    #[cfg(target_os = "unknown")]
    return provided::unix_time().and_then(|time| SystemTime::UNIX_EPOCH.checked_add(time));
    #[cfg(not(target_os = "unknown"))]
    Some(SystemTime::now())
}

/// Measures how long something takes. Where there is no clock, nothing takes any time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch {
    #[cfg(target_os = "unknown")]
    began: Duration,
    #[cfg(not(target_os = "unknown"))]
    began: std::time::Instant,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        #[cfg(target_os = "unknown")]
        return Self { began: provided::uptime() };
        #[cfg(not(target_os = "unknown"))]
        Self { began: std::time::Instant::now() }
    }

    pub(crate) fn elapsed(self) -> Duration {
        #[cfg(target_os = "unknown")]
        return provided::uptime().saturating_sub(self.began);
        #[cfg(not(target_os = "unknown"))]
        self.began.elapsed()
    }
}
