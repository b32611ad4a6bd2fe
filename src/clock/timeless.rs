//! The clock of a system without one: that of the host, or one that stands still. There are no timers.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hookgate_contract::system;

/// A moment on the host's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant(Duration);

impl Instant {
    pub(crate) fn now() -> Self {
        Self(system::uptime())
    }

    pub(crate) fn checked_add(self, time: Duration) -> Option<Self> {
        self.0.checked_add(time).map(Self)
    }

    pub(crate) fn checked_sub(self, time: Duration) -> Option<Self> {
        self.0.checked_sub(time).map(Self)
    }

    pub(crate) fn saturating_duration_since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    pub(crate) fn elapsed(self) -> Duration {
        Self::now().saturating_duration_since(self)
    }
}

/// A timer, of which there is none.
#[derive(Debug)]
pub(crate) struct Sleep(Infallible);

impl Sleep {
    pub(crate) fn deadline(&self) -> Instant {
        match self.0 {}
    }

    pub(crate) fn is_elapsed(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn reset(self: Pin<&mut Self>, _: Instant) {
        match self.0 {}
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        match self.0 {}
    }
}

/// Returns no timer.
pub(crate) fn sleep_until(_: Instant) -> Option<Sleep> {
    None
}
