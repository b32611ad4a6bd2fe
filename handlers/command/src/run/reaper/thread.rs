//! What the reaper thread does, tick by tick.
//!
//! It has no timers of its own: while something is about to end it wakes every 5 ms and looks at all of
//! it, which is a handful of programs at most. Otherwise it blocks on its channel, for an hour at a
//! time; a process that adopts orphans wakes every second to reap those that have exited.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Pid;

use super::owned::{owned_pids, release_ownership};
use super::{RunId, Termination, Work, add_pending, is_subreaper, kill_group};
use crate::wait;

/// How often programs that are about to end are looked at.
const TICK: Duration = Duration::from_millis(5);

/// How long the thread sleeps while there is nothing to do; new work wakes it.
const IDLE: Duration = Duration::from_secs(3600);

/// Delays, after a process group has ended, at which its stray descendants are searched for. A
/// descendant that was forked last is adopted late.
const STRAY_SEARCHES: [Duration; 4] = [
    Duration::ZERO,
    Duration::from_millis(20),
    Duration::from_millis(100),
    Duration::from_millis(400),
];

/// How long an exited child may stay unreaped before it is treated as adopted and reaped here.
const ADOPTED_AFTER: Duration = Duration::from_secs(1);

/// How many generations of strays are killed in one search. Each is adopted when its parent dies.
const MOST_GENERATIONS: usize = 64;

/// Works until the channel is closed, which is never: its sender is a static.
pub(super) fn run(receiver: &Receiver<Work>) {
    let mut reaper = Reaper::default();
    loop {
        let timeout = match (reaper.is_idle(), is_subreaper()) {
            (false, _) => TICK,
            (true, true) => ADOPTED_AFTER,
            (true, false) => IDLE,
        };
        let mut next = match receiver.recv_timeout(timeout) {
            Ok(work) => Some(work),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        while let Some(work) = next {
            reaper.add(work);
            next = receiver.try_recv().ok();
        }
        reaper.tick(Instant::now());
    }
}

/// A program that is about to end.
struct Ending {
    program: Termination,
    /// When it is killed.
    deadline: Instant,
    is_killed: bool,
}

/// A run whose strays are searched for.
struct StraySearch {
    run: RunId,
    /// When its group ended.
    since: Instant,
    /// How many of the searches are done.
    done: usize,
}

#[derive(Default)]
struct Reaper {
    ending: Vec<Ending>,
    searches: Vec<StraySearch>,
    /// Children that have exited and are not owned, each with the time when it was first seen.
    unowned: HashMap<Pid, Instant>,
}

impl Reaper {
    /// Returns whether nothing is about to end.
    fn is_idle(&self) -> bool {
        self.ending.is_empty() && self.searches.is_empty()
    }

    /// Takes new work.
    fn add(&mut self, work: Work) {
        match work {
            Work::Terminate(program, deadline) => {
                self.ending.push(Ending { program, deadline, is_killed: false });
            }
            Work::Strays(run, since) => self.searches.push(StraySearch { run, since, done: 0 }),
        }
    }

    /// Does what is due now: kills, reaps, searches.
    fn tick(&mut self, now: Instant) {
        let Self { ending, searches, .. } = self;
        ending.retain_mut(|ending| {
            if !end_program(ending, now) {
                return true;
            }
            release_ownership(ending.program.leader);
            if is_subreaper() {
                let run = ending.program.run.clone();
                searches.push(StraySearch { run, since: now, done: 0 });
            } else {
                add_pending(-1);
            }
            false
        });
        searches.retain_mut(|search| {
            if STRAY_SEARCHES.get(search.done).is_some_and(|after| now >= search.since + *after) {
                kill_strays_of(&search.run);
                // The first search finds nearly all; `settle` does not wait for the later ones.
                if search.done == 0 {
                    add_pending(-1);
                }
                search.done += 1;
            }
            search.done < STRAY_SEARCHES.len()
        });
        if is_subreaper() {
            self.reap_unowned(now);
        }
    }

    /// Reaps adopted children that exited a while ago.
    fn reap_unowned(&mut self, now: Instant) {
        let owned = owned_pids();
        let mut exited = wait::own_children();
        exited.retain(|pid| !owned.contains(pid) && wait::has_exited(*pid));
        self.unowned.retain(|pid, _| exited.contains(pid));
        for pid in exited {
            let since = *self.unowned.entry(pid).or_insert(now);
            if now.duration_since(since) >= ADOPTED_AFTER {
                let _ = wait::reap(pid);
                self.unowned.remove(&pid);
            }
        }
    }
}

/// Kills a group whose time has come, and reaps its leader; returns whether it has ended.
fn end_program(ending: &mut Ending, now: Instant) -> bool {
    let Termination { leader, is_shim, .. } = ending.program;
    if !ending.is_killed && (now >= ending.deadline || (is_shim && wait::has_exited(leader))) {
        // INVARIANT: before the leader is reaped; until then its pid cannot be that of a stranger.
        kill_group(leader);
        ending.is_killed = true;
    }
    ending.is_killed && !matches!(wait::reap(leader), Ok(None))
}

/// Kills the adopted children of a run, their children, and so on.
fn kill_strays_of(run: &RunId) {
    for _ in 0..MOST_GENERATIONS {
        let mut found = false;
        for pid in wait::own_children() {
            if run.is_in(&wait::environment_of(pid)) && !wait::has_exited(pid) {
                wait::kill(pid);
                found = true;
                let _ = wait::reap(pid);
            }
        }
        if !found {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
}
