//! What a call and a daemon say to each other: a greeting, one request, one reply. Each of the latter two is
//! a JSON object after its length.

use std::fs::Metadata;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;
use std::path::Path;

use hookgate::contract::dialect::HostAnswer;
use rustix::net::UCred;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// How many bytes a message may have: an envelope, as a text in JSON.
const LIMIT: u64 = 64 << 20;

/// A step to be judged.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) agent: String,
    pub(crate) event: Option<String>,
    pub(crate) config: Vec<String>,
    pub(crate) strict: bool,
    /// The hashes of contents of projects that are trusted.
    pub(crate) trusted: Vec<String>,
    /// The time that is left, in milliseconds.
    pub(crate) rest: u64,
    pub(crate) envelope: String,
}

/// The answer to the agent, as it is printed.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Response {
    exit: u8,
    stdout: String,
    stderr: String,
}

impl Response {
    /// Makes a response of an answer; `stderr` is all that is said there.
    pub(crate) fn new(answer: &HostAnswer, stderr: String) -> Self {
        Self { exit: answer.exit, stdout: answer.stdout.clone(), stderr }
    }

    /// Returns the answer, unless it is none that a call gives: agents understand two exit codes alike.
    pub(crate) fn answer(self) -> Option<HostAnswer> {
        let mut answer = HostAnswer::silent();
        (answer.exit, answer.stdout, answer.stderr) = (self.exit, self.stdout, self.stderr);
        matches!(answer.exit, 0 | 2).then_some(answer)
    }
}

/// Writes a message.
pub(crate) fn write(mut stream: impl Write, message: &impl Serialize) -> io::Result<()> {
    let body = serde_json::to_vec(message)?;
    let mut bytes = (body.len() as u64).to_le_bytes().to_vec();
    bytes.extend(body);
    stream.write_all(&bytes)
}

/// Reads a message.
pub(crate) fn read<T: DeserializeOwned>(mut stream: impl Read) -> io::Result<T> {
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

/// Tells whether at the other end there is a process of this user.
pub(crate) fn is_of_this_user(stream: &impl AsFd) -> bool {
    peer(stream).is_some()
}

/// Returns which process of this user there is at the other end; `None` if it is another user's.
fn peer(stream: &impl AsFd) -> Option<UCred> {
    let peer = rustix::net::sockopt::socket_peercred(stream).ok()?;
    (peer.uid == rustix::process::geteuid()).then_some(peer)
}

/// Tells whether at the other end there is a process of this user that runs one of these programs.
pub(crate) fn runs_one_of(stream: &UnixStream, programs: &[&Path]) -> bool {
    let Some(peer) = peer(stream) else { return false };
    let theirs = Path::new("/proc").join(peer.pid.as_raw_nonzero().to_string()).join("exe");
    let Ok(theirs) = theirs.metadata() else { return false };
    let is_same = |ours: Metadata| (theirs.dev(), theirs.ino()) == (ours.dev(), ours.ino());
    programs.iter().any(|program| program.metadata().is_ok_and(is_same))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A daemon that ends in the middle of its answer has not answered.
    #[test]
    fn a_part_of_an_answer_is_none() {
        let mut whole = Vec::new();
        let response = Response { exit: 0, stdout: "{}".to_owned(), stderr: String::new() };
        write(&mut whole, &response).unwrap();
        for end in 0..whole.len() {
            assert!(read::<Response>(&whole[..end]).is_err(), "{end}");
        }
        let answer = read::<Response>(whole.as_slice()).unwrap().answer().unwrap();
        assert_eq!((answer.exit, answer.stdout.as_str()), (0, "{}"));
    }

    #[test]
    fn an_exit_code_that_no_agent_understands_is_no_answer() {
        for exit in [1, 3, 101, 255] {
            let response = Response { exit, stdout: String::new(), stderr: String::new() };
            assert!(response.answer().is_none(), "{exit}");
        }
    }
}
