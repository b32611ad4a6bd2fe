//! The life of the shim.

use std::io::{self, Write};
use std::os::fd::AsFd;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, WaitIdStatus, getpid, getppid, set_child_subreaper};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::low_level::emulate_default_handler;

use super::{FAILED, HELD, Orders, SPAWN, UNTRUSTED, holders};
use crate::children;

/// For how long those that were killed are awaited; one in the middle of a disk access may not go.
const MOST: Duration = Duration::from_secs(2);

/// How long those who hold stdout are waited for once the program has ended: they may be about to
/// write the answer.
const LINGER: Duration = Duration::from_millis(500);

/// How often they are looked at.
const LOOK: Duration = Duration::from_millis(2);

/// Runs the program to its end and tells the status for the host.
pub(super) fn watch(orders: &Orders) -> i32 {
    match start(orders) {
        Ok((child, asked)) => attend(orders, &child, &asked),
        Err(problem) => {
            eprintln!("{problem}");
            FAILED
        }
    }
}

fn start(orders: &Orders) -> Result<(Child, Arc<AtomicBool>), String> {
    let failed = |what: &str, error: &dyn std::fmt::Display| format!("{SPAWN}{what}: {error}");
    set_child_subreaper(Some(getpid())).map_err(|error| failed("subreaper", &error))?;
    // TERM is for the program. To ignore it would make the program ignore it too; a handler is not
    // inherited.
    let asked = Arc::new(AtomicBool::new(false));
    let ignored = ignored();
    for signal in [SIGTERM, SIGHUP, SIGQUIT, SIGINT] {
        // What was ignored, as under `nohup`, stays so.
        if signal == SIGTERM || ignored & (1 << (signal - 1)) == 0 {
            signal_hook::flag::register(signal, Arc::clone(&asked))
                .map_err(|error| failed("signals", &error))?;
        }
    }
    orders.limits.set(None).map_err(|error| failed("limits", &error))?;
    let mut command = Command::new(&orders.program);
    command.args(&orders.args);
    // Privileges and the sandbox are those of a thread, and of what it starts: this one stays free
    // to find and kill the program's children.
    let started =
        thread::scope(|scope| scope.spawn(|| restrict(orders).map(|()| command.spawn())).join());
    let spawned = started.map_err(|_| format!("{SPAWN}it panicked"))??;
    let child = spawned.map_err(|error| failed(&orders.program.to_string_lossy(), &error))?;
    Ok((child, asked))
}

/// The signals that this process ignores, each a bit.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}

fn restrict(orders: &Orders) -> Result<(), String> {
    rustix::thread::set_no_new_privs(true)
        .map_err(|error| format!("{UNTRUSTED}no_new_privs cannot be set: {error}"))?;
    if let Some(sandbox) = &orders.sandbox {
        sandbox.enforce().map_err(|error| {
            format!("{UNTRUSTED}the sandbox cannot be enforced by this kernel: {error}")
        })?;
    }
    Ok(())
}

fn attend(orders: &Orders, child: &Child, asked: &AtomicBool) -> i32 {
    let end = wait(orders, child, asked);
    let held = end.is_some() && linger(orders, asked);
    kill_all();
    if held {
        // Nobody else can write any more. Whether the host still reads is its own matter.
        let _ = io::stdout().write_all(HELD).and_then(|()| io::stdout().flush());
    }
    match end {
        Some(status) => {
            if let Some(signal) = status.terminating_signal() {
                // The host sees what it would have seen without the shim.
                let _ = emulate_default_handler(signal);
            }
            status.exit_status().unwrap_or(FAILED)
        }
        None => FAILED,
    }
}

/// Waits for the end of the program; none if everything is to end before it.
fn wait(orders: &Orders, child: &Child, asked: &AtomicBool) -> Option<WaitIdStatus> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw)?;
    let program = children::exit_of(pid).ok()?;
    let host = i32::try_from(orders.host).ok().and_then(Pid::from_raw)?;
    let host_exit = children::exit_of(host).ok()?;
    let mut until = None;
    loop {
        // INVARIANT: after the host was opened, so it is not a stranger with the same number.
        if getppid() != Some(host) {
            return None;
        }
        if let Ok(Some(status)) = children::bury(pid) {
            return Some(status);
        }
        // ORDERING: the signal's handler wrote nothing else.
        if asked.load(Ordering::Relaxed) {
            let until = *until.get_or_insert_with(|| Instant::now() + orders.grace);
            if Instant::now() >= until {
                return None;
            }
        }
        let mut ends = [
            PollFd::from_borrowed_fd(program.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(host_exit.as_fd(), PollFlags::IN),
        ];
        // A signal between the look at the flag and this call would be seen late.
        let tick =
            if until.is_some() { Duration::from_millis(10) } else { Duration::from_millis(250) };
        let tick = Timespec::try_from(tick).ok();
        match poll(&mut ends, tick.as_ref()) {
            Ok(_) => {}
            Err(error) if io::Error::from(error).kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// Waits until nobody but this process holds stdout; tells whether somebody still does.
fn linger(orders: &Orders, asked: &AtomicBool) -> bool {
    if children::all().is_empty() {
        return false;
    }
    let start = Instant::now();
    let host = i32::try_from(orders.host).ok().and_then(Pid::from_raw);
    while holders::are_left() {
        // ORDERING: the signal's handler wrote nothing else.
        if start.elapsed() >= LINGER || asked.load(Ordering::Relaxed) || getppid() != host {
            return true;
        }
        thread::sleep(LOOK);
    }
    false
}

/// Kills all children, those that it adopts by that, and so on.
fn kill_all() {
    let start = Instant::now();
    while start.elapsed() < MOST {
        let children = children::all();
        if children.is_empty() {
            return;
        }
        for child in children {
            children::kill(child);
            let _ = children::bury(child);
        }
        thread::sleep(Duration::from_micros(200));
    }
}
