//! Asks a daemon to judge a step, and starts one for the next call.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use hookgate::contract::dialect::HostAnswer;

use super::super::call::Call;
use crate::daemon::{Connection, Place, Request};
use crate::programs::OWN;

/// Asks the daemon, if the call is to have one and there is one.
///
/// Returns `None` if the step has to be judged here: there is no daemon, or anything about it is not as
/// expected. If it took the step and does not answer, the deadline of the call passes here.
pub(in super::super) fn ask(call: &Call, envelope: &[u8], rest: Duration) -> Option<HostAnswer> {
    call.daemon()?;
    let own = Path::new(OWN);
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
    Connection::open(&Place::of(own)?, own, rest)?.ask(&request, rest)
}

/// Starts a daemon, if the call is to have one. It serves the calls after this one.
pub(in super::super) fn start(call: &Call) {
    let Some(idle) = call.daemon() else { return };
    let Some(place) = Place::of(Path::new(OWN)) else { return };
    if !place.has_room() {
        return;
    }
    // Without one, calls are slower, and that is all.
    let _ = Command::new(OWN)
        .args(["daemon", "--idle", &idle.as_secs_f64().to_string()])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
}
