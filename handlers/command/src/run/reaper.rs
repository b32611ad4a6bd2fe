//! The reaper: a thread that ends programs for whose end no future waits any longer.
//!
//! # Why a thread
//! A dispatch may be dropped anywhere, at once: at a deadline, by a cancellation, with its whole
//! runtime. A task of that runtime would be dropped with it, and an async drop does not exist. So the
//! grace period after TERM, the KILL and the reaping happen on a thread of this crate, which outlives
//! every runtime. It starts when the first program has to be ended, and sleeps while there is nothing
//! to do.
//!
//! # Why there are process-wide statics here
//! The engine has no global state, with this exception. Children, adopted processes and pids belong to
//! the *process*, not to an engine or a runtime: there is one list of children, one subreaper flag, and
//! a pid that is reaped twice may be that of a stranger. Two reapers that do not know of each other
//! would reap each other's children. And a program must be ended after its engine is gone. So these are
//! process-wide: the channel to the thread, the count of programs that are about to end ([`settle`]
//! waits for it), the pids that are owned, and whether this process adopts orphans.
//!
//! # What it does
//! | for | it does |
//! |---|---|
//! | a program that was left | TERM at once, KILL to the group after its grace, reap |
//! | a run whose group has ended | kills strays that carry the `HOOKGATE_RUN` of the run |
//! | an adopted child that has exited | reaps it a second later, unless other code owns it |

mod owned;
mod thread;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::run_id::RunId;
use crate::wait;
pub(super) use owned::{release_ownership, take_ownership};

static IS_SUBREAPER: AtomicBool = AtomicBool::new(false);
static REAPER: OnceLock<Option<Sender<Work>>> = OnceLock::new();
/// How much work is not done.
static PENDING: Mutex<usize> = Mutex::new(0);
static ALL_DONE: Condvar = Condvar::new();

/// A program that has to end, with its group.
pub(super) struct Termination {
    pub(super) leader: Pid,
    pub(super) run: RunId,
    pub(super) grace: Duration,
    /// True for a shim: when it exits, no descendant is left to clean up.
    pub(super) is_shim: bool,
}

/// What the thread is given.
enum Work {
    /// End a program; the group is killed at this time.
    Terminate(Termination, Instant),
    /// Look for the strays of a run whose group ended at this time.
    Strays(RunId, Instant),
}

/// No process adopts those of others here.
///
/// # Errors
/// The error of the system; Linux before 3.4 cannot do it, nor can any other Unix.
#[cfg(not(target_os = "linux"))]
pub fn become_subreaper() -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Makes this process adopt what programs leave behind outside their group (`setsid`, double fork),
/// so that it can be found by its `HOOKGATE_RUN` and killed.
///
/// Call it once, early in `main`. It is for programs that start processes through this crate only: of
/// the children that they adopt, those that end by themselves are reaped a second later, whatever
/// started them.
///
/// ```
/// hookgate_command::become_subreaper()?;
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// The error of the system; Linux before 3.4 cannot do it, nor can any other Unix.
#[cfg(target_os = "linux")]
pub fn become_subreaper() -> std::io::Result<()> {
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    // ORDERING: read by threads that need to see nothing else.
    IS_SUBREAPER.store(true, Ordering::Relaxed);
    Ok(())
}

/// Waits until all programs that have to end have ended; returns whether they have within `timeout`.
///
/// A host that ends right after a step calls this first: a hook that timed out in the step may be
/// within its grace period, and no thread is left to kill it later. It blocks the calling thread; in
/// an async function call it by `spawn_blocking`. Without such programs it returns at once.
///
/// ```
/// use std::time::Duration;
///
/// // Nothing was started, so nothing has to end.
/// assert!(hookgate_command::settle(Duration::from_secs(1)));
/// ```
pub fn settle(timeout: Duration) -> bool {
    let pending = PENDING.lock().unwrap_or_else(PoisonError::into_inner);
    let waited = ALL_DONE.wait_timeout_while(pending, timeout, |pending| *pending > 0);
    let (pending, _) = waited.unwrap_or_else(PoisonError::into_inner);
    *pending == 0
}

/// Sends TERM to a group and leaves the rest to the thread. It does not wait.
pub(super) fn terminate(termination: Termination) {
    // It fails if no process is left in the group, which is the goal.
    let _ = kill_process_group(termination.leader, Signal::TERM);
    let deadline = Instant::now() + termination.grace;
    hand_over(Work::Terminate(termination, deadline));
}

/// Lets the thread look for what a run left outside its group, if this process adopts orphans.
pub(super) fn kill_strays(run: RunId) {
    if is_subreaper() {
        hand_over(Work::Strays(run, Instant::now()));
    }
}

/// Sends KILL to a group. An empty group is no error.
pub(super) fn kill_group(leader: Pid) {
    let _ = kill_process_group(leader, Signal::KILL);
}

fn is_subreaper() -> bool {
    // ORDERING: see `become_subreaper`.
    IS_SUBREAPER.load(Ordering::Relaxed)
}

fn hand_over(work: Work) {
    let reaper = REAPER.get_or_init(|| {
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new().name("hookgate-reaper".to_owned());
        thread.spawn(move || thread::run(&receiver)).ok().map(|_| sender)
    });
    add_pending(1);
    let refused = match reaper {
        Some(reaper) => reaper.send(work).map_err(|refused| refused.0).err(),
        None => Some(work),
    };
    if let Some(work) = refused {
        // Without a thread there is no grace period.
        if let Work::Terminate(termination, _) = work {
            kill_group(termination.leader);
            let _ = wait::reap(termination.leader);
        }
        add_pending(-1);
    }
}

fn add_pending(change: isize) {
    let mut pending = PENDING.lock().unwrap_or_else(PoisonError::into_inner);
    *pending = pending.saturating_add_signed(change);
    if *pending == 0 {
        ALL_DONE.notify_all();
    }
}
