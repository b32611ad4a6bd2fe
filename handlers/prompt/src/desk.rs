//! Where questions meet: the same question is asked once, and questions about the same step
//! together.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared as SharedFuture, WeakShared, join_all};
use hookgate_contract::{Failure, FailureClass};

use crate::cache::Key;
use crate::case::{Case, Rule};
use crate::heard::Heard;
use crate::judge::Core;
use crate::outcome::Outcome;
use crate::talk::talk;
use crate::votes;

/// How long a question waits for others about the same step.
const WINDOW: Duration = Duration::from_millis(3);

/// How many rules are asked together. With more, models begin to mix them up.
const MOST: usize = 16;

/// An answer that is on its way. It is polled by all who wait for it, and when none is left it is
/// dropped, with the request: nothing goes on that nobody waits for.
pub(crate) type Flight = SharedFuture<BoxFuture<'static, Arc<Outcome>>>;

type Table = SharedFuture<BoxFuture<'static, Arc<Vec<Outcome>>>>;
type WeakFlight = WeakShared<BoxFuture<'static, Arc<Outcome>>>;
type WeakTable = WeakShared<BoxFuture<'static, Arc<Vec<Outcome>>>>;

/// All that is on its way.
#[derive(Default)]
pub(crate) struct Desk {
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    last: u64,
    flights: HashMap<Key, (u64, WeakFlight, Heard)>,
    /// The tables at which there are still seats.
    tables: HashMap<Key, Gathering>,
}

struct Gathering {
    id: u64,
    table: WeakTable,
    rules: Seats,
}

/// The rules at a table. They are added under the lock of the desk, as long as the table is on it.
type Seats = Arc<Mutex<Vec<Rule>>>;

impl Desk {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to a question, what has come of it so far, and whether it is asked for the first
    /// time.
    ///
    /// INVARIANT: under one lock a question is looked up, begun, and seated at its tables. A
    /// dispatch asks all its guards before it polls any answer a second time (see `Judge::ask`), so
    /// no table is closed by anybody whose own questions are not all seated.
    pub(crate) fn join(
        self: &Arc<Self>,
        core: &Arc<Core>,
        case: &Arc<Case>,
        key: Key,
    ) -> (Flight, Heard, bool) {
        let mut open = self.open();
        // Two judges of the same definition ask the same question.
        let flight_key = joined(&[&core.recipe.definition, &key]);
        if let Some(answers) = &core.answers {
            let under_way = open.flights.get(&flight_key);
            let under_way =
                under_way.and_then(|(_, weak, heard)| Some((weak.upgrade()?, heard.clone())));
            if let Some((flight, heard)) = under_way {
                return (flight, heard, false);
            }
            // A flight is landed before it is taken off the desk: what was under way when the
            // cache was asked is known now.
            if let Some(known) = answers.known(&key) {
                return (std::future::ready(known).boxed().shared(), Heard::default(), false);
            }
        }
        open.last += 1;
        let id = open.last;
        let heard = Heard::default();
        let rule = Rule { core: Arc::clone(core), case: Arc::clone(case), heard: heard.clone() };
        let seats: Vec<BoxFuture<'static, Outcome>> = (0..core.recipe.samples)
            .map(|sample| self.seat(&mut open, &rule, key, sample))
            .collect();
        let leave = Leave { desk: Arc::clone(self), key: flight_key, id, table: false };
        let core = Arc::clone(core);
        let flight = async move {
            let _leave = leave;
            let mut samples = join_all(seats).await;
            let outcome = match samples.pop() {
                Some(only) if samples.is_empty() => only,
                Some(last) => {
                    samples.push(last);
                    votes::count(samples, core.recipe.agree)
                }
                None => Outcome::failed(lost()),
            };
            let outcome = Arc::new(outcome);
            if let Some(answers) = &core.answers {
                answers.learn(key, &outcome);
            }
            outcome
        };
        let flight = flight.boxed().shared();
        if core_keeps(&rule)
            && let Some(weak) = flight.downgrade()
        {
            open.flights.insert(flight_key, (id, weak, heard.clone()));
        }
        (flight, heard, true)
    }

