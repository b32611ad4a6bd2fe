//! Worker mode: one process answers many steps.
//!
//! # Why
//! What a hook costs is the start of its interpreter: about 30 ms for Python, against 20 µs for a
//! request to a process that already runs.
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
//! How the processes are kept is the matter of the [pool](crate::pool).

mod frame;
mod handler;
mod protocol;

pub(crate) use handler::WorkerHandler;
