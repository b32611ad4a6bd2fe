//! Asks a daemon to judge a step, and starts one for the next call.

use std::io::Read as _;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use hookgate::contract::dialect::HostAnswer;

use super::super::call::Call;
use super::place::{OWN_PROGRAM, Place};
use super::wire::{self, Request, Response};
use crate::canary;
use crate::terminal::log;

/// How long a daemon may take to greet. Until then nothing is lost: the call can judge by itself.
const GREETING: Duration = Duration::from_millis(200);

/// Asks the daemon, if the call is to have one and there is one.
///
/// Returns `None` if the step has to be judged here: there is no daemon, or anything about it is not as
/// expected. If it took the step and does not answer, the deadline of the call passes here.
pub(in super::super) fn ask(call: &Call, envelope: &[u8], rest: Duration) -> Option<HostAnswer> {
    let place = place(call)?;
    if !place.is_private() {
        return None;
    }
    let request = Request {
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
    };
    let mut stream = UnixStream::connect(place.socket()).ok()?;
    if !wire::is_hookgate(&stream) {
        return None;
    }
    let expected = place.greeting();
    let mut greeting = vec![0; expected.len()];
    stream.set_read_timeout(Some(GREETING.min(rest / 4))).ok()?;
    stream.read_exact(&mut greeting).ok()?;
    if greeting != expected.as_bytes() {
        return None;
    }
    stream.set_write_timeout(Some(rest)).ok()?;
    stream.set_read_timeout(Some(rest)).ok()?;
    wire::write(&stream, &request).ok()?;
    wire::read::<Response>(&stream).ok()?.answer()
}

/// Starts a daemon, if the call is to have one. It serves the calls after this one.
pub(in super::super) fn start(call: &Call) {
    let (Some(place), Some(idle)) = (place(call), call.daemon()) else { return };
    if !place.has_room() {
        return;
    }
    // Without one, calls are slower, and that is all.
    let _ = Command::new(OWN_PROGRAM)
        .args(["daemon", "--idle", &idle.as_secs_f64().to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}

/// Returns the place of the daemon that a call is to have. A log and a canary are about the process itself.
fn place(call: &Call) -> Option<Place> {
    call.daemon()?;
    let is_own = canary::is_sent() || std::env::var_os(log::VARIABLE).is_some();
    if is_own { None } else { Place::of_process() }
}
