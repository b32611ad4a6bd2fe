//! A daemon that is asked.

use std::io::Read as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use hookgate::contract::dialect::HostAnswer;

use super::place::Place;
use super::wire::{self, Request, Response};

/// How long a daemon may take to greet. Until then nothing is lost: the call can judge by itself.
const GREETING: Duration = Duration::from_millis(200);

/// A daemon that has greeted, and was told nothing yet.
#[derive(Debug)]
pub(crate) struct Connection(UnixStream);

impl Connection {
    /// Connects to the daemon at a place, which must run this program. `rest` is the time that is left to the
    /// call.
    ///
    /// Returns `None` if there is no daemon, or anything about it is not as expected.
    pub(crate) fn open(place: &Place, program: &Path, rest: Duration) -> Option<Self> {
        if !place.is_private() {
            return None;
        }
        let mut stream = UnixStream::connect(place.socket()).ok()?;
        if !wire::runs_one_of(&stream, &[program]) {
            return None;
        }
        let expected = place.greeting();
        let mut greeting = vec![0; expected.len()];
        stream.set_read_timeout(Some(GREETING.min(rest / 4))).ok()?;
        stream.read_exact(&mut greeting).ok()?;
        (greeting == expected.as_bytes()).then_some(Self(stream))
    }

    /// Asks the daemon to judge a step, and waits for its whole answer, for this time.
    ///
    /// Returns `None` if there is none: then nothing of it has been said to the agent.
    pub(crate) fn ask(self, request: &Request, rest: Duration) -> Option<HostAnswer> {
        let Self(stream) = self;
        stream.set_write_timeout(Some(rest)).ok()?;
        stream.set_read_timeout(Some(rest)).ok()?;
        wire::write(&stream, request).ok()?;
        wire::read::<Response>(&stream).ok()?.answer()
    }
}
