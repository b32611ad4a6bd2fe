//! What judges may spend, and what they have spent.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hookgate_contract::settings::Settings;
use hookgate_contract::{Failure, FailureClass};
use tokio::time::Instant;

use crate::number::{count, number};

const HOUR: Duration = Duration::from_secs(3600);
const MINUTE: Duration = Duration::from_secs(60);

/// A session that was quiet for so long is over.
const FORGET: Duration = Duration::from_secs(24 * 3600);

/// So many pages are kept before those of old sessions are thrown away.
const PAGES: usize = 10_000;

/// What may be spent of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Purse {
    pub(crate) calls: Option<u64>,
    pub(crate) tokens: Option<u64>,
    pub(crate) money: Option<f64>,
}

impl Purse {
    /// Reads a purse; one that is not there holds everything.
    pub(crate) fn read(settings: &mut Settings<'_>, key: &'static str) -> Self {
        let Some(mut inner) = settings.table(key) else { return Self::default() };
        let purse = Self {
            calls: count(&mut inner, "calls", 0, u32::MAX).map(u64::from),
            tokens: count(&mut inner, "tokens", 0, u32::MAX).map(u64::from),
            money: number(&mut inner, "money"),
        };
        settings.absorb(inner.finish());
        purse
    }
}

/// The bounds of one hook.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Limits {
    /// Calls in any minute.
    pub(crate) rate: Option<u32>,
    pub(crate) session: Purse,
    pub(crate) hour: Purse,
}

impl Limits {
    fn are_none(&self) -> bool {
        *self == Self::default()
    }
}

/// The price of a million tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Price {
    pub(crate) input: f64,
    pub(crate) output: f64,
}

impl Price {
    /// What a call costs.
    pub(crate) fn of(&self, prompt_tokens: u64, completion_tokens: u64) -> f64 {
        (prompt_tokens as f64 * self.input + completion_tokens as f64 * self.output) / 1e6
    }
}

/// Reads the prices of models.
pub(crate) fn prices(settings: &mut Settings<'_>) -> BTreeMap<String, Price> {
    let mut all = BTreeMap::new();
    let Some(table) = settings.table("prices") else { return all };
    for entry in table.entries() {
        let mut inner = Settings::new(&entry.node);
        let input = number(&mut inner, "input").unwrap_or(0.0);
        let output = number(&mut inner, "output").unwrap_or(0.0);
        settings.absorb(inner.finish());
        all.insert(entry.key.clone(), Price { input, output });
    }
    all
}

#[derive(Debug, Clone, Copy, Default)]
struct Spent {
    calls: u64,
    tokens: u64,
    money: f64,
}

impl Spent {
    /// What is used up, if anything is.
    fn beyond(&self, purse: &Purse) -> Option<&'static str> {
        if purse.calls.is_some_and(|most| self.calls >= most) {
            Some("calls")
        } else if purse.tokens.is_some_and(|most| self.tokens >= most) {
            Some("tokens")
        } else if purse.money.is_some_and(|most| self.money >= most) {
            Some("money")
        } else {
            None
        }
    }
}

struct Page {
    spent: Spent,
    since: Instant,
    used: Instant,
    recent: VecDeque<Instant>,
}

impl Page {
    const fn new(now: Instant) -> Self {
        let spent = Spent { calls: 0, tokens: 0, money: 0.0 };
        Self { spent, since: now, used: now, recent: VecDeque::new() }
    }
}

/// Who pays: a hook, for a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Payer {
    pub(crate) hook: String,
    pub(crate) session: String,
}

/// What all hooks have spent. It outlives a reload.
#[derive(Default)]
pub(crate) struct Book {
    pages: Mutex<Pages>,
}

#[derive(Default)]
struct Pages {
    hooks: HashMap<String, Page>,
    sessions: HashMap<Payer, Page>,
}

