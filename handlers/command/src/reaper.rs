//! The thread that ends programs for whose end nobody waits.
//!
//! It outlives every runtime, so that a dispatch can be dropped anywhere, at once, and still
//! leaves neither a process nor a dead one that nobody buries.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, set_child_subreaper};

use crate::children;
use crate::mark::Mark;

/// How often those who are about to end are looked at.
const TICK: Duration = Duration::from_millis(5);

/// When what a run left behind is looked for, once its group has gone: who was started in the last
/// moment is adopted late.
const SWEEPS: [Duration; 4] = [
    Duration::ZERO,
    Duration::from_millis(20),
    Duration::from_millis(100),
    Duration::from_millis(400),
];

/// A child that nobody has buried for so long is nobody's.
const UNCLAIMED: Duration = Duration::from_secs(1);

static SUBREAPER: AtomicBool = AtomicBool::new(false);
static REAPER: OnceLock<Option<Sender<Work>>> = OnceLock::new();
static OPEN: Mutex<usize> = Mutex::new(0);
static DONE: Condvar = Condvar::new();
/// The leaders that somebody will bury; made when first needed.
static CLAIMED: Mutex<Option<HashSet<Pid>>> = Mutex::new(None);

/// A program that is to end, with its group.
pub(crate) struct Leaving {
    pub(crate) pid: Pid,
    pub(crate) mark: Mark,
    pub(crate) grace: Duration,
    /// Whether the end of the leader is the end of all.
    pub(crate) last: bool,
}

enum Work {
    Leaving(Leaving, Instant),
    Sweep(Mark, Instant),
}

/// Makes this process adopt what programs leave behind outside their group (`setsid`, double
/// fork), so that it can be found by its `HOOKGATE_RUN` and killed.
///
/// This is for programs that start processes through this crate only: of the children that they
/// adopt, those that end by themselves are buried whoever they were.
///
/// # Errors
/// What the system says; Linux before 3.4 cannot do it.
pub fn become_subreaper() -> std::io::Result<()> {
    set_child_subreaper(Some(rustix::process::getpid()))?;
    // ORDERING: read by threads that need to see nothing else.
    SUBREAPER.store(true, Ordering::Relaxed);
    Ok(())
}

/// Waits until all programs that had to end have ended, for at most so long; tells whether they
/// have.
///
/// A program that ends right after a step calls this before: a hook that timed out in the step may
/// be within its grace, and nobody could kill it later.
pub fn settle(most: Duration) -> bool {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let waited = DONE.wait_timeout_while(open, most, |open| *open > 0);
    let (open, _) = waited.unwrap_or_else(PoisonError::into_inner);
    *open == 0
}

/// Asks a program and its group to end, and sees to it that they do. It does not wait.
pub(crate) fn take(leaving: Leaving) {
    // It fails where nobody is left, which is what is wanted.
    let _ = kill_process_group(leaving.pid, Signal::TERM);
    let until = Instant::now() + leaving.grace;
    hand_over(Work::Leaving(leaving, until));
}

/// Looks for what a run left outside its group, where this process adopts such.
pub(crate) fn sweep(mark: Mark) {
    if adopts() {
        hand_over(Work::Sweep(mark, Instant::now()));
    }
}

/// Says that a child has somebody who buries it, or that it was buried.
pub(crate) fn claim(pid: Pid, claimed: bool) {
    let mut all = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner);
    let all = all.get_or_insert_default();
    if claimed {
        all.insert(pid);
    } else {
        all.remove(&pid);
    }
}

fn adopts() -> bool {
    // ORDERING: see `become_subreaper`.
    SUBREAPER.load(Ordering::Relaxed)
}

