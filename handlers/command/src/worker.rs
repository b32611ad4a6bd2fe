//! Programs that stay: one process answers many steps.
//!
//! A worker answers one call at a time, so that one which hangs spoils one call; further calls wait
//! for a free worker, and too many of them fail.

mod backoff;
mod frame;
mod pool;
mod seat;
mod talk;
mod terms;

pub(crate) use pool::Pool;
pub(crate) use terms::Terms;
