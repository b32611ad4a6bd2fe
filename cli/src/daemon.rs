//! How calls of `hookgate hook` and a daemon find each other, and what they say: it serves the daemon, the
//! calls of the full program and those of the small one.

mod connection;
mod conversation;
mod place;
mod served;
/// What carries their bytes.
#[cfg_attr(unix, path = "daemon/socket.rs")]
#[cfg_attr(windows, path = "daemon/pipe.rs")]
mod transport;
mod wire;

use std::env;
use std::time::Duration;

pub(crate) use connection::{Connection, Unanswered};
pub(crate) use place::Place;
#[cfg(target_os = "linux")]
pub(crate) use place::folder as run_folder;
pub(crate) use served::Caller;
#[cfg(target_os = "linux")]
pub(crate) use transport::is_of_this_user;
pub(crate) use transport::{Listener, close};
pub(crate) use wire::{Request, Response};

use crate::canary;
use crate::seconds::seconds;
use crate::terminal::log;

/// The variable that asks for a daemon: after how many seconds without a call it ends.
const VARIABLE: &str = "HOOKGATE_DAEMON";

/// Returns after how many seconds without a call the daemon of this call ends, if it is to have one: `option`
/// is what its command line says. A log and a canary are about the process itself.
pub(crate) fn idle(option: Option<Duration>) -> Option<Duration> {
    if canary::is_sent() || env::var_os(log::VARIABLE).is_some() {
        return None;
    }
    option.or_else(|| seconds(&env::var(VARIABLE).ok()?).ok())
}
