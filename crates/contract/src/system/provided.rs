//! What the host gives where the system has neither clock nor random numbers.

use std::sync::OnceLock;
use std::time::Duration;

/// What a program gives to the engine that it embeds, where the system gives none.
pub trait Host: Send + Sync {
    /// Returns the time since 1970.
    fn unix_time(&self) -> Duration;

    /// Returns the time since some moment that never changes. It never goes back.
    fn uptime(&self) -> Duration;

    /// Fills the bytes with random numbers that nobody can guess: keys are made of them. Returns whether it
    /// could.
    fn fill_random(&self, bytes: &mut [u8]) -> bool;
}

static HOST: OnceLock<&'static dyn Host> = OnceLock::new();

/// Gives the host's clock and random numbers to this program. Returns false if some were given before: those
/// stay, since keys and times must not change under an engine.
pub fn provide(host: &'static dyn Host) -> bool {
    HOST.set(host).is_ok()
}

pub(super) fn unix_time() -> Option<Duration> {
    HOST.get().map(|host| host.unix_time())
}

/// Returns the time since some moment; zero if the host gives no clock.
#[must_use]
pub fn uptime() -> Duration {
    HOST.get().map(|host| host.uptime()).unwrap_or_default()
}

/// Fills the bytes with random numbers; returns whether there are any.
#[must_use]
pub fn fill_random(bytes: &mut [u8]) -> bool {
    HOST.get().is_some_and(|host| host.fill_random(bytes))
}
