//! Promise: no interleaving of dispatches, swaps and edits leaves a hook disarmed, loses an edit
//! or shows an older table to a reader that has seen newer bits.
//!
//! The publishing code itself is compiled here, with the primitives of a model checker in place of
//! the real ones; the orderings are those that the engine uses.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may fail"
)]
#![allow(dead_code, reason = "the model uses a part of the module")]

use std::ops::Deref;

mod sync {
    pub(crate) use std::sync::PoisonError;

    pub(crate) use loom::sync::atomic::{AtomicU64, Ordering};
    pub(crate) use loom::sync::{Arc, Mutex};

    /// `ArcSwap`, as far as its promises go: a load sees the last store or a later one, and what
    /// the storing thread did before.
    pub(crate) struct Slot<T>(loom::sync::RwLock<Arc<T>>);
    pub(crate) struct Guard<T>(pub(crate) T);

    impl<T> std::ops::Deref for Guard<Arc<T>> {
        type Target = T;
        fn deref(&self) -> &T {
            &self.0
        }
    }

    impl<T> Slot<T> {
        pub(crate) fn from_pointee(value: T) -> Self {
            Self(loom::sync::RwLock::new(Arc::new(value)))
        }
        pub(crate) fn load(&self) -> Guard<Arc<T>> {
            Guard(self.load_full())
        }
        pub(crate) fn load_full(&self) -> Arc<T> {
            self.0.read().unwrap().clone()
        }
        pub(crate) fn swap(&self, next: Arc<T>) -> Arc<T> {
            std::mem::replace(&mut *self.0.write().unwrap(), next)
        }
        pub(crate) fn store(&self, next: Arc<T>) {
            *self.0.write().unwrap() = next;
        }
    }
}

#[path = "../src/log.rs"]
mod log;
#[path = "../src/table/swap.rs"]
mod swap;

use loom::thread;
use swap::{Swap, Versioned, generation};
use sync::{Arc, AtomicU64, Mutex, Ordering, Slot};

#[derive(Clone)]
struct Table {
    generation: u64,
    hooks: u64,
}

impl Versioned for Table {
    fn armed(&self) -> u64 {
        self.hooks
    }
    fn generation(&self) -> u64 {
        self.generation
    }
    fn set_generation(&mut self, generation: u64) {
        self.generation = generation;
    }
}

fn table(hooks: u64) -> Table {
    Table { generation: 0, hooks }
}

const A: u64 = 1;
const B: u64 = 2;

/// What the engine does with an event: nothing if it is unarmed, else a look at the table.
fn dispatch(engine: &Swap<Table>, event: u64) -> Option<(u64, bool)> {
    engine.is_armed(event).then(|| {
        let table = engine.load();
        (table.deref().generation, table.deref().hooks & event != 0)
    })
}

#[test]
fn generations_never_go_back_and_no_hook_is_missed() {
    loom::model(|| {
        let engine = Arc::new(Swap::new(table(A)));
        let reader = {
            let engine = engine.clone();
            thread::spawn(move || {
                // Hook A is in every table: it is never missed.
                let (first, found) = dispatch(&engine, A).expect("A is always armed");
                assert!(found);
                if let Some((second, _)) = dispatch(&engine, B) {
                    assert!(second >= first, "generation {second} after {first}");
                } else {
                    // B was unarmed, so this came before the swap to a table with B: a thread that
                    // has seen that table cannot have got here.
                    assert!(first < 2, "B was in generation {first} and was not invoked");
                }
            })
        };
        engine.swap(table(A | B));
        reader.join().unwrap();
        assert_eq!(dispatch(&engine, B), Some((2, true)));
    });
}

/// A step that is cleared without a look at a table is cleared by a table that has no hook for it:
/// the generation in the word is one of those.
#[test]
fn an_unarmed_word_names_a_table_without_a_hook_for_the_event() {
    loom::model(|| {
        // B is in generations 1 and 3, not in 2.
        let engine = Arc::new(Swap::new(table(A | B)));
        let reader = {
            let engine = engine.clone();
            thread::spawn(move || {
                let word = engine.word();
                let named = generation(word, 3);
                assert!((1..=3).contains(&named));
                if word & B == 0 {
                    assert_eq!(named, 2, "B has a hook in generation {named}");
                }
            })
        };
        engine.swap(table(A));
        engine.swap(table(A | B));
        reader.join().unwrap();
        assert_eq!(generation(engine.word(), 3), 3);
    });
}