fn hand_over(work: Work) {
    let reaper = REAPER.get_or_init(|| {
        let (sender, receiver) = channel();
        let thread = thread::Builder::new().name("hookgate-reaper".to_owned());
        thread.spawn(move || run(&receiver)).ok().map(|_| sender)
    });
    count(1);
    let refused = match reaper {
        Some(reaper) => reaper.send(work).map_err(|refused| refused.0).err(),
        None => Some(work),
    };
    if let Some(work) = refused {
        // Without a thread there is no grace.
        if let Work::Leaving(leaving, _) = work {
            kill_group(leaving.pid);
            let _ = children::bury(leaving.pid);
        }
        count(-1);
    }
}

fn count(change: isize) {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    *open = open.saturating_add_signed(change);
    if *open == 0 {
        DONE.notify_all();
    }
}

/// Kills a group. That nobody is left in it is as good.
pub(crate) fn kill_group(leader: Pid) {
    let _ = kill_process_group(leader, Signal::KILL);
}

fn run(receiver: &Receiver<Work>) {
    let mut reaper = Reaper::default();
    loop {
        let wait = match (reaper.is_idle(), adopts()) {
            (false, _) => TICK,
            (true, true) => UNCLAIMED,
            (true, false) => Duration::from_secs(3600),
        };
        let mut next = match receiver.recv_timeout(wait) {
            Ok(work) => Some(work),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        while let Some(work) = next {
            match work {
                Work::Leaving(who, until) => reaper.leaving.push((who, until, false)),
                Work::Sweep(mark, since) => reaper.sweeps.push((mark, since, 0)),
            }
            next = receiver.try_recv().ok();
        }
        reaper.tick(Instant::now());
    }
}

#[derive(Default)]
struct Reaper {
    /// Who is to end, when it is killed, whether it was.
    leaving: Vec<(Leaving, Instant, bool)>,
    /// The runs whose remains are looked for, since when, how often it was done.
    sweeps: Vec<(Mark, Instant, usize)>,
    /// The dead that nobody has claimed, since when.
    unclaimed: HashMap<Pid, Instant>,
}

impl Reaper {
    fn is_idle(&self) -> bool {
        self.leaving.is_empty() && self.sweeps.is_empty()
    }

    fn tick(&mut self, now: Instant) {
        self.leaving.retain_mut(|(who, until, killed)| {
            if !*killed && (now >= *until || (who.last && children::has_ended(who.pid))) {
                // INVARIANT: before the leader is buried; till then no stranger has its number.
                kill_group(who.pid);
                *killed = true;
            }
            if !*killed || matches!(children::bury(who.pid), Ok(None)) {
                return true;
            }
            claim(who.pid, false);
            if adopts() {
                self.sweeps.push((who.mark.clone(), now, 0));
            } else {
                count(-1);
            }
            false
        });
        self.sweeps.retain_mut(|(mark, since, done)| {
            if SWEEPS.get(*done).is_some_and(|after| now >= *since + *after) {
                kill_marked(mark);
                // Who waits for the end need not wait for the later looks.
                if *done == 0 {
                    count(-1);
                }
                *done += 1;
            }
            *done < SWEEPS.len()
        });
        if adopts() {
            self.bury_unclaimed(now);
        }
    }

    fn bury_unclaimed(&mut self, now: Instant) {
        let claimed = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let claimed = claimed.unwrap_or_default();
        let mut dead = children::all();
        dead.retain(|pid| !claimed.contains(pid) && children::has_ended(*pid));
        self.unclaimed.retain(|pid, _| dead.contains(pid));
        for pid in dead {
            let since = *self.unclaimed.entry(pid).or_insert(now);
            if now.duration_since(since) >= UNCLAIMED {
                let _ = children::bury(pid);
                self.unclaimed.remove(&pid);
            }
        }
    }
}

/// Kills the adopted children of a run, their children, and so on.
fn kill_marked(mark: &Mark) {
    // Each round adopts the children of those that the round before killed.
    for _ in 0..64 {
        let mut found = false;
        for pid in children::all() {
            if mark.is_in(&children::environ(pid)) && !children::has_ended(pid) {
                children::kill(pid);
                found = true;
                let _ = children::bury(pid);
            }
        }
        if !found {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
}
