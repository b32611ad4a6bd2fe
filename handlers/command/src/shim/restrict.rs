//! What happens between the start of the shim and that of the program: signals, limits, privileges,
//! the sandbox.

use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;

use rustix::process::{getpid, set_child_subreaper};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use super::{FAILED_PREFIX, REFUSED_PREFIX, ShimArgs};

/// Starts the program under its restrictions. The flag is set when a signal asks the shim to end.
///
/// # Errors
/// A line for stderr that says what could not be done; the program does not run then.
pub(super) fn start_program(args: &ShimArgs) -> Result<(Child, Arc<AtomicBool>), String> {
    let failed =
        |what: &str, error: &dyn std::fmt::Display| format!("{FAILED_PREFIX}{what}: {error}");
    set_child_subreaper(Some(getpid())).map_err(|error| failed("subreaper", &error))?;
    let is_ending = catch_signals().map_err(|error| failed("signals", &error))?;
    args.limits.apply_to_self().map_err(|error| failed("limits", &error))?;
    let mut command = Command::new(&args.program);
    command.args(&args.args);
    // Privileges and the sandbox are those of a thread, and of what it starts: the main thread stays
    // free to find and kill the program's children.
    let started = thread::scope(|scope| {
        scope.spawn(|| restrict_thread(args).map(|()| command.spawn())).join()
    });
    let spawned = started.map_err(|_| format!("{FAILED_PREFIX}it panicked"))??;
    let child = spawned.map_err(|error| failed(&args.program.to_string_lossy(), &error))?;
    Ok((child, is_ending))
}

/// Handles the signals that are meant for the program. To ignore TERM would make the program ignore it
/// too, since ignoring is inherited; a handler is not.
fn catch_signals() -> std::io::Result<Arc<AtomicBool>> {
    let is_ending = Arc::new(AtomicBool::new(false));
    let ignored = ignored_signals();
    for signal in [SIGTERM, SIGHUP, SIGQUIT, SIGINT] {
        // A signal that was ignored, as under `nohup`, stays ignored.
        if signal == SIGTERM || ignored & (1 << (signal - 1)) == 0 {
            signal_hook::flag::register(signal, Arc::clone(&is_ending))?;
        }
    }
    Ok(is_ending)
}

/// Returns the signals that this process ignores, each a bit.
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}

/// Gives up privileges and enforces the sandbox, for this thread and what it starts.
fn restrict_thread(args: &ShimArgs) -> Result<(), String> {
    rustix::thread::set_no_new_privs(true)
        .map_err(|error| format!("{REFUSED_PREFIX}no_new_privs cannot be set: {error}"))?;
    if let Some(sandbox) = &args.sandbox {
        sandbox.enforce().map_err(|error| {
            format!("{REFUSED_PREFIX}the sandbox cannot be enforced by this kernel: {error}")
        })?;
    }
    Ok(())
}
