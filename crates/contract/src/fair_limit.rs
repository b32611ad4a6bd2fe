//! A bound on how much is at work at the same time, at which sessions take turns.
//!
//! Whoever comes when all places are taken waits. Sessions take turns, and in a session the calls that came first: one
//! session with five hundred calls holds up another one with a single call by one call of each session, not by five
//! hundred. Nobody comes between: a place that becomes free is handed to the one whose turn it is.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// A bound on how much is at work at the same time: a number of [places](Place). Clones are the same bound.
///
/// ```
/// use hookgate_contract::FairLimit;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let limit = FairLimit::new(1, 10);
/// let first = limit.take("session-1").await.unwrap();
/// let second = tokio::spawn(limit.take("session-2"));
/// drop(first);
/// assert!(second.await.unwrap().is_ok(), "it waits until there is a place");
/// # });
/// ```
#[derive(Clone)]
pub struct FairLimit(Arc<Mutex<State>>);

struct State {
    most: usize,
    queue: usize,
    taken: usize,
    waiting: usize,
    /// The number of the next call that waits, and of the next turn.
    next: u64,
    lines: HashMap<Arc<str>, Line>,
    /// The sessions with calls that wait, by the number of their turn.
    turns: BTreeMap<u64, Arc<str>>,
    /// The calls that were given a place and have not looked yet.
    given: HashSet<u64>,
}

/// The calls of one session that wait, by their number.
struct Line {
    turn: u64,
    calls: BTreeMap<u64, Waker>,
}

/// So many calls wait already that no more are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0} calls wait already")]
pub struct QueueFull(pub usize);

/// The right to be one of those that are at work. It is given back when it is dropped.
#[must_use = "it is given back when it is dropped"]
#[derive(Debug)]
pub struct Place(Option<FairLimit>);

impl FairLimit {
    /// Makes a bound of so many places, for which so many calls may wait. There is at least one place.
    #[must_use]
    pub fn new(most: usize, queue: usize) -> Self {
        Self(Arc::new(Mutex::new(State {
            most: most.max(1),
            queue,
            taken: 0,
            waiting: 0,
            next: 0,
            lines: HashMap::new(),
            turns: BTreeMap::new(),
            given: HashSet::new(),
        })))
    }

    /// Takes a place for a session, and waits for one if it must.
    pub fn take(&self, session: &str) -> Taking {
        Taking { limit: self.clone(), session: session.into(), number: None }
    }

    /// Sets how many places there are. Places that are taken stay so: if there are fewer now, none is given until
    /// enough were given back.
    pub fn set_most(&self, most: usize) {
        let mut state = self.state();
        state.most = most.max(1);
        wake_all(state);
    }

    /// Returns how many places there are.
    #[must_use]
    pub fn most(&self) -> usize {
        self.state().most
    }

    /// Returns how many places are taken.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.state().taken
    }

    /// Returns how many calls wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.state().waiting
    }

    fn give_back(&self) {
        let mut state = self.state();
        state.taken = state.taken.saturating_sub(1);
        wake_all(state);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives free places to those whose turn it is, and wakes them once the lock is free.
fn wake_all(mut state: MutexGuard<'_, State>) {
    let given: Vec<Waker> = std::iter::from_fn(|| state.give_one()).collect();
    drop(state);
    given.into_iter().for_each(Waker::wake);
}

impl State {
    /// Gives a free place to the call whose turn it is. Returns whom to wake; `None` if no place is free, or nobody
    /// waits.
    fn give_one(&mut self) -> Option<Waker> {
        if self.taken >= self.most {
            return None;
        }
        let (_, session) = self.turns.pop_first()?;
        let line = self.lines.get_mut(&session)?;
        let (number, waker) = line.calls.pop_first()?;
        if line.calls.is_empty() {
            self.lines.remove(&session);
        } else {
            // The other sessions come first now.
            line.turn = self.next;
            self.next += 1;
            self.turns.insert(line.turn, session);
        }
        self.taken += 1;
        self.waiting -= 1;
        self.given.insert(number);
        Some(waker)
    }

    /// Has a call wait, and returns its number.
    fn wait(&mut self, session: &Arc<str>, waker: Waker) -> u64 {
        let number = self.next;
        self.next += 2;
        let line = self.lines.entry(Arc::clone(session)).or_insert_with(|| {
            self.turns.insert(number + 1, Arc::clone(session));
            Line { turn: number + 1, calls: BTreeMap::new() }
        });
        line.calls.insert(number, waker);
        self.waiting += 1;
        number
    }

    /// Forgets a call that does not wait any more.
    fn leave(&mut self, session: &str, number: u64) {
        let Some(line) = self.lines.get_mut(session) else { return };
        if line.calls.remove(&number).is_some() {
            self.waiting -= 1;
        }
        if line.calls.is_empty() {
            self.turns.remove(&line.turn);
            self.lines.remove(session);
        }
    }
}

impl Place {
    /// Returns a place where nothing is bounded.
    pub(crate) const fn unbounded() -> Self {
        Self(None)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(limit) = self.0.take() {
            limit.give_back();
        }
    }
}

/// The future of a [`Place`].
///
/// # Cancel safety
/// If it is dropped it has left the queue.
#[must_use = "nothing is taken until it is awaited"]
#[derive(Debug)]
pub struct Taking {
    limit: FairLimit,
    session: Arc<str>,
    /// The number of the call, once it waits.
    number: Option<u64>,
}

impl Future for Taking {
    type Output = Result<Place, QueueFull>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let mut state = this.limit.state();
        let Some(number) = this.number else {
            if state.taken < state.most && state.waiting == 0 {
                state.taken += 1;
                return Poll::Ready(Ok(Place(Some(this.limit.clone()))));
            }
            if state.waiting >= state.queue {
                return Poll::Ready(Err(QueueFull(state.queue)));
            }
            this.number = Some(state.wait(&this.session, cx.waker().clone()));
            return Poll::Pending;
        };
        if state.given.remove(&number) {
            drop(state);
            this.number = None;
            return Poll::Ready(Ok(Place(Some(this.limit.clone()))));
        }
        let calls = state.lines.get_mut(&this.session).map(|line| &mut line.calls);
        if let Some(waker) = calls.and_then(|calls| calls.get_mut(&number)) {
            waker.clone_from(cx.waker());
        }
        Poll::Pending
    }
}

