//! How often a call that has failed is tried again.

use std::time::Duration;

use hookgate_contract::FailureClass;

/// The most attempts after the first one.
pub(crate) const MOST_RETRIES: u32 = 10;

/// The longest wait between two attempts: no wait doubles beyond it.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// How often a call of a hook that has failed is tried again, how long it waits before, and after which failures.
///
/// All attempts together are bounded by the deadline of the hook, and nothing waits beyond it. A verdict is never
/// tried again, nor a failure in whose unfinished answer an ask, a deny or a halt was found. Only handlers that wait
/// can be retried: one that answers at once would say the same again.
///
/// ```
/// use std::time::Duration;
/// use hookgate::table::Retry;
/// use hookgate::FailureClass;
///
/// let retry = Retry::times(2).backoff(Duration::from_millis(200)).on([FailureClass::Unreachable]);
/// assert!(retry.is_on(FailureClass::Unreachable) && !retry.is_on(FailureClass::Timeout));
/// let waits: Vec<_> = (0..3).map(|number| retry.wait(number).as_millis()).collect();
/// assert_eq!(waits, [200, 400, 800]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retry {
    /// How many attempts may follow the first one.
    pub times: u32,
    /// The wait before the second attempt. It doubles with each further one, up to a minute.
    pub backoff: Duration,
    /// How long one attempt may take. Without it the deadline of the hook is divided among the attempts, if a
    /// timeout is retried.
    pub attempt: Option<Duration>,
    /// The classes of failure after which it is tried again.
    pub on: Vec<FailureClass>,
}

impl Retry {
    /// The classes of failure that may pass by themselves.
    pub const CLASSES: [FailureClass; 8] = [
        FailureClass::Timeout,
        FailureClass::Spawn,
        FailureClass::Exit,
        FailureClass::Signal,
        FailureClass::Malformed,
        FailureClass::Unreachable,
        FailureClass::HttpStatus,
        FailureClass::Overloaded,
    ];

    /// The classes after which it is tried again if nothing is said.
    pub const USUAL: [FailureClass; 3] =
        [FailureClass::Timeout, FailureClass::Unreachable, FailureClass::Overloaded];

    /// The first wait if nothing is said.
    pub const BACKOFF: Duration = Duration::from_millis(200);

    /// Tries a call so many times more: after a timeout, an unreachable service and an overload, at first after
    /// 200 ms.
    #[must_use]
    pub fn times(times: u32) -> Self {
        Self { times, backoff: Self::BACKOFF, attempt: None, on: Self::USUAL.to_vec() }
    }

    /// Sets the first wait.
    #[must_use]
    pub const fn backoff(mut self, backoff: Duration) -> Self {
        self.backoff = backoff;
        self
    }

    /// Sets how long one attempt may take.
    #[must_use]
    pub const fn attempt(mut self, attempt: Duration) -> Self {
        self.attempt = Some(attempt);
        self
    }

    /// Sets after which failures it is tried again.
    #[must_use]
    pub fn on(mut self, classes: impl IntoIterator<Item = FailureClass>) -> Self {
        self.on = classes.into_iter().collect();
        self
    }

    /// Returns whether it is tried again after a failure of a class.
    #[must_use]
    pub fn is_on(&self, class: FailureClass) -> bool {
        self.on.contains(&class)
    }

    /// Returns how long it waits after the failure of an attempt, of which the first is 0.
    #[must_use]
    pub fn wait(&self, attempt: u32) -> Duration {
        let doubled = 2_u32.checked_pow(attempt).and_then(|by| self.backoff.checked_mul(by));
        doubled.unwrap_or(LONGEST_WAIT).min(LONGEST_WAIT.max(self.backoff))
    }

    /// Returns how long one attempt may take, of a hook with a deadline.
    pub(crate) fn attempt_of(&self, deadline: Duration) -> Duration {
        let shared = || match self.is_on(FailureClass::Timeout) {
            true => deadline / self.times.saturating_add(1),
            false => deadline,
        };
        self.attempt.unwrap_or_else(shared).min(deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_minute_and_attempts_share_the_deadline() {
        let retry = Retry::times(3).backoff(Duration::from_secs(20));
        let waits = (0..4).map(|number| retry.wait(number).as_secs());
        assert_eq!(waits.collect::<Vec<_>>(), [20, 40, 60, 60]);
        assert_eq!(retry.wait(u32::MAX), LONGEST_WAIT);
        let (second, four) = (Duration::from_secs(1), Duration::from_secs(4));
        assert_eq!(retry.attempt_of(four), second, "a quarter of the deadline");
        assert_eq!(retry.clone().on([FailureClass::Exit]).attempt_of(four), four);
        assert_eq!(retry.attempt(Duration::from_secs(9)).attempt_of(four), four);
    }
}
