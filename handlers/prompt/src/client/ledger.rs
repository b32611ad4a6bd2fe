//! What hooks have spent, and whether they may spend more.
//!
//! A call is counted before it is made, so a budget in calls is never exceeded, also not by several
//! processes. Tokens and money are known only afterwards: calls that run at the same time can exceed those
//! budgets by what they cost.
//!
//! Budgets are kept for a hook and hour, and for a hook and session. The hour begins with the first
//! call and not with the clock. The ledger belongs to the registry, so a reload of the config does not
//! refill a budget; in the home of a host it outlives the process.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hookgate_contract::{Failure, FailureClass, Kept, StateHome, StateScope};
use serde::{Deserialize, Serialize};

use crate::answer::opinion::Usage;
use crate::settings::budget::{Budget, SpendLimits};

const HOUR: Duration = Duration::from_secs(3600);
const MINUTE: Duration = Duration::from_secs(60);

/// How many sessions are kept in memory. Beyond it the one that was quiet for the longest time is forgotten.
const MAX_SESSIONS: usize = 10_000;

/// What is spent together: a hook in a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Account {
    pub(crate) hook: String,
    pub(crate) session: String,
}

/// An account, its limits, and the ledger that keeps it.
pub(crate) struct Payer<'a> {
    pub(crate) ledger: &'a SpendLedger,
    pub(crate) account: &'a Account,
    pub(crate) limits: &'a SpendLimits,
}

impl Payer<'_> {
    /// Counts a call that is about to be made.
    ///
    /// # Errors
    /// A failure of class `budget` if a budget is used up, of class `overloaded` if `limits.rate` is
    /// reached, of class `state` if it is not known what was spent. The call must not be made then.
    pub(crate) fn reserve_call(&self) -> Result<(), Failure> {
        self.ledger.reserve_call(self.account, self.limits)
    }

    /// Adds what a call used.
    ///
    /// # Errors
    /// A failure of class `state` if it cannot be kept.
    pub(crate) fn charge(&self, usage: Usage) -> Result<(), Failure> {
        self.ledger.charge(self.account, self.limits, usage.tokens(), usage.cost)
    }
}

/// What all hooks of a registry have spent. Hooks without limits leave no trace in it.
pub(crate) struct SpendLedger {
    /// Of hooks in a session.
    sessions: Kept<Spent>,
    /// Of hooks in all sessions.
    hours: Kept<Hour>,
    /// Returns the time since the epoch.
    clock: fn() -> Duration,
}

impl Default for SpendLedger {
    fn default() -> Self {
        Self::in_home(None)
    }
}

/// What a hook has spent in an hour.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Hour {
    spent: Spent,
    /// When it began, since the epoch; `None` before the first call.
    since: Option<Duration>,
    /// The calls of the last minute, for `limits.rate`.
    recent: VecDeque<Duration>,
}

impl Hour {
    /// Begins a new hour if the last one is over, and forgets calls older than a minute.
    fn advance(&mut self, now: Duration) {
        let since = *self.since.get_or_insert(now);
        if now.saturating_sub(since) >= HOUR {
            self.spent = Spent::default();
            self.since = Some(now);
        }
        while self.recent.front().is_some_and(|call| now.saturating_sub(*call) >= MINUTE) {
            self.recent.pop_front();
        }
    }
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
struct Spent {
    calls: u64,
    tokens: u64,
    money: f64,
}

impl Spent {
    /// Returns what is used up, or `None` if another call may be made.
    fn used_up(&self, budget: &Budget) -> Option<&'static str> {
        if budget.calls.is_some_and(|limit| self.calls >= limit) {
            Some("calls")
        } else if budget.tokens.is_some_and(|limit| self.tokens >= limit) {
            Some("tokens")
        } else if budget.money.is_some_and(|limit| self.money >= limit) {
            Some("money")
        } else {
            None
        }
    }

    fn add(&mut self, tokens: u64, money: f64) {
        self.tokens = self.tokens.saturating_add(tokens);
        self.money += money;
    }
}

impl SpendLedger {
    /// Makes one in a home, or else in memory.
    pub(crate) fn in_home(home: Option<Arc<dyn StateHome>>) -> Self {
        Self {
            sessions: Kept::new("budget of session", MAX_SESSIONS).in_home(home.clone()),
            hours: Kept::new("budget of hour", 1).in_home(home),
            clock: || SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default(),
        }
    }

