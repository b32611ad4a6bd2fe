//! The shim: a process between the host and a program, which outlives neither.
//!
//! # What it is for
//! A host alone cannot keep two promises. If it is killed (`kill -9`), no code of it is left to end its
//! programs. And a program that leaves its process group (`setsid`, a double fork) escapes a signal to
//! the group. So the host starts *itself* again, as the shim, and the shim starts the program:
//!
//! ```text
//! host ── shim ── program ── whatever it starts
//!  │       ├─ adopts what leaves the group (subreaper), and kills it when the program exits
//!  │       ├─ watches the host (pidfd): if the host dies, everything is killed
//!  │       └─ sets no_new_privs, the resource limits and the sandbox before the program starts
//!  └─ sees the exit status, signal, stdout and stderr as without the shim
//! ```
//!
//! # How a host uses it
//! [`main`] comes first in `main`, while there is one thread; [`register`] names the program, which is
//! the host itself. Every hook built from then on uses the shim, unless it says `shim = false`.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     if let Some(code) = hookgate_command::shim::main() {
//!         return code;
//!     }
//!     if let Ok(path) = std::env::current_exe() {
//!         hookgate_command::shim::register(path);
//!     }
//!     // … the host
//!     ExitCode::SUCCESS
//! }
//! ```
//!
//! # What it costs
//! One more process: about 1.4 ms for each step of a plain hook, and once for a worker. It waits in
//! `poll` and wakes four times a second to see whether the host still is its parent.
//!
//! # Exit status 125
//! The shim exits with 125 if it could not start the program, and says why on stderr in a line that
//! the host recognises. A program that exits with 125 itself is reported as what it is.

#[cfg(target_os = "linux")]
mod args;
#[cfg(target_os = "linux")]
mod holders;
#[cfg(target_os = "linux")]
mod restrict;
#[cfg(target_os = "linux")]
mod watch;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

#[cfg(target_os = "linux")]
pub(crate) use args::ShimArgs;

/// The first argument by which a program knows that it is the shim.
///
/// ```
/// assert!(hookgate_command::shim::FIRST_ARGUMENT.starts_with("__"));
/// ```
pub const FIRST_ARGUMENT: &str = "__hookgate-shim";

/// The exit status of the shim if it could not start the program.
pub(crate) const EXIT_FAILED: i32 = 125;

/// The beginning of its line on stderr then, for what is not trusted.
pub(crate) const REFUSED_PREFIX: &str = "hookgate shim refused: ";

/// The beginning of its line on stderr for all other reasons.
pub(crate) const FAILED_PREFIX: &str = "hookgate shim failed: ";

/// What the shim adds to stdout if it had to kill a process that still held stdout.
pub(crate) const HELD: &[u8] = b"\0hookgate shim: held\0";

/// Process-wide, since it is a fact about the executable of this process, and not about an engine.
static PATH: OnceLock<PathBuf> = OnceLock::new();

/// Lets programs run under the shim, which is the program at this path; that program must call
/// [`main`] first of all. The first call wins. Returns whether it was this one.
///
/// It holds for hooks that are built afterwards. There is no way back, so a host cannot lose the shim
/// by accident. Only Linux can have one: elsewhere it registers nothing and returns false.
///
/// ```
/// use std::path::Path;
///
/// use hookgate_command::shim;
///
/// assert_eq!(shim::registered(), None);
/// # if cfg!(not(target_os = "linux")) { return; }
/// assert!(shim::register("/usr/bin/my-host"));
/// assert!(!shim::register("/usr/bin/another"), "the first call wins");
/// assert_eq!(shim::registered(), Some(Path::new("/usr/bin/my-host")));
/// ```
pub fn register(path: impl Into<PathBuf>) -> bool {
    cfg!(target_os = "linux") && PATH.set(path.into()).is_ok()
}

/// Returns the registered path; `None` if the host has no shim.
#[must_use]
pub fn registered() -> Option<&'static Path> {
    PATH.get().map(PathBuf::as_path)
}

/// Runs the shim, if this process was started as one, and returns the code that the process must exit
/// with. Returns `None` at once in any other process.
///
/// Call it first in `main`, while there is one thread: it closes all inherited file descriptors but
/// stdin, stdout and stderr, and restricts threads.
///
/// ```
/// // This process was not started as a shim.
/// assert!(hookgate_command::shim::main().is_none());
/// ```
#[must_use]
pub fn main() -> Option<ExitCode> {
    #[cfg(not(target_os = "linux"))]
    return None;
    #[cfg(target_os = "linux")]
    run()
}

#[cfg(target_os = "linux")]
fn run() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    if args.next()? != FIRST_ARGUMENT {
        return None;
    }
    close_inherited();
    let Some(args) = ShimArgs::parse(args) else {
        eprintln!("{FAILED_PREFIX}it is not meant to be called by hand");
        return Some(exit_code(EXIT_FAILED));
    };
    Some(exit_code(watch::run_program(&args)))
}

/// Closes the descriptors that the host has open without close-on-exec: it may have inherited them
/// itself, and the program must not get them.
///
/// A program that stays calls it first in `main`, before it opens anything: who waits for the end of a
/// stream that it was handed would wait for as long as it stays. Only Linux tells what is open: elsewhere it does nothing.
pub fn close_inherited() {
    #[cfg(target_os = "linux")]
    close_open_files();
}

#[cfg(target_os = "linux")]
fn close_open_files() {
    let Ok(open) = std::fs::read_dir("/proc/self/fd") else { return };
    let open: Vec<i32> =
        open.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
        // The descriptor of the listing itself is among them and closed already.
        let _ = nix::unistd::close(descriptor);
    }
}

#[cfg(target_os = "linux")]
fn exit_code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))
}