impl Book {
    /// Counts a call, if it may be made. Tokens and money are known only afterwards, so calls at
    /// the same time can go over by what they cost.
    pub(crate) fn call(&self, payer: &Payer, limits: &Limits) -> Result<(), Failure> {
        if limits.are_none() {
            return Ok(());
        }
        let now = Instant::now();
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let pages = &mut *pages;
        if pages.sessions.len() >= PAGES && !pages.sessions.contains_key(payer) {
            pages.sessions.retain(|_, page| now.duration_since(page.used) < FORGET);
        }
        let hook = pages.hooks.entry(payer.hook.clone()).or_insert_with(|| Page::new(now));
        if now.duration_since(hook.since) >= HOUR {
            hook.spent = Spent::default();
            hook.since = now;
        }
        while hook.recent.front().is_some_and(|call| now.duration_since(*call) >= MINUTE) {
            hook.recent.pop_front();
        }
        if let Some(what) = hook.spent.beyond(&limits.hour) {
            return Err(over(what, "hour"));
        }
        let session = pages.sessions.entry(payer.clone()).or_insert_with(|| Page::new(now));
        if let Some(what) = session.spent.beyond(&limits.session) {
            return Err(over(what, "session"));
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
        session.used = now;
        Ok(())
    }

    /// Writes down what a call took.
    pub(crate) fn charge(&self, payer: &Payer, limits: &Limits, tokens: u64, money: f64) {
        if limits.are_none() {
            return;
        }
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        let pages = &mut *pages;
        let both = [pages.hooks.get_mut(&payer.hook), pages.sessions.get_mut(payer)];
        for page in both.into_iter().flatten() {
            page.spent.tokens = page.spent.tokens.saturating_add(tokens);
            page.spent.money += money;
        }
    }
}

fn over(what: &str, period: &str) -> Failure {
    let detail = format!("the judge's budget of {what} for this {period} is used up");
    Failure::new(FailureClass::Budget, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payer(hook: &str, session: &str) -> Payer {
        Payer { hook: hook.into(), session: session.into() }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_used_up_comes_back_with_the_next_session_or_hour() {
        let book = Book::default();
        let purse = |calls| Purse { calls: Some(calls), ..Purse::default() };
        let limits = Limits { rate: None, session: purse(2), hour: purse(3) };
        let class = |session: &str| book.call(&payer("h", session), &limits).map_err(|f| f.class);
        assert!(class("a").is_ok() && class("a").is_ok());
        assert_eq!(class("a"), Err(FailureClass::Budget));
        assert!(class("b").is_ok());
        assert_eq!(class("b"), Err(FailureClass::Budget), "three in this hour");
        tokio::time::advance(HOUR).await;
        assert!(class("b").is_ok());
        assert_eq!(class("a"), Err(FailureClass::Budget), "a session has no hours");
        assert!(book.call(&payer("other", "a"), &limits).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn tokens_and_money_are_counted_after_the_call() {
        let book = Book::default();
        let session = Purse { tokens: Some(10), money: Some(0.5), ..Purse::default() };
        let limits = Limits { session, ..Limits::default() };
        let (a, b) = (payer("h", "a"), payer("h", "b"));
        book.call(&a, &limits).unwrap();
        book.charge(&a, &limits, 10, 0.1);
        assert!(book.call(&a, &limits).unwrap_err().detail.contains("tokens"));
        book.call(&b, &limits).unwrap();
        book.charge(&b, &limits, 1, 0.5);
        assert!(book.call(&b, &limits).unwrap_err().detail.contains("money"));
        assert_eq!(Price { input: 1.0, output: 10.0 }.of(1_000_000, 100_000), 2.0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_rate_is_of_any_minute() {
        let book = Book::default();
        let limits = Limits { rate: Some(1), ..Limits::default() };
        let class = || book.call(&payer("h", "a"), &limits).map_err(|failure| failure.class);
        assert!(class().is_ok());
        assert_eq!(class(), Err(FailureClass::Overloaded));
        tokio::time::advance(MINUTE).await;
        assert!(class().is_ok());
    }
}