    /// Counts a call against the session and the hour, unless one of them is used up. Nothing is
    /// counted for a call that is refused.
    fn reserve_call(&self, account: &Account, limits: &SpendLimits) -> Result<(), Failure> {
        let Account { hook, session } = account;
        let session = StateScope::Session(session);
        if limits.session != Budget::default() {
            let reserved = self.sessions.update(session, hook, |spent| {
                match spent.used_up(&limits.session) {
                    Some(what) => Err(used_up(what, "session")),
                    None => {
                        spent.calls += 1;
                        Ok(())
                    }
                }
            })?;
            reserved?;
        }
        if limits.hour == Budget::default() && limits.rate.is_none() {
            return Ok(());
        }
        let now = (self.clock)();
        let reserved = self.hours.update(StateScope::User, hook, |hour| {
            hour.advance(now);
            if let Some(what) = hour.spent.used_up(&limits.hour) {
                return Err(used_up(what, "hour"));
            }
            if limits.rate.is_some_and(|rate| hour.recent.len() >= rate as usize) {
                let detail = "the judge has made all calls that `limits.rate` allows in a minute";
                return Err(Failure::new(FailureClass::Overloaded, detail));
            }
            if limits.rate.is_some() {
                hour.recent.push_back(now);
            }
            hour.spent.calls += 1;
            Ok(())
        })?;
        if reserved.is_err() && limits.session != Budget::default() {
            self.sessions.update(session, hook, |spent| {
                spent.calls = spent.calls.saturating_sub(1);
            })?;
        }
        reserved
    }

    /// Adds tokens and money to the hour and the session. Both may go over their budgets here; the next
    /// call is then refused.
    fn charge(
        &self,
        account: &Account,
        limits: &SpendLimits,
        tokens: u64,
        money: f64,
    ) -> Result<(), Failure> {
        let Account { hook, session } = account;
        if limits.session != Budget::default() {
            let session = StateScope::Session(session);
            self.sessions.update(session, hook, |spent| spent.add(tokens, money))?;
        }
        if limits.hour != Budget::default() {
            self.hours.update(StateScope::User, hook, |hour| hour.spent.add(tokens, money))?;
        }
        Ok(())
    }
}

fn used_up(what: &str, period: &str) -> Failure {
    let detail = format!("the judge's budget of {what} for this {period} is used up");
    Failure::new(FailureClass::Budget, detail)
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use tokio::time::Instant;

    use super::*;

    /// The clock of tokio, which a test can pause.
    fn paused() -> Duration {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        HOUR * 1000 + START.elapsed()
    }

    fn ledger() -> SpendLedger {
        let _ = paused();
        SpendLedger { clock: paused, ..SpendLedger::default() }
    }

    fn account(hook: &str, session: &str) -> Account {
        Account { hook: hook.into(), session: session.into() }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_used_up_comes_back_with_the_next_session_or_hour() {
        let ledger = ledger();
        let budget = |calls| Budget { calls: Some(calls), ..Budget::default() };
        let limits = SpendLimits { rate: None, session: budget(2), hour: budget(3) };
        let class = |session: &str| {
            ledger.reserve_call(&account("h", session), &limits).map_err(|f| f.class)
        };
        assert!(class("a").is_ok() && class("a").is_ok());
        assert_eq!(class("a"), Err(FailureClass::Budget));
        assert!(class("b").is_ok());
        assert_eq!(class("b"), Err(FailureClass::Budget), "three in this hour");
        tokio::time::advance(HOUR).await;
        assert!(class("b").is_ok());
        assert_eq!(class("a"), Err(FailureClass::Budget), "a session has no hours");
        assert!(ledger.reserve_call(&account("other", "a"), &limits).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn tokens_and_money_are_counted_after_the_call() {
        let ledger = ledger();
        let session = Budget { tokens: Some(10), money: Some(0.5), ..Budget::default() };
        let limits = SpendLimits { session, ..SpendLimits::default() };
        let (a, b) = (account("h", "a"), account("h", "b"));
        ledger.reserve_call(&a, &limits).unwrap();
        ledger.charge(&a, &limits, 10, 0.1).unwrap();
        assert!(ledger.reserve_call(&a, &limits).unwrap_err().detail.contains("tokens"));
        ledger.reserve_call(&b, &limits).unwrap();
        ledger.charge(&b, &limits, 1, 0.5).unwrap();
        assert!(ledger.reserve_call(&b, &limits).unwrap_err().detail.contains("money"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_rate_is_of_any_minute() {
        let ledger = ledger();
        let limits = SpendLimits { rate: Some(1), ..SpendLimits::default() };
        let class =
            || ledger.reserve_call(&account("h", "a"), &limits).map_err(|failure| failure.class);
        assert!(class().is_ok());
        assert_eq!(class(), Err(FailureClass::Overloaded));
        tokio::time::advance(MINUTE).await;
        assert!(class().is_ok());
    }
}
