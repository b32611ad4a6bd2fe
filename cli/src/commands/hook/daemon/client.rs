//! Asks a daemon to judge a step, and starts one for the next call.

use std::io;
use std::path::Path;
use std::time::Duration;

use hookgate::contract::dialect::HostAnswer;

use super::super::call::Call;
use crate::daemon::{Connection, Place, Request, Unanswered};
use crate::programs;

/// Asks the daemon, if the call is to have one and there is one.
///
/// If it took the step and does not answer, the deadline of the call passes here.
///
/// # Errors
/// The step has to be judged here: there is no daemon, or anything about it is not as expected.
pub(in super::super) fn ask(
    call: &Call,
    envelope: &[u8],
    rest: Duration,
) -> Result<HostAnswer, Unanswered> {
    let nobody = || Unanswered::NoAnswer;
    call.daemon().ok_or_else(nobody)?;
    let own = programs::own()?;
    let place = Place::of(&own).ok_or_else(nobody)?;
    let request = request(call, envelope, rest).ok_or_else(nobody)?;
    Connection::open(&place, &own, rest)?.ask(&request, rest)
}

/// Makes the request of a call; `None` if a part of it is no text.
fn request(call: &Call, envelope: &[u8], rest: Duration) -> Option<Request> {
    Some(Request {
        agent: call.agent().to_owned(),
        event: call.event().map(str::to_owned),
        config: call
            .config()
            .iter()
            .map(|file| file.to_str().map(str::to_owned))
            .collect::<Option<_>>()?,
        strict: call.strict(),
        trusted: call.trusted().to_vec(),
        rest: rest.as_millis().try_into().ok()?,
        envelope: String::from_utf8(envelope.to_vec()).ok()?,
    })
}

/// Starts a daemon, if the call is to have one. It serves the calls after this one.
pub(in super::super) fn start(call: &Call) {
    let Some(idle) = call.daemon() else { return };
    let Ok(own) = programs::own() else { return };
    let Some(place) = Place::of(&own) else { return };
    if !place.has_room() {
        return;
    }
    // Without one, calls are slower, and that is all.
    let _ = run(&own, &["daemon", "--idle", &idle.as_secs_f64().to_string()]);
}

/// Starts a program that has none of the streams of this one.
#[cfg(unix)]
fn run(program: &Path, arguments: &[&str]) -> io::Result<()> {
    use std::process::{Command, Stdio};

    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop)
}

/// Starts a program that has none of the streams of this one. What Rust starts on Windows gets every handle that can be
/// inherited, also those of the streams that it was not given, and an agent would wait for their end. No argument may
/// have a space or a quote.
#[cfg(windows)]
fn run(program: &Path, arguments: &[&str]) -> io::Result<()> {
    use winsafe::{CreateProcess, STARTUPINFO, co};

    let program = program.to_str().ok_or(io::ErrorKind::InvalidFilename)?;
    let line = format!("\"{program}\" {}", arguments.join(" "));
    let alone = co::CREATE::DETACHED_PROCESS | co::CREATE::NEW_PROCESS_GROUP;
    let mut streams = STARTUPINFO::default();
    CreateProcess(Some(program), Some(&line), None, None, false, alone, &[], None, &mut streams)
        .map(drop)
        .map_err(|error| io::Error::from_raw_os_error(error.raw().cast_signed()))
}
