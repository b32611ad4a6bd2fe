//! What hooks have spent, and whether they may spend more.
//!
//! A call is counted before it is made, so a budget in calls is never exceeded. Tokens and money are
//! known only afterwards: calls that run at the same time can exceed those budgets by what they cost.
//!
//! Budgets are kept for a hook and hour, and for a hook and session. The hour begins with the first
//! call and not with the clock. The ledger belongs to the registry, so a reload of the config does not
//! refill a budget.

use std::collections::{HashMap, VecDeque};
use std::sync::Mutex;
use std::time::Duration;

use hookgate_contract::{Failure, FailureClass};
use tokio::time::Instant;

use crate::answer::opinion::Usage;
use crate::settings::budget::{Budget, SpendLimits};
use crate::sync::lock;

const HOUR: Duration = Duration::from_secs(3600);
const MINUTE: Duration = Duration::from_secs(60);

/// A session that was quiet for this long is over, and may be forgotten.
const SESSION_IDLE: Duration = Duration::from_secs(24 * 3600);

/// How many sessions are kept before idle ones are forgotten.
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
    /// reached. The call must not be made then.
    pub(crate) fn reserve_call(&self) -> Result<(), Failure> {
        self.ledger.reserve_call(self.account, self.limits)
    }

    /// Adds what a call used.
    pub(crate) fn charge(&self, usage: Usage) {
        self.ledger.charge(self.account, self.limits, usage.tokens(), usage.cost);
    }
}

/// What all hooks of a registry have spent. Hooks without limits leave no trace in it.
#[derive(Default)]
pub(crate) struct SpendLedger {
    records: Mutex<Records>,
}

#[derive(Default)]
struct Records {
    hooks: HashMap<String, Record>,
    sessions: HashMap<Account, Record>,
}

/// What was spent in one period.
struct Record {
    spent: Spent,
    since: Instant,
    last_call: Instant,
    /// The calls of the last minute, for `limits.rate`.
    recent: VecDeque<Instant>,
}

impl Record {
    const fn new(now: Instant) -> Self {
        let spent = Spent { calls: 0, tokens: 0, money: 0.0 };
        Self { spent, since: now, last_call: now, recent: VecDeque::new() }
    }

    /// Begins a new hour if the last one is over, and forgets calls older than a minute.
    fn advance(&mut self, now: Instant) {
        if now.duration_since(self.since) >= HOUR {
            self.spent = Spent::default();
            self.since = now;
        }
        while self.recent.front().is_some_and(|call| now.duration_since(*call) >= MINUTE) {
            self.recent.pop_front();
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
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
}

impl SpendLedger {
    /// Counts a call against the hour and the session, unless one of them is used up. Nothing is
    /// counted for a call that is refused.
    fn reserve_call(&self, account: &Account, limits: &SpendLimits) -> Result<(), Failure> {
        if limits.are_unlimited() {
            return Ok(());
        }
        let now = Instant::now();
        let mut records = lock(&self.records);
        let Records { hooks, sessions } = &mut *records;
        if sessions.len() >= MAX_SESSIONS && !sessions.contains_key(account) {
            sessions.retain(|_, record| now.duration_since(record.last_call) < SESSION_IDLE);
        }
        let hook = hooks.entry(account.hook.clone()).or_insert_with(|| Record::new(now));
        hook.advance(now);
        if let Some(what) = hook.spent.used_up(&limits.hour) {
            return Err(used_up(what, "hour"));
        }
        let session = sessions.entry(account.clone()).or_insert_with(|| Record::new(now));
        if let Some(what) = session.spent.used_up(&limits.session) {
            return Err(used_up(what, "session"));
        }
        if limits.rate.is_some_and(|rate| hook.recent.len() >= rate as usize) {
            let detail = "the judge has made all calls that `limits.rate` allows in a minute";
            return Err(Failure::new(FailureClass::Overloaded, detail));
        }
        if limits.rate.is_some() {
            hook.recent.push_back(now);
        }
        hook.spent.calls += 1;
        session.spent.calls += 1;
        session.last_call = now;
        Ok(())
    }

    /// Adds tokens and money to the hour and the session. Both may go over their budgets here; the next
    /// call is then refused.
    fn charge(&self, account: &Account, limits: &SpendLimits, tokens: u64, money: f64) {
        if limits.are_unlimited() {
            return;
        }
        let mut records = lock(&self.records);
        let Records { hooks, sessions } = &mut *records;
        let both = [hooks.get_mut(&account.hook), sessions.get_mut(account)];
        for record in both.into_iter().flatten() {
            record.spent.tokens = record.spent.tokens.saturating_add(tokens);
            record.spent.money += money;
        }
    }
}

fn used_up(what: &str, period: &str) -> Failure {
    let detail = format!("the judge's budget of {what} for this {period} is used up");
    Failure::new(FailureClass::Budget, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(hook: &str, session: &str) -> Account {
        Account { hook: hook.into(), session: session.into() }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_used_up_comes_back_with_the_next_session_or_hour() {
        let ledger = SpendLedger::default();
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
        let ledger = SpendLedger::default();
        let session = Budget { tokens: Some(10), money: Some(0.5), ..Budget::default() };
        let limits = SpendLimits { session, ..SpendLimits::default() };
        let (a, b) = (account("h", "a"), account("h", "b"));
        ledger.reserve_call(&a, &limits).unwrap();
        ledger.charge(&a, &limits, 10, 0.1);
        assert!(ledger.reserve_call(&a, &limits).unwrap_err().detail.contains("tokens"));
        ledger.reserve_call(&b, &limits).unwrap();
        ledger.charge(&b, &limits, 1, 0.5);
        assert!(ledger.reserve_call(&b, &limits).unwrap_err().detail.contains("money"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_rate_is_of_any_minute() {
        let ledger = SpendLedger::default();
        let limits = SpendLimits { rate: Some(1), ..SpendLimits::default() };
        let class =
            || ledger.reserve_call(&account("h", "a"), &limits).map_err(|failure| failure.class);
        assert!(class().is_ok());
        assert_eq!(class(), Err(FailureClass::Overloaded));
        tokio::time::advance(MINUTE).await;
        assert!(class().is_ok());
    }
}
