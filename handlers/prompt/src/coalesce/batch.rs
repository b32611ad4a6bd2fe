//! Batching: items that arrive within a short window go out in one run.
//!
//! The first item of a key opens a batch and later ones join it, until the window has passed or the
//! batch is full. The window begins when the batch is polled for the first time, and it is
//! dropped with the last caller that polls it. A batch that is full or was run takes no more items; the next item opens another.
//!
//! An item cannot be taken back: the run may have begun, and the positions of the others would change.
//! A caller that leaves just does not read its result. Results are shared by position, so a run that
//! returns fewer of them leaves the rest without one instead of mixing them up.
//!
//! There are two locks, that of the map and that of the items of a batch, always taken in this order.
//! Futures are never dropped under either: dropping the last one of a batch takes the lock of the map.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};

use crate::sync::lock;

type Run<R> = Shared<BoxFuture<'static, Arc<Vec<R>>>>;

/// The batches that still take items, by their keys. `T` is an item, `R` its result.
pub(crate) struct Batcher<K, T, R> {
    open: Mutex<HashMap<K, OpenBatch<T, R>>>,
    window: Duration,
    max_items: usize,
}

struct OpenBatch<T, R> {
    run: WeakShared<BoxFuture<'static, Arc<Vec<R>>>>,
    items: Items<T>,
}

/// The items of a batch. They are added only under the lock of the map, while the batch is in it.
type Items<T> = Arc<Mutex<Vec<T>>>;

impl<K, T, R> Batcher<K, T, R>
where
    K: Eq + Hash + Clone + Send + 'static,
    T: Send + 'static,
    R: Clone + Send + Sync + 'static,
{
    /// Makes a batcher whose batches wait for `window` and take at most `max_items`.
    pub(crate) fn new(window: Duration, max_items: usize) -> Self {
        Self { open: Mutex::default(), window, max_items }
    }

    /// Adds an item to the batch of a key and returns its result. The item is in the batch as soon as
    /// this function returns, before the future is polled.
    ///
    /// `run` is used if the item opens a batch. It gets all items, and must return a result for each,
    /// in the same order; the future of an item without a result returns `None`.
    ///
    /// # Cancel safety
    /// A dropped future leaves its item in the batch. The batch is dropped with the last future.
    pub(crate) fn join<F>(
        self: &Arc<Self>,
        key: K,
        item: T,
        run: F,
    ) -> impl Future<Output = Option<R>> + Send + 'static + use<K, T, R, F>
    where
        F: FnOnce(Vec<T>) -> BoxFuture<'static, Vec<R>> + Send + 'static,
    {
        let (batch, index) = self.add(key, item, run);
        async move { batch.await.get(index).cloned() }
    }

    /// Adds an item to the open batch of its key, or opens one. Returns the batch and the index of the
    /// item in it.
    fn add<F>(self: &Arc<Self>, key: K, item: T, run: F) -> (Run<R>, usize)
    where
        F: FnOnce(Vec<T>) -> BoxFuture<'static, Vec<R>> + Send + 'static,
    {
        let mut open = lock(&self.open);
        if let Some(batch) = open.get(&key) {
            let mut items = lock(&batch.items);
            // The length is looked at first: an upgraded batch that is not returned would be dropped
            // here, under a lock that its guard needs.
            if items.len() < self.max_items
                && let Some(run) = batch.run.upgrade()
            {
                items.push(item);
                return (run, items.len() - 1);
            }
        }
        let items: Items<T> = Arc::new(Mutex::new(vec![item]));
        let guard =
            BatchGuard { batcher: Arc::clone(self), key: key.clone(), items: Arc::clone(&items) };
        let window = self.window;
        let future = async move {
            tokio::time::sleep(window).await;
            let items = guard.close();
            Arc::new(run(items).await)
        };
        let future = future.boxed().shared();
        if let Some(weak) = future.downgrade() {
            open.insert(key, OpenBatch { run: weak, items });
        }
        (future, 0)
    }
}

/// Takes a batch off the map when it is run, or when no one waits for it any more.
struct BatchGuard<K: Eq + Hash, T, R> {
    batcher: Arc<Batcher<K, T, R>>,
    key: K,
    items: Items<T>,
}

impl<K: Eq + Hash, T, R> BatchGuard<K, T, R> {
    /// Closes the batch and returns its items.
    fn close(&self) -> Vec<T> {
        let mut open = lock(&self.batcher.open);
        // A batch that was full has been replaced by another.
        let own = open.get(&self.key).is_some_and(|it| Arc::ptr_eq(&it.items, &self.items));
        let removed = if own { open.remove(&self.key) } else { None };
        let items = std::mem::take(&mut *lock(&self.items));
        // What is removed is dropped after the lock is released.
        drop(open);
        drop(removed);
        items
    }
}

impl<K: Eq + Hash, T, R> Drop for BatchGuard<K, T, R> {
    fn drop(&mut self) {
        drop(self.close());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Doubles = Batcher<&'static str, u32, u32>;

    fn batcher() -> Arc<Doubles> {
        Arc::new(Doubles::new(Duration::from_millis(3), 16))
    }

    /// A run that notes the size of its batch and doubles each item.
    fn double(
        sizes: &Arc<Mutex<Vec<usize>>>,
    ) -> impl FnOnce(Vec<u32>) -> BoxFuture<'static, Vec<u32>> + use<> {
        let sizes = Arc::clone(sizes);
        move |items| {
            sizes.lock().unwrap().push(items.len());
            async move { items.into_iter().map(|item| item * 2).collect() }.boxed()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn items_that_arrive_together_go_out_together() {
        let (batcher, sizes) = (batcher(), Arc::default());
        let joined: Vec<_> = (0..20).map(|item| batcher.join("a", item, double(&sizes))).collect();
        // The control: another key is another batch.
        let other = batcher.join("b", 100, double(&sizes));
        let results = futures_util::future::join_all(joined).await;
        let expected: Vec<_> = (0..20).map(|item| Some(item * 2)).collect();
        assert_eq!(results, expected);
        assert_eq!(other.await, Some(200));
        let mut sizes = sizes.lock().unwrap().clone();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 4, 16]);
        assert!(lock(&batcher.open).is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn after_the_window_an_item_opens_another_batch() {
        let (batcher, sizes) = (batcher(), Arc::default());
        for _ in 0..2 {
            assert_eq!(batcher.join("a", 1, double(&sizes)).await, Some(2));
        }
        assert_eq!(*sizes.lock().unwrap(), [1, 1]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_batch_runs_for_whoever_is_left_and_for_no_one_else() {
        let (batcher, sizes) = (batcher(), Arc::default());
        let first = batcher.join("a", 1, double(&sizes));
        let second = batcher.join("a", 2, double(&sizes));
        drop(first);
        assert_eq!(second.await, Some(4));
        drop(batcher.join("a", 1, double(&sizes)));
        assert!(lock(&batcher.open).is_empty());
        assert_eq!(*sizes.lock().unwrap(), [2], "the batch that was left has not run");
    }

    #[tokio::test(start_paused = true)]
    async fn an_item_without_a_result_has_none() {
        let batcher = batcher();
        let joined = batcher.join("a", 1, |_| async { Vec::new() }.boxed());
        assert_eq!(joined.await, None);
    }
}
