//! A process between the host and a program, which outlives neither.
//!
//! The host starts itself again, as the shim, and the shim starts the program in its own process
//! group. It adopts whatever the program leaves behind, also with `setsid`, and kills it when the
//! program ends and when the host dies, were it by `kill -9`. It also does what can only be done
//! between fork and exec: `no_new_privs` and the sandbox.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     if let Some(code) = hookgate_command::shim::main() {
//!         return code;
//!     }
//!     hookgate_command::shim::register(std::env::current_exe().unwrap());
//!     // … the host
//!     ExitCode::SUCCESS
//! }
//! ```

mod holders;
mod orders;
mod watch;

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

pub(crate) use orders::Orders;

/// The first argument by which a program knows that it is the shim.
pub const WORD: &str = "__hookgate-shim";

/// How the shim ends if it could not start the program.
pub(crate) const FAILED: i32 = 125;

/// How it then begins what it says, for what is not trusted and for all else.
pub(crate) const UNTRUSTED: &str = "hookgate shim refused: ";
pub(crate) const SPAWN: &str = "hookgate shim failed: ";

/// What the shim adds to stdout if it had to kill somebody who still held that.
pub(crate) const HELD: &[u8] = b"\0hookgate shim: held\0";

static PATH: OnceLock<PathBuf> = OnceLock::new();

/// Lets programs run under the shim, which is the program at this path; it must call [`main`]
/// first of all. The first path stays. Tells whether it was this one.
///
/// From then on the shim is used for every hook that does not say `shim = false`.
pub fn register(path: impl Into<PathBuf>) -> bool {
    PATH.set(path.into()).is_ok()
}

/// The registered path.
#[must_use]
pub fn registered() -> Option<&'static Path> {
    PATH.get().map(PathBuf::as_path)
}

/// Is the shim, if this process was started as one; to be called first in `main`, while there is
/// one thread. The process is to end with the code.
#[must_use]
pub fn main() -> Option<ExitCode> {
    let mut args = env::args_os().skip(1);
    if args.next()? != WORD {
        return None;
    }
    close_inherited();
    let Some(orders) = Orders::read(args) else {
        eprintln!("{SPAWN}it is not meant to be called by hand");
        return Some(code(FAILED));
    };
    Some(code(watch::watch(&orders)))
}

/// Closes what the host has open without knowing, as those do that inherited it themselves.
fn close_inherited() {
    let Ok(open) = std::fs::read_dir("/proc/self/fd") else { return };
    let open: Vec<i32> =
        open.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
        // The list itself was open; it is not any more.
        let _ = nix::unistd::close(descriptor);
    }
}

fn code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))
}
