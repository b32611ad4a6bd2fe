//! The small program `hookgate-call`: takes the place of `hookgate hook --daemon`, and starts faster, since it
//! has nothing in it but what it takes to ask a daemon.
//!
//! If a daemon greets, it gets the step, and its answer is printed. In every other case this program becomes the
//! full one, `hookgate` in the same folder, with the same arguments and the same stdin: nothing is said to the
//! agent before the answer of the daemon is there as a whole. If the full program cannot be started either, the
//! answer is a deny of the form that most agents obey: exit code 2, and a text on stderr.

mod full_program;
mod line;
mod stdin;

use std::env;
use std::ffi::OsString;
use std::panic::{self, catch_unwind};
use std::path::Path;
use std::process::{ExitCode, Termination as _};
use std::time::{Duration, Instant};

use hookgate::contract::dialect::HostAnswer;

use crate::commands::hook::print;
use crate::daemon::{Connection, Place};
use crate::exit_code::Exit;
use crate::programs::{self, FULL};
use line::Line;

/// How much of its time a call keeps, so that the full program can refuse the step in the form of the agent.
const RESERVE: Duration = Duration::from_millis(200);

/// The least time that is handed on.
const LEAST: Duration = Duration::from_millis(10);

/// Runs the program, with the command line, the environment and the streams of this process.
#[must_use]
pub fn main() -> ExitCode {
    // A message of the panic would stand before the reason on stderr, which the model reads.
    panic::set_hook(Box::new(|_| {}));
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let answered = catch_unwind(|| answer(&arguments));
    answered.unwrap_or_else(|_| refuse("it has failed: report it")).report()
}

fn answer(arguments: &[OsString]) -> Exit {
    match programs::beside(FULL) {
        Ok(full) => answer_with(&full, arguments),
        Err(error) => refuse(&format!("it does not know where it is: {error}")),
    }
}

fn answer_with(full: &Path, arguments: &[OsString]) -> Exit {
    let started = Instant::now();
    let Some(line) = Line::parse(arguments) else { return become_full(full, arguments, None) };
    let Some(daemon) = connect(&line, full) else { return become_full(full, arguments, None) };
    let end = started + line.timeout;
    let reserve = RESERVE.min(line.timeout / 4);
    match ask(daemon, line, end - reserve) {
        Ok(answer) => print(&answer),
        Err(stdin) => {
            let left = rest(end).max(LEAST);
            become_full(full, &line::with_timeout(arguments, left), stdin)
        }
    }
}

/// Connects to the daemon of the full program, if the call is to have one and there is one.
fn connect(line: &Line, full: &Path) -> Option<Connection> {
    crate::daemon::idle(line.daemon)?;
    // What the full program finds to tell about it, it tells.
    Connection::open(&Place::of(full)?, full, line.timeout).ok()
}

/// Reads the step, and asks the daemon.
///
/// # Errors
/// The daemon has not answered. Returns what was read of stdin, or `None` if stdin is not at its end: whatever is
/// still to come of it, the rest of a step is not a step, and is refused.
fn ask(daemon: Connection, line: Line, end: Instant) -> Result<HostAnswer, Option<Vec<u8>>> {
    let envelope = stdin::read(end).ok_or(None)?;
    let envelope = String::from_utf8(envelope).map_err(|error| Some(error.into_bytes()))?;
    let rest = rest(end).max(LEAST);
    let request = line.request(envelope, rest);
    daemon.ask(&request, rest).map_err(|_| Some(request.envelope.into_bytes()))
}

fn become_full(full: &Path, arguments: &[OsString], stdin: Option<Vec<u8>>) -> Exit {
    let error = full_program::become_it(full, arguments, stdin.as_deref());
    refuse(&format!(
        "it cannot start `{}`: {error}: install hookgate again, both programs in one folder",
        full.display()
    ))
}

fn refuse(why: &str) -> Exit {
    print(&HostAnswer::exit_2(&format!("hookgate-call could not have this judged: {why}")))
}

fn rest(end: Instant) -> Duration {
    end.saturating_duration_since(Instant::now())
}
