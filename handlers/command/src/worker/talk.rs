//! One worker process and the pipes to it.

use std::io;
use std::time::Duration;

use hookgate_contract::{Failure, FailureClass, Reply};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::runtime::{Handle, Id};
use tokio::time::timeout;

use super::frame::{self, Said};
use crate::launch::Started;
use crate::leader::Leader;
use crate::outcome;

/// How much of stderr is kept, the end of it.
const STDERR: usize = 8 * 1024;

/// How much is read at once.
const CHUNK: usize = 16 * 1024;

/// How long the end of a process is awaited whose pipes have ended.
const END: Duration = Duration::from_millis(100);

/// A worker process.
pub(super) struct Worker {
    leader: Leader,
    stdin: ChildStdin,
    pipes: Pipes,
    /// The runtime that wakes the pipes.
    runtime: Option<Id>,
    id: u64,
}

/// Why a call came to nothing.
pub(super) enum Broken {
    /// The worker has died or closed its pipe.
    Died,
    /// It said something after which nothing that it says can be believed.
    Senseless(Failure),
}

struct Pipes {
    stdout: ChildStdout,
    stderr: ChildStderr,
    unread: Vec<u8>,
    /// How much of it has no line break.
    searched: usize,
    said: Vec<u8>,
    stderr_open: bool,
    most: usize,
}

impl Worker {
    /// A worker whose lines have at most so many bytes.
    pub(super) fn new(started: Started, most: usize) -> Self {
        let Started { leader, stdin, stdout, stderr } = started;
        let (unread, said) = (Vec::new(), Vec::new());
        Self {
            leader,
            stdin,
            pipes: Pipes { stdout, stderr, unread, searched: 0, said, stderr_open: true, most },
            runtime: Handle::try_current().ok().map(|runtime| runtime.id()),
            id: 0,
        }
    }

    /// How many calls were made.
    pub(super) const fn calls(&self) -> u64 {
        self.id
    }

    /// Whether it can be asked: it lives, and this runtime wakes its pipes.
    pub(super) fn is_usable(&self) -> bool {
        let here = Handle::try_current().ok().map(|runtime| runtime.id());
        self.runtime == here && !self.leader.has_ended()
    }

    /// Waits for the first line.
    ///
    /// # Cancel safety
    /// It can be called again.
    pub(super) async fn ready(&mut self) -> Result<(), Broken> {
        let line = self.pipes.line().await?;
        frame::ready(&line).map_err(Broken::Senseless)
    }

    /// Sends a call. When this is given up the worker is useless.
    pub(super) async fn send(&mut self, hook: &str, envelope: &[u8]) -> Result<(), Broken> {
        self.id += 1;
        let call = frame::call(self.id, hook, envelope);
        let mut rest = call.as_slice();
        while !rest.is_empty() {
            // A worker that writes before it has read everything must not be stopped by it.
            tokio::select! {
                biased;
                written = self.stdin.write(rest) => match written {
                    Ok(count) if count > 0 => rest = rest.get(count..).unwrap_or_default(),
                    _ => return Err(Broken::Died),
                },
                read = self.pipes.more() => read?,
            }
        }
        Ok(())
    }

    /// Waits for the answer to the last call.
    ///
    /// # Cancel safety
    /// It can be called again.
    pub(super) async fn answer(&mut self) -> Result<Reply, Broken> {
        loop {
            let line = self.pipes.line().await?;
            match frame::read(&line, self.id).map_err(Broken::Senseless)? {
                Said::Answer(reply) => return Ok(reply),
                Said::Late => {}
            }
        }
    }

    /// Ends the worker and tells why it failed.
    pub(super) async fn post_mortem(mut self, broken: Broken, when: &str) -> Failure {
        match broken {
            Broken::Senseless(failure) => failure,
            Broken::Died => {
                let Self { leader, pipes, .. } = &mut self;
                if timeout(END, leader.ended()).await.is_err() {
                    let detail = format!("the worker closed its stdout {when}");
                    return Failure::new(FailureClass::Exit, detail);
                }
                pipes.drain().await;
                let stderr = String::from_utf8_lossy(&pipes.said).trim().to_owned();
                let end = self.leader.bury();
                let mut failure = outcome::failure("the worker", end, &stderr);
                failure.detail = format!("the worker ended {when}: {}", failure.detail).into();
                failure
            }
        }
    }
}

impl Pipes {
    /// The next line of stdout.
    async fn line(&mut self) -> Result<Vec<u8>, Broken> {
        loop {
            let fresh = self.unread.get(self.searched..).unwrap_or_default();
            if let Some(place) = fresh.iter().position(|byte| *byte == b'\n') {
                let rest = self.unread.split_off(self.searched + place + 1);
                let mut line = std::mem::replace(&mut self.unread, rest);
                line.pop();
                self.searched = 0;
                if line.len() > self.most {
                    return Err(self.too_much());
                }
                return Ok(line);
            }
            self.searched = self.unread.len();
            if self.unread.len() > self.most {
                return Err(self.too_much());
            }
            self.more().await?;
        }
    }

    fn too_much(&self) -> Broken {
        Broken::Senseless(Failure::new(
            FailureClass::Oversize,
            format!("a line of the worker has more than {} bytes: raise limits.output", self.most),
        ))
    }

    /// Reads more of either pipe.
    async fn more(&mut self) -> Result<(), Broken> {
        let mut chunk = [0; CHUNK / 4];
        // Two lines of the largest size are more than a worker in step ever has to say.
        let full = self.unread.len() > 2 * self.most + CHUNK;
        tokio::select! {
            biased;
            read = self.stdout.read_buf(&mut self.unread), if !full => match read {
                Ok(count) if count > 0 => Ok(()),
                _ => Err(Broken::Died),
            },
            read = self.stderr.read(&mut chunk), if self.stderr_open => {
                self.keep(read, &chunk);
                Ok(())
            },
            else => Err(self.too_much()),
        }
    }

    fn keep(&mut self, read: io::Result<usize>, chunk: &[u8]) {
        match read {
            Ok(count) if count > 0 => {
                self.said.extend_from_slice(chunk.get(..count).unwrap_or_default());
                let old = self.said.len().saturating_sub(STDERR);
                self.said.drain(..old);
            }
            _ => self.stderr_open = false,
        }
    }

    /// Reads what is left of stderr.
    async fn drain(&mut self) {
        let mut chunk = [0; CHUNK / 4];
        while self.stderr_open {
            match timeout(END, self.stderr.read(&mut chunk)).await {
                Ok(read) => self.keep(read, &chunk),
                Err(_) => return,
            }
        }
    }
}
