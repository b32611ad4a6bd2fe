//! Single flight: a value that is on its way is not requested a second time.
//!
//! The first caller of a key starts a future; later callers share it. Each of them polls it, and it is
//! dropped with the last one, so nothing goes on that is not waited for. The map holds weak references
//! only: it never keeps a future alive.
//!
//! ```text
//! join a ── no entry, not known ── start ───────┬── value, cached, entry removed
//! join a ── entry ─────────────── share it ─────┤
//! join b ── no entry, not known ── start ── … ──│─ dropped with its last waiter, entry removed
//! join a ── no entry, known ───── the value ────┘
//! ```
//!
//! There is no failed state: whether a value is worth keeping is decided by the future that makes it
//! known.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};

use crate::sync::lock;

/// A future that several callers poll.
pub(crate) type Flight<V> = Shared<BoxFuture<'static, V>>;

/// What a caller gets.
pub(crate) struct Joined<V: Clone, C> {
    pub(crate) future: Flight<V>,
    /// What was made together with the future, the same for all callers.
    pub(crate) companion: C,
    /// Whether this caller started the future.
    pub(crate) started: bool,
}

/// The values that are on their way, by their keys. `V` is the value; `C` is a companion that is made
/// with the future and handed to all of its callers.
pub(crate) struct SingleFlight<K, V: Clone, C> {
    in_flight: Mutex<HashMap<K, InFlight<V, C>>>,
}

struct InFlight<V: Clone, C> {
    future: WeakShared<BoxFuture<'static, V>>,
    companion: C,
    token: Arc<()>,
}

impl<K, V, C> SingleFlight<K, V, C>
where
    K: Eq + Hash + Clone + Send + 'static,
    V: Clone + Send + Sync + 'static,
    C: Clone + Default + Send + 'static,
{
    /// Joins the future of a key that is on its way. Without one, returns the value if it is `known`
    /// by now, and otherwise starts the future.
    ///
    /// The lock is held over all three, so no second future can start in between. A future that ends
    /// makes its value known before its entry is removed: a caller that finds no entry finds the value.
    /// Neither closure may call back into this map.
    pub(crate) fn join(
        self: &Arc<Self>,
        key: K,
        known: impl FnOnce() -> Option<V>,
        start: impl FnOnce() -> (BoxFuture<'static, V>, C),
    ) -> Joined<V, C> {
        let mut in_flight = lock(&self.in_flight);
        let found = in_flight.get(&key);
        if let Some((future, companion)) =
            found.and_then(|found| Some((found.future.upgrade()?, found.companion.clone())))
        {
            return Joined { future, companion, started: false };
        }
        if let Some(value) = known() {
            let future = std::future::ready(value).boxed().shared();
            return Joined { future, companion: C::default(), started: false };
        }
        let (future, companion) = start();
        let token = Arc::new(());
        let entry = EntryGuard { map: Arc::clone(self), key: key.clone(), token };
        let token = Arc::clone(&entry.token);
        let future = async move {
            let _entry = entry;
            future.await
        };
        let future = future.boxed().shared();
        if let Some(weak) = future.downgrade() {
            let companion = companion.clone();
            in_flight.insert(key, InFlight { future: weak, companion, token });
        }
        Joined { future, companion, started: true }
    }
}

impl<K, V: Clone, C> Default for SingleFlight<K, V, C> {
    fn default() -> Self {
        Self { in_flight: Mutex::default() }
    }
}

/// Removes the entry of a future that has ended or was dropped, unless a later one has replaced it.
struct EntryGuard<K: Eq + Hash, V: Clone, C> {
    map: Arc<SingleFlight<K, V, C>>,
    key: K,
    token: Arc<()>,
}

impl<K: Eq + Hash, V: Clone, C> Drop for EntryGuard<K, V, C> {
    fn drop(&mut self) {
        let mut in_flight = lock(&self.map.in_flight);
        let own = in_flight.get(&self.key).is_some_and(|it| Arc::ptr_eq(&it.token, &self.token));
        let removed = if own { in_flight.remove(&self.key) } else { None };
        // The companion is dropped after the lock is released.
        drop(in_flight);
        drop(removed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::oneshot;

    use super::*;

    type Flights = SingleFlight<&'static str, u32, ()>;

    /// A future of one call, counted when it is polled for the first time.
    fn call(
        calls: &Arc<AtomicUsize>,
        answer: oneshot::Receiver<u32>,
    ) -> (BoxFuture<'static, u32>, ()) {
        let calls = Arc::clone(calls);
        let future = async move {
            calls.fetch_add(1, Ordering::SeqCst);
            answer.await.unwrap_or(0)
        };
        (future.boxed(), ())
    }

    #[tokio::test]
    async fn the_same_key_is_requested_once() {
        let (flights, calls) = (Arc::new(Flights::default()), Arc::<AtomicUsize>::default());
        let (send, answer) = oneshot::channel();
        let first = flights.join("a", || None, || call(&calls, answer));
        let second = flights.join("a", || None, || panic!("it is on its way"));
        assert!(first.started && !second.started);
        // The control: another key is another request.
        let (other_send, other) = oneshot::channel();
        assert!(flights.join("b", || None, || call(&calls, other)).started);
        drop(other_send);
        send.send(7).unwrap();
        assert_eq!(tokio::join!(first.future, second.future), (7, 7));
        assert_eq!(calls.load(Ordering::SeqCst), 1);
        assert!(lock(&flights.in_flight).is_empty());
    }

    #[tokio::test]
    async fn a_request_goes_on_until_the_last_waiter_leaves() {
        let (flights, calls) = (Arc::new(Flights::default()), Arc::<AtomicUsize>::default());
        let (send, answer) = oneshot::channel();
        let first = flights.join("a", || None, || call(&calls, answer));
        let mut second = flights.join("a", || None, || panic!("it is on its way")).future;
        assert!(futures_util::poll!(&mut second).is_pending());
        drop(first);
        send.send(7).unwrap();
        assert_eq!((second.await, calls.load(Ordering::SeqCst)), (7, 1));
        // When the last one leaves, the request is dropped, and the next caller starts a new one.
        let (send, answer) = oneshot::channel::<u32>();
        drop(flights.join("a", || None, || call(&calls, answer)));
        assert!(send.is_closed() && lock(&flights.in_flight).is_empty());
        let (_send, answer) = oneshot::channel();
        assert!(flights.join("a", || None, || call(&calls, answer)).started);
    }

    #[tokio::test]
    async fn what_became_known_meanwhile_is_not_requested() {
        let (flights, calls) = (Arc::new(Flights::default()), Arc::<AtomicUsize>::default());
        let joined = flights.join("a", || Some(3), || panic!("it is known"));
        assert_eq!((joined.future.await, joined.started), (3, false));
        assert_eq!(calls.load(Ordering::SeqCst), 0);
        // An ended request is not joined: what is not known by then is requested anew.
        for _ in 0..2 {
            let (send, answer) = oneshot::channel();
            let joined = flights.join("a", || None, || call(&calls, answer));
            send.send(1).unwrap();
            assert!(joined.started);
            assert_eq!(joined.future.await, 1);
        }
        assert_eq!(calls.load(Ordering::SeqCst), 2);
    }
}
