//! What a call and a daemon say to each other: a greeting, one request, one reply. Each of the latter two is
//! a JSON object after its length.

use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;

use hookgate::contract::dialect::HostAnswer;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::place::OWN_PROGRAM;

/// How many bytes a message may have: an envelope, as a text in JSON.
const LIMIT: u64 = 64 << 20;

/// A step to be judged.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    pub(super) agent: String,
    pub(super) event: Option<String>,
    pub(super) config: Vec<String>,
    pub(super) strict: bool,
    /// The hashes of contents of projects that are trusted.
    pub(super) trusted: Vec<String>,
    /// The time that is left, in milliseconds.
    pub(super) rest: u64,
    pub(super) envelope: String,
}

/// The answer to the agent, as it is printed.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Response {
    exit: u8,
    stdout: String,
    stderr: String,
}

impl Response {
    /// Makes a response of an answer; `stderr` is all that is said there.
    pub(super) fn new(answer: &HostAnswer, stderr: String) -> Self {
        Self { exit: answer.exit, stdout: answer.stdout.clone(), stderr }
    }

    /// Returns the answer, unless it is none that a call gives: agents understand two exit codes alike.
    pub(super) fn answer(self) -> Option<HostAnswer> {
        let mut answer = HostAnswer::silent();
        (answer.exit, answer.stdout, answer.stderr) = (self.exit, self.stdout, self.stderr);
        matches!(answer.exit, 0 | 2).then_some(answer)
    }
}

/// Writes a message.
pub(super) fn write(mut stream: impl Write, message: &impl Serialize) -> io::Result<()> {
    let body = serde_json::to_vec(message)?;
    let mut bytes = (body.len() as u64).to_le_bytes().to_vec();
    bytes.extend(body);
    stream.write_all(&bytes)
}

/// Reads a message.
pub(super) fn read<T: DeserializeOwned>(mut stream: impl Read) -> io::Result<T> {
    let mut length = [0; 8];
    stream.read_exact(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > LIMIT {
        return Err(io::Error::other("the message is too large"));
    }
    let mut body = Vec::new();
    stream.take(length).read_to_end(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

/// Tells whether at the other end there is this program, of this user.
pub(super) fn is_hookgate(stream: &UnixStream) -> bool {
    let Ok(peer) = rustix::net::sockopt::socket_peercred(stream) else { return false };
    let program = Path::new("/proc").join(peer.pid.as_raw_nonzero().to_string()).join("exe");
    let (Ok(theirs), Ok(own)) = (program.metadata(), Path::new(OWN_PROGRAM).metadata()) else {
        return false;
    };
    let is_same = (theirs.dev(), theirs.ino()) == (own.dev(), own.ino());
    is_same && peer.uid == rustix::process::geteuid()
}
