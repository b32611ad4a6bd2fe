//! Coalescing of requests: what keeps a model from being asked twice.
//!
//! Three generic parts, which know nothing of judges:
//!
//! * [`cache`]: an answer that is known is not requested again.
//! * [`single_flight`]: an answer that is on its way is not requested again. All callers poll the same
//!   future.
//! * [`batch`]: questions that arrive together and differ only in one item go out as one request.
//!
//! # Why not a cache crate that loads
//! `moka` (`try_get_with`) and `quick_cache` (its guards) combine cache and single flight. In both, one
//! caller loads and the others wait for it: if that caller is cancelled, its request is lost and the
//! next caller begins a new one. Here the callers are hooks with deadlines of their own, and a dispatch
//! cancels its remaining hooks when one has denied. So a request belongs to all of its callers: one that
//! is cancelled just stops polling, and the request ends with the last of them. A task per request would
//! give the same, but would go on without callers, and this crate starts no tasks.
//! `quick_cache` stays what it is good at, a bounded map.

pub(crate) mod batch;
pub(crate) mod cache;
pub(crate) mod kept_opinions;
pub(crate) mod single_flight;