impl Drop for Taking {
    fn drop(&mut self) {
        let Some(number) = self.number.take() else { return };
        let mut state = self.limit.state();
        if state.given.remove(&number) {
            drop(state);
            self.limit.give_back();
        } else {
            state.leave(&self.session, number);
        }
    }
}

impl fmt::Debug for FairLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("FairLimit")
            .field("most", &state.most)
            .field("taken", &state.taken)
            .field("waiting", &state.waiting)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Wake;

    use super::*;

    struct Counted(AtomicUsize);

    impl Wake for Counted {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn poll(taking: &mut Taking) -> Option<Result<Place, QueueFull>> {
        match pin!(taking).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(taken) => Some(taken),
            Poll::Pending => None,
        }
    }

    fn taken(limit: &FairLimit, session: &str) -> Place {
        poll(&mut limit.take(session)).unwrap().unwrap()
    }

    fn waits(limit: &FairLimit, session: &str) -> Taking {
        let mut taking = limit.take(session);
        assert!(poll(&mut taking).is_none());
        taking
    }

    /// Gives a place back again and again, and returns the order in which those who wait get it.
    fn order(
        limit: &FairLimit,
        first: Place,
        mut all: Vec<(&'static str, Taking)>,
    ) -> Vec<&'static str> {
        let mut served = Vec::new();
        drop(first);
        while !all.is_empty() {
            let ready = |(_, taking): &mut (&str, Taking)| poll(taking);
            let (index, place) =
                all.iter_mut().enumerate().find_map(|(i, one)| Some((i, ready(one)?))).unwrap();
            served.push(all.remove(index).0);
            assert_eq!(limit.taken(), 1);
            drop(place);
        }
        served
    }

    #[test]
    fn sessions_take_turns_and_their_calls_keep_their_order() {
        let limit = FairLimit::new(1, 100);
        let first = taken(&limit, "a");
        let names = ["a", "a", "a", "a", "b", "c", "b"];
        let all = names.into_iter().map(|session| (session, waits(&limit, session))).collect();
        assert_eq!(order(&limit, first, all), ["a", "b", "c", "a", "b", "a", "a"]);
        assert_eq!((limit.taken(), limit.waiting()), (0, 0));
        let state = limit.state();
        assert!(state.lines.is_empty() && state.turns.is_empty() && state.given.is_empty());
    }

    #[test]
    fn nobody_comes_between() {
        let limit = FairLimit::new(1, 100);
        let first = taken(&limit, "a");
        let mut second = waits(&limit, "b");
        drop(first);
        // It has not looked yet, and its place is its own.
        let mut third = waits(&limit, "c");
        let place = poll(&mut second).unwrap().unwrap();
        assert!(poll(&mut third).is_none());
        drop(place);
        assert!(poll(&mut third).unwrap().is_ok());
    }

    #[test]
    fn who_gives_up_leaves_the_queue_and_hands_on_what_it_was_given() {
        let limit = FairLimit::new(1, 2);
        let first = taken(&limit, "a");
        let (second, mut third) = (waits(&limit, "b"), waits(&limit, "c"));
        assert_eq!(
            poll(&mut limit.take("d")),
            Some(Err(QueueFull(2))).map(|full| full.map(|()| Place(None)))
        );
        drop(first);
        assert_eq!((limit.taken(), limit.waiting()), (1, 1));
        drop(second);
        assert!(poll(&mut third).unwrap().is_ok());
        let first = taken(&limit, "a");
        drop(waits(&limit, "b"));
        assert_eq!(limit.waiting(), 0);
        drop(first);
        assert_eq!(limit.taken(), 0);
    }

    #[test]
    fn more_places_wake_those_who_wait_and_fewer_take_none_away() {
        let limit = FairLimit::new(1, 100);
        let first = taken(&limit, "a");
        let woken = Arc::new(Counted(AtomicUsize::new(0)));
        let waker = Waker::from(Arc::clone(&woken));
        let mut second = limit.take("b");
        assert!(pin!(&mut second).poll(&mut Context::from_waker(&waker)).is_pending());
        limit.set_most(2);
        assert_eq!(woken.0.load(Ordering::Relaxed), 1);
        let second = poll(&mut second).unwrap().unwrap();
        limit.set_most(0);
        assert_eq!((limit.most(), limit.taken()), (1, 2), "there is always one");
        let mut third = waits(&limit, "c");
        drop(first);
        assert!(poll(&mut third).is_none(), "one is at work still");
        drop(second);
        assert!(poll(&mut third).is_some());
    }

    impl PartialEq for Place {
        fn eq(&self, other: &Self) -> bool {
            self.0.is_some() == other.0.is_some()
        }
    }
}
