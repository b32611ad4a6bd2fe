//! What a hook costs, in milliseconds.
//!
//! The start of an interpreter is nearly all of it. Medians on two quiet cores (`cargo run --release -p
//! hookgate-command --example worker_latency` measures them on yours):
//!
//! | | median |
//! |---|---|
//! | `posix_spawn` of `/bin/true`, no pipes | 0.68 ms |
//! | `/bin/true` as a hook | 0.73 ms |
//! | the same under the [shim](crate::shim) | 2.0 ms |
//! | a Python hook, started for each step | 31 ms |
//! | the same Python hook as a worker | 0.017 ms |
//!
//! So a hook costs 0.05 to 0.09 ms above the bare start of its program: three pipes, the envelope, a
//! `stat` for each pinned file, a process group that is killed and reaped at the end.
//!
//! # What does not cost
//! * Building a handler starts nothing. It looks at files and hashes those of the hook: microseconds for
//!   a script, some milliseconds for a program of 1 MiB.
//! * A host of many gigabytes starts programs as fast as a small one: `posix_spawn`, no fork.
//! * Memory per call is bounded: `limits.output` of stdout, 64 KiB of stderr (8 KiB for a worker), 16 KiB
//!   of buffers for each pipe.
//! * An idle worker costs its own memory, and four file descriptors of the host (three pipes, a pidfd).
//!
//! # What waits
//! | wait | at most |
//! |---|---|
//! | pipes, after the program has exited | 100 ms, if a child holds them |
//! | a process that holds stdout, without a whole verdict | 500 ms more |
//! | the search for a decision beyond `limits.output` | 100 ms, 8 MiB |
//! | the end of a worker whose stdout has ended | 100 ms, and 100 ms for its stderr |
//!
//! All of them are within the deadline of the hook. A deadline itself is met within 50 ms in 99 of 100
//! cases on a machine whose cores are all busy (a test holds it): the future is dropped, and the signals
//! follow elsewhere.