    /// A seat at the table of those who ask about the same step, or a table of one's own.
    fn seat(
        self: &Arc<Self>,
        open: &mut Open,
        rule: &Rule,
        key: Key,
        sample: u32,
    ) -> BoxFuture<'static, Outcome> {
        if !rule.core.recipe.batch {
            let rules = vec![rule.clone()];
            return async move { talk(rules, sample).await.pop().unwrap_or_else(nothing) }.boxed();
        }
        // Without a cache each step is asked about anew, by all its judges together.
        let step = if core_keeps(rule) { "" } else { rule.case.step.as_str() };
        let mark = rule.core.recipe.batch_mark();
        let table_key = joined(&[&key, &sample.to_le_bytes(), step.as_bytes(), mark.as_bytes()]);
        let (table, place) = open.seat(self, table_key, rule, sample);
        async move { table.await.get(place).cloned().unwrap_or_else(nothing) }.boxed()
    }

    /// Ends the gathering at a table: the rules of those who sit there.
    fn close(&self, key: &Key, id: u64, seats: &Seats) -> Vec<Rule> {
        let mut open = self.open();
        // A table that is full has been replaced by another.
        let gathering = open.tables.get(key).is_some_and(|found| found.id == id);
        let taken = if gathering { open.tables.remove(key) } else { None };
        let rules = std::mem::take(&mut *lock(seats));
        drop(open);
        drop(taken);
        rules
    }
}

impl Open {
    fn seat(&mut self, desk: &Arc<Desk>, key: Key, rule: &Rule, sample: u32) -> (Table, usize) {
        if let Some(gathering) = self.tables.get(&key) {
            let mut rules = lock(&gathering.rules);
            if rules.len() < MOST
                && let Some(table) = gathering.table.upgrade()
            {
                rules.push(rule.clone());
                return (table, rules.len() - 1);
            }
        }
        self.last += 1;
        let leave = Leave { desk: Arc::clone(desk), key, id: self.last, table: true };
        let rules = Seats::new(Mutex::new(vec![rule.clone()]));
        let seats = Arc::clone(&rules);
        let table = async move {
            tokio::time::sleep(WINDOW).await;
            let rules = leave.desk.close(&leave.key, leave.id, &seats);
            Arc::new(talk(rules, sample).await)
        };
        let table = table.boxed().shared();
        if let Some(weak) = table.downgrade() {
            self.tables.insert(key, Gathering { id: self.last, table: weak, rules });
        }
        (table, 0)
    }
}

fn lock(seats: &Seats) -> MutexGuard<'_, Vec<Rule>> {
    seats.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a question off the desk when it is answered, or when nobody waits for it any more.
struct Leave {
    desk: Arc<Desk>,
    key: Key,
    id: u64,
    table: bool,
}

impl Drop for Leave {
    fn drop(&mut self) {
        // What is taken off is dropped after the lock is free again: it may hold a `Leave`.
        let mut open = self.desk.open();
        let taken = if self.table {
            let mine = open.tables.get(&self.key).is_some_and(|found| found.id == self.id);
            (None, mine.then(|| open.tables.remove(&self.key)).flatten())
        } else {
            let mine = open.flights.get(&self.key).is_some_and(|found| found.0 == self.id);
            (mine.then(|| open.flights.remove(&self.key)).flatten(), None)
        };
        drop(open);
        drop(taken);
    }
}

fn core_keeps(rule: &Rule) -> bool {
    rule.core.answers.is_some()
}

fn joined(parts: &[&[u8]]) -> Key {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    *hasher.finalize().as_bytes()
}

fn lost() -> Failure {
    Failure::new(FailureClass::Malformed, "there was nobody to ask")
}

fn nothing() -> Outcome {
    Outcome::failed(lost())
}
