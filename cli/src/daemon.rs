//! How calls of `hookgate hook` and a daemon find each other, and what they say: it serves the daemon, the
//! calls of the full program and those of the small one.

#[cfg(target_os = "linux")]
mod connection;
#[cfg(target_os = "linux")]
mod place;
#[cfg(target_os = "linux")]
mod wire;

use std::env;
use std::time::Duration;

#[cfg(target_os = "linux")]
pub(crate) use connection::Connection;
#[cfg(target_os = "linux")]
pub(crate) use place::{Place, folder as run_folder};
#[cfg(target_os = "linux")]
pub(crate) use wire::{Request, Response, is_of_this_user, read, runs_one_of, write};

use crate::canary;
use crate::seconds::seconds;
use crate::terminal::log;

/// The variable that asks for a daemon: after how many seconds without a call it ends.
const VARIABLE: &str = "HOOKGATE_DAEMON";

/// Returns after how many seconds without a call the daemon of this call ends, if it is to have one: `option`
/// is what its command line says. A log and a canary are about the process itself.
pub(crate) fn idle(option: Option<Duration>) -> Option<Duration> {
    // Elsewhere nothing tells which program is at the other end of a socket, so every call judges by itself.
    if cfg!(not(target_os = "linux")) || canary::is_sent() || env::var_os(log::VARIABLE).is_some() {
        return None;
    }
    option.or_else(|| seconds(&env::var(VARIABLE).ok()?).ok())
}
