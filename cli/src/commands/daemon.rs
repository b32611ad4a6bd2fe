//! `hookgate daemon`: judges the steps of `hookgate hook` in a process that stays.

use std::time::Duration;

use super::hook;
use crate::abort::Abort;
use crate::exit_code::Exit;
use crate::seconds::seconds;

/// Judge the steps of `hookgate hook` in a process that stays
///
/// It keeps tables, programs of hooks and the opinions of judges between calls, so that a step takes a few
/// milliseconds less, and a program or a judge much less. `hookgate hook --daemon SECONDS` starts it when there is
/// none, and so does HOOKGATE_DAEMON=SECONDS in the environment of the agent; nobody needs to call it by hand.
/// `hookgate install --daemon SECONDS` lets an agent have one.
///
/// It listens on a socket in a folder that only this user can enter: hookgate in XDG_RUNTIME_DIR, or else
/// hookgate/daemon in the folder of what programs keep. On Windows it is a named pipe, and both ends show that they can
/// read a secret in hookgate\daemon in LOCALAPPDATA. It serves calls of the same program, user, environment
/// and folder only; others judge by themselves, or start their own.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = "\
Example:
  HOOKGATE_DAEMON=300 codex       the hooks of this session are judged by a daemon")]
pub struct Args {
    /// After how many seconds without a call it ends
    #[arg(long, value_name = "SECONDS", default_value = "300", value_parser = seconds)]
    idle: Duration,
}

/// Runs the verb.
///
/// # Errors
/// The folder is not private, or the socket or the pipe cannot be made.
pub fn run(args: &Args) -> Result<Exit, Abort> {
    hook::serve(args.idle).map(|()| Exit::Ok).map_err(|error| {
        Abort::failure(format!("the daemon cannot listen: {error}"))
            .help("calls of `hookgate hook` work without it")
    })
}
