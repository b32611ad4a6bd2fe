//! The life of the shim: it starts the program, waits for one of three ends, and leaves no process.
//!
//! | end | what follows |
//! |---|---|
//! | the program exits | holders of stdout have half a second; all descendants are killed |
//! | TERM, HUP, QUIT or INT, and the grace period is over | all descendants are killed |
//! | the host dies | all descendants are killed, at once |
//!
//! The shim ends as the program did, also by the same signal, so the host sees no difference.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, WaitIdStatus, getppid};
use signal_hook::low_level::emulate_default_handler;

use super::{EXIT_FAILED, HELD, ShimArgs, holders, restrict};
use crate::wait;

/// How long killed processes are awaited; one in the middle of a disk access may not exit.
const KILL_TIME: Duration = Duration::from_secs(2);

/// How long the holders of stdout are awaited once the program has exited: they may be about to write
/// the answer.
const HOLDER_TIME: Duration = Duration::from_millis(500);

/// How often the holders are searched for.
const HOLDER_TICK: Duration = Duration::from_millis(2);

/// How often the signal flag and the parent are looked at: usually, and while the program is ending.
const TICK: Duration = Duration::from_millis(250);
const ENDING_TICK: Duration = Duration::from_millis(10);

/// Runs the program to its end; returns the exit status for the host.
pub(super) fn run_program(args: &ShimArgs) -> i32 {
    match restrict::start_program(args) {
        Ok((child, is_ending)) => attend(args, &child, &is_ending),
        Err(problem) => {
            eprintln!("{problem}");
            EXIT_FAILED
        }
    }
}

/// Waits for the end, cleans up, and returns the exit status of the shim.
fn attend(args: &ShimArgs, child: &Child, is_ending: &AtomicBool) -> i32 {
    let status = wait_for_exit(args, child, is_ending);
    let is_held = status.is_some() && wait_for_holders(args, is_ending);
    kill_descendants();
    if is_held {
        // No other process can write any more. The host may have stopped reading.
        let _ = io::stdout().write_all(HELD).and_then(|()| io::stdout().flush());
    }
    let Some(status) = status else { return EXIT_FAILED };
    if let Some(signal) = status.terminating_signal() {
        // The host sees what it would have seen without the shim.
        let _ = emulate_default_handler(signal);
    }
    status.exit_status().unwrap_or(EXIT_FAILED)
}

/// Waits for the exit of the program; returns `None` if everything is to end before it.
fn wait_for_exit(args: &ShimArgs, child: &Child, is_ending: &AtomicBool) -> Option<WaitIdStatus> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw)?;
    let program_exit = wait::exit_descriptor(pid).ok()?;
    let host = i32::try_from(args.host).ok().and_then(Pid::from_raw)?;
    let host_exit = wait::exit_descriptor(host).ok()?;
    let mut deadline = None;
    loop {
        // INVARIANT: after the descriptor of the host was opened, so it is not that of another process
        // with the same pid.
        if getppid() != Some(host) {
            return None;
        }
        if let Ok(Some(status)) = wait::reap(pid) {
            return Some(status);
        }
        // ORDERING: the handler of the signal wrote nothing else.
        if is_ending.load(Ordering::Relaxed) {
            let deadline = *deadline.get_or_insert_with(|| Instant::now() + args.grace);
            if Instant::now() >= deadline {
                return None;
            }
        }
        let mut exits = [
            PollFd::from_borrowed_fd(program_exit.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(host_exit.as_fd(), PollFlags::IN),
        ];
        // A signal between the look at the flag and this call is seen at the next tick.
        let tick = if deadline.is_some() { ENDING_TICK } else { TICK };
        match poll(&mut exits, Timespec::try_from(tick).ok().as_ref()) {
            Ok(_) => {}
            Err(error) if io::Error::from(error).kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// Waits until no other process holds stdout; returns whether one still does.
fn wait_for_holders(args: &ShimArgs, is_ending: &AtomicBool) -> bool {
    if wait::own_children().is_empty() {
        return false;
    }
    let start = Instant::now();
    let host = i32::try_from(args.host).ok().and_then(Pid::from_raw);
    while holders::is_stdout_held() {
        // ORDERING: the handler of the signal wrote nothing else.
        let is_over = start.elapsed() >= HOLDER_TIME || is_ending.load(Ordering::Relaxed);
        if is_over || getppid() != host {
            return true;
        }
        thread::sleep(HOLDER_TICK);
    }
    false
}

/// Kills all children, those that this process adopts by that, and so on.
fn kill_descendants() {
    let start = Instant::now();
    while start.elapsed() < KILL_TIME {
        let children = wait::own_children();
        if children.is_empty() {
            return;
        }
        for child in children {
            wait::kill(child);
            let _ = wait::reap(child);
        }
        thread::sleep(Duration::from_micros(200));
    }
}
