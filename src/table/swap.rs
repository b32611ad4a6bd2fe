//! Publication of tables: the only code that changes which table is in force.
//!
//! A reader looks at the armed set first and loads the table only if its bit is set. So the set
//! must never be too narrow for the table that a reader may see. A writer widens the set to the
//! union of both tables, stores the new table, and then narrows the set to it:
//!
//! * a reader that sees the narrow set has acquired what the last store released, so it loads this
//!   table or a later one: no reader sees new bits and an older table;
//! * a reader that sees the union loads either table; for a bit that only the other table has, it
//!   finds an empty bucket;
//! * a reader that still sees the old set comes before the swap.
//!
//! Writers hold one mutex from reading the current table to narrowing the set. Without it, of two
//! overlapping writers the first could narrow the set to its own bits after the second has stored
//! its table, and a hook would stay disarmed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::sync::{Arc, AtomicU64, Guard, Mutex, Ordering, PoisonError, Slot};
use crate::log;

/// What can be published.
pub(crate) trait Versioned {
    /// The events that have hooks.
    fn armed(&self) -> u64;
    /// The generation that was given when it was published.
    fn generation(&self) -> u64;
    /// Gives the generation.
    fn set_generation(&mut self, generation: u64);
    /// Takes over what outlives a swap, before it is published in place of another value.
    fn succeed(&mut self, _before: Option<&Self>) {}
}

/// How many events the armed set has room for. The bits above hold the generation, so that one load
/// tells that an event has no hook, and in which table.
pub(crate) const EVENTS: u32 = 40;

/// The bits of a word below its generation.
pub(crate) const BELOW_GENERATION: u64 = (1 << EVENTS) - 1;

/// The bit of a word that is of no event: in the word of a clearance it says that the bits below hold the mark
/// of a session.
pub(crate) const HAS_SESSION: u64 = 1 << (EVENTS - 1);

/// A word of the armed set.
pub(crate) const fn word(armed: u64, generation: u64) -> u64 {
    armed | (generation << EVENTS)
}

/// Returns the generation that a word holds, of those up to the current one. A word has room for 24
/// bits: one that is 16 million swaps old would be taken for a later one.
pub(crate) const fn generation(word: u64, current: u64) -> u64 {
    let ago = (current << EVENTS).wrapping_sub((word >> EVENTS) << EVENTS) >> EVENTS;
    current.saturating_sub(ago)
}

/// Drops an old value: by the writer and after the lock, unless readers hold it. The new one is in force already, so a
/// panic of what it holds (the `Drop` of a handler) is logged and goes no further.
fn give_up<T>(old: Arc<T>) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(old))) {
        // Its own destructor might panic, too.
        std::mem::forget(panic);
        log::handler_panicked_at_drop();
    }
}

/// A value that is not in force any more, to be given up without a lock.
pub(crate) struct Superseded<T>(Option<Arc<T>>);

impl<T> Drop for Superseded<T> {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(give_up);
    }
}

/// A value that is swapped while it is read, and the armed set beside it.
pub(crate) struct Swap<T> {
    armed: AtomicU64,
    slot: Slot<T>,
    writer: Mutex<()>,
    /// Counts what is stored: copies of one generation, too.
    edition: AtomicU64,
}

impl<T: Versioned> Swap<T> {
    /// Publishes the first value, as generation 1.
    pub(crate) fn new(mut first: T) -> Self {
        first.succeed(None);
        Self::at(first, 1)
    }

    /// Publishes the first value, under a generation.
    pub(crate) fn at(mut first: T, generation: u64) -> Self {
        first.set_generation(generation);
        Self {
            armed: AtomicU64::new(word(first.armed(), generation)),
            slot: Slot::from_pointee(first),
            writer: Mutex::new(()),
            edition: AtomicU64::new(1),
        }
    }

    /// Returns a number that is another one when another value was stored. A reader that sees it loads that value or a
    /// later one.
    #[inline]
    pub(crate) fn edition(&self) -> u64 {
        // ORDERING: acquire pairs with the release in `store`.
        self.edition.load(Ordering::Acquire)
    }

    /// Publishes a value as it is, under a generation that is not below the current one.
    pub(crate) fn publish_at(&self, next: T, generation: u64) -> Superseded<T> {
        let _lock = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        Superseded(Some(self.store(next, generation)))
    }

    /// The events that have hooks, and the generation: see [`word`]. An event without a bit has no
    /// hook in the table of that generation.
    #[inline]
    pub(crate) fn word(&self) -> u64 {
        // ORDERING: acquire pairs with the release of the narrow set in `publish`: a reader that sees
        // the bits of a table loads this table or a later one.
        self.armed.load(Ordering::Acquire)
    }

    /// Whether any of these events has a hook.
    #[inline]
    pub(crate) fn is_armed(&self, events: u64) -> bool {
        self.word() & events != 0
    }

    /// The current value, for a short look. The guard must not be kept while waiting.
    #[inline]
    pub(crate) fn load(&self) -> Guard<Arc<T>> {
        self.slot.load()
    }

    /// The current value, to keep.
    pub(crate) fn load_full(&self) -> Arc<T> {
        self.slot.load_full()
    }

    /// Publishes a value and returns its generation.
    pub(crate) fn swap(&self, next: T) -> u64 {
        let lock = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = self.slot.load().generation() + 1;
        let old = self.publish(next, generation);
        drop(lock);
        give_up(old);
        generation
    }

    /// Publishes a value if the current one is still that of a generation; else gives it back.
    pub(crate) fn swap_if(&self, expected: u64, next: T) -> Result<u64, T> {
        let lock = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if self.slot.load().generation() != expected {
            return Err(next);
        }
        let generation = expected + 1;
        let old = self.publish(next, generation);
        drop(lock);
        give_up(old);
        Ok(generation)
    }

    /// Publishes a copy of the current value, under its generation: one that decides alike, and differs in what is done
    /// beside that. Returns the generation, or `None` if `change` makes no copy.
    pub(crate) fn mark(&self, change: impl FnOnce(&T) -> Option<T>) -> Option<u64> {
        let lock = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.slot.load_full();
        let generation = current.generation();
        let old = self.store(change(&current)?, generation);
        drop((lock, current));
        give_up(old);
        Some(generation)
    }

    /// Must be called with the lock held.
    fn publish(&self, mut next: T, generation: u64) -> Arc<T> {
        next.succeed(Some(&*self.slot.load()));
        self.store(next, generation)
    }

    /// Must be called with the lock held.
    fn store(&self, mut next: T, generation: u64) -> Arc<T> {
        let (before, was) = {
            let current = self.slot.load();
            (current.armed(), current.generation())
        };
        next.set_generation(generation);
        let bits = next.armed();
        // ORDERING: release, so that a reader that sees the union also sees all that this writer saw.
        // What is not in the union is in neither table, so the older generation can be beside it.
        self.armed.store(word(before | bits, was), Ordering::Release);
        let old = self.slot.swap(Arc::new(next));
        // ORDERING: release pairs with the acquire in `word`.
        self.armed.store(word(bits, generation), Ordering::Release);
        // ORDERING: release, so that whoever sees the number loads this value or a later one.
        self.edition.fetch_add(1, Ordering::Release);
        old
    }
}