#[test]
fn a_generation_is_found_again_in_its_word_after_millions_of_swaps() {
    let top: u64 = 1 << 24;
    for current in [1, 2, top - 1, top, top + 1, 5 * top + 7, (1 << 40) - 1] {
        for ago in [0, 1, 2, 1000, top - 1] {
            let Some(older) = current.checked_sub(ago) else { continue };
            assert_eq!(generation(swap::word(A | B, older), current), older, "{current} - {ago}");
        }
    }
}

#[test]
fn racing_writers_leave_nothing_disarmed() {
    loom::model(|| {
        let engine = Arc::new(Swap::new(table(0)));
        let other = {
            let engine = engine.clone();
            thread::spawn(move || engine.swap(table(A)))
        };
        engine.swap(table(B));
        other.join().unwrap();
        let hooks = engine.load().deref().hooks;
        assert!(engine.is_armed(hooks), "the table has {hooks:b}, nothing is armed");
        assert_eq!(engine.load().deref().generation, 3);
    });
}

#[test]
fn no_edit_is_lost() {
    loom::model(|| {
        let engine = Arc::new(Swap::new(table(0)));
        let edit = |engine: &Swap<Table>, hook: u64| {
            loop {
                let seen = engine.load_full();
                let next = table(seen.hooks | hook);
                if engine.swap_if(seen.generation, next).is_ok() {
                    return;
                }
                thread::yield_now();
            }
        };
        let other = {
            let engine = engine.clone();
            thread::spawn(move || edit(&engine, A))
        };
        edit(&engine, B);
        other.join().unwrap();
        assert_eq!(engine.load().deref().hooks, A | B);
        assert!(engine.is_armed(A) && engine.is_armed(B));
    });
}

/// The control: the same publishing without the mutex, as a prototype once had it.
#[test]
#[should_panic(expected = "nothing is armed")]
fn without_the_mutex_a_hook_stays_disarmed() {
    struct Racy {
        armed: AtomicU64,
        slot: Slot<Table>,
    }
    fn swap(engine: &Racy, next: Table) {
        let bits = next.hooks;
        let old = engine.slot.load().deref().hooks;
        engine.armed.store(old | bits, Ordering::Release);
        engine.slot.store(Arc::new(next));
        engine.armed.store(bits, Ordering::Release);
    }
    loom::model(|| {
        let engine =
            Arc::new(Racy { armed: AtomicU64::new(0), slot: Slot::from_pointee(table(0)) });
        let other = {
            let engine = engine.clone();
            thread::spawn(move || swap(&engine, table(A)))
        };
        swap(&engine, table(B));
        other.join().unwrap();
        let hooks = engine.slot.load().deref().hooks;
        let armed = engine.armed.load(Ordering::Acquire);
        assert!(armed & hooks != 0, "the table has {hooks:b}, nothing is armed");
    });
}

/// The control: the set narrowed before the table is stored.
#[test]
#[should_panic(expected = "after")]
fn narrowing_before_the_store_shows_an_older_table() {
    loom::model(|| {
        let armed = Arc::new(AtomicU64::new(A));
        let slot = Arc::new(Slot::from_pointee(Table { generation: 1, hooks: A }));
        let lock = Arc::new(Mutex::new(()));
        let writer = {
            let (armed, slot, lock) = (armed.clone(), slot.clone(), lock.clone());
            thread::spawn(move || {
                let _held = lock.lock().unwrap();
                armed.store(B, Ordering::Release);
                slot.store(Arc::new(Table { generation: 2, hooks: B }));
            })
        };
        if armed.load(Ordering::Acquire) == B {
            let seen = slot.load().deref().generation;
            assert!(seen == 2, "generation {seen} after the bits of 2");
        }
        writer.join().unwrap();
    });
}
