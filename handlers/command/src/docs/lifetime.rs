//! Deadlines, the order of signals, and what is cleaned up.
//!
//! # The end of a plain program
//! ```text
//! start ────────────── answer, exit ── the rest of its group: KILL ── reaped
//!
//! start ────── deadline of the hook: the future is dropped
//!                │  at once: TERM to the process group
//!                ├─ grace (200 ms): the program may clean up
//!                └─ KILL to the process group, the program is reaped
//! ```
//!
//! The dispatch does not wait for the grace period: the hook has timed out, its posture counts, and the
//! signals follow on a thread of their own (the reaper). The same happens when a dispatch is cancelled,
//! when an earlier hook denies, and when the runtime is dropped. A program cannot delay its deadline by
//! ignoring TERM, by holding pipes, or by writing without end.
//!
//! ```
//! # mod harness { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doctest/harness.rs")); }
//! # use harness::*;
//! use std::time::{Duration, Instant};
//!
//! use serde_json::json;
//!
//! // This program ignores TERM. Nothing waits for it, so a deadline is a deadline.
//! let built = build_in(std::path::Path::new("/etc"), json!({
//!     "shell": "trap '' TERM; sleep 60",
//!     "grace": "50ms",
//! })).unwrap();
//! let start = Instant::now();
//! assert!(invoke_within(&built, Duration::from_millis(100)).is_none());
//! assert!(start.elapsed() < Duration::from_secs(2));
//!
//! // Before this process exits, it lets the reaper kill the program.
//! assert!(hookgate_command::settle(Duration::from_secs(5)));
//! ```
//!
//! # The end of a worker
//! A worker ends with its handler: when a reload replaces the hook and no dispatch uses the old table any
//! more, its stdin closes, its group gets TERM, and KILL after the grace period. A worker whose call was
//! cancelled has the grace period to answer. If it does, it is kept and the late answer is dropped;
//! otherwise it is killed.
//!
//! # What is cleaned up
//! | left behind by the program | plain host | subreaper | shim |
//! |---|---|---|---|
//! | children in its process group | yes | yes | yes |
//! | a process that left the group (`setsid`, double fork) | no | yes | yes |
//! | the same, with a cleared environment (`setsid env -i`) | no | no | yes |
//! | anything, when the host gets `kill -9` | no | no | yes |
//!
//! * *plain host*: nothing has to be done.
//! * *subreaper*: the host calls [`become_subreaper`](crate::become_subreaper). It adopts orphans, and
//!   finds those of a run by the variable `HOOKGATE_RUN`. It then also reaps adopted children that end by
//!   themselves, so it is for programs that start processes through this crate only.
//! * *shim*: the host registers a [shim](crate::shim). The command line tool does both.
//!
//! # When the host exits
//! A hook that timed out in the last step may be within its grace period, and a thread does not outlive
//! its process. So a host that exits calls [`settle`](crate::settle) last, after the engine was drained
//! and the runtime was shut down; with a shim it is not needed, since the shim sees the host die.
