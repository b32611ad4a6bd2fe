//! One program from its start to its end, and the guarantee that nothing of it is left behind.
//!
//! ```text
//! spawn ──► SpawnedProgram { ProcessGroup, stdin, stdout, stderr }
//!               │
//!               ├─ plain mode: completion feeds stdin, captures stdout and stderr, waits for the exit
//!               └─ worker mode: the worker keeps it, and talks to it line by line
//!               │
//!          ProcessGroup::reap ── it has exited: kill the rest of the group, reap, look for strays
//!          drop of ProcessGroup ─ the future is gone: TERM to the group, the reaper thread does the rest
//! ```
//!
//! * `run_id` names a run in the environment of all that the program starts, so that strays are found.
//! * `capture` keeps the beginning of what comes out of a pipe.
//! * `exit_watch` tells that a program has exited: by a pidfd, elsewhere by SIGCHLD.
//! * `job` takes the place of group and reaper on Windows: a job object.
//! * `reaper` is a thread that outlives every runtime: it kills after the grace period, and reaps.

mod capture;
mod completion;
#[cfg(unix)]
mod exit_watch;
#[cfg(windows)]
mod job;
#[cfg(unix)]
mod process_group;
mod program_exit;
#[cfg(unix)]
mod reaper;
mod run_id;
mod spawn;

pub(crate) use capture::find_decision_beyond;
pub(crate) use completion::{Completed, run_to_completion};
#[cfg(windows)]
pub(crate) use job::Job as ProcessGroup;
#[cfg(windows)]
pub use job::{become_subreaper, settle};
#[cfg(unix)]
pub(crate) use process_group::ProcessGroup;
pub(crate) use program_exit::ProgramExit;
#[cfg(unix)]
pub use reaper::{become_subreaper, settle};
pub(crate) use spawn::{SpawnedProgram, Spawner, check_runtime, shim_failure};
