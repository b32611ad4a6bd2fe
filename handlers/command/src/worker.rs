//! Worker mode: one process answers many steps.
//!
//! # Why
//! What a hook costs is the start of its interpreter: about 30 ms for Python, against 20 µs for a
//! request to a process that already runs.
//!
//! # How it fits together
//! ```text
//! WorkerPool ── waits for a permit ──► Lease ── takes an idle worker, or starts one
//!     │                                  │
//!     └─ PoolState: idle workers,        └─ WorkerProcess: sends a call, reads one answer
//!        permits, crash backoff                 └─ Connection: the pipes, line by line
//! ```
//!
//! A worker answers one call at a time, so one that hangs spoils one call. Further calls wait for a
//! free worker, and more than `queue` of them fail as `overloaded`.
//!
//! # When a call goes wrong
//! | what happens | the call | the worker |
//! |---|---|---|
//! | it answers | its verdict | goes back to the idle ones |
//! | its hook fails (`{"id":7,"error":"…"}`) | a failure of class `exit` | goes back |
//! | it exits or closes stdout | `exit` or `signal`; again, once, if `idempotent` | replaced |
//! | it writes anything else | `malformed` | killed, replaced |
//! | it writes too long a line | `oversize` | killed, replaced |
//! | the call is cancelled (deadline) | | has `grace` to answer, else killed |
//! | it is not ready within `startup` | `spawn` | killed |
//!
//! Workers that die in a row are started ever later: at once, then after 100 ms, 200 ms, … 12.8 s.

mod backoff;
mod connection;
mod error;
mod frame;
mod lease;
mod pool;
mod process;
mod settings;
mod state;

pub(crate) use pool::WorkerPool;
pub(crate) use settings::WorkerSettings;
