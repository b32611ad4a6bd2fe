//! The primitives that [`super::swap`] is built on. A model checker
//! replaces them by its own (`tests/swap_model.rs`).

pub(super) use std::sync::atomic::{AtomicU64, Ordering};
pub(super) use std::sync::{Arc, Mutex, PoisonError};

pub(super) use arc_swap::{ArcSwap as Slot, Guard};
