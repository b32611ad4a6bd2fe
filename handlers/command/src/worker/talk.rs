//! One worker process and the pipes to it.

use std::io;
use std::time::Duration;

use hookgate_contract::{Failure, FailureClass, Reply, Verdict, VerdictDecision};
use hookgate_secrets::Secrets;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::runtime::{Handle, Id};
use tokio::time::timeout;

use super::frame;
use crate::capture::beyond;
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
    /// The number of the last call.
    id: u64,
    calls: u64,
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
    /// Whether the beginning of that was dropped.
    cut: bool,
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
            pipes: Pipes {
                stdout,
                stderr,
                unread,
                searched: 0,
                said,
                cut: false,
                stderr_open: true,
                most,
            },
            runtime: Handle::try_current().ok().map(|runtime| runtime.id()),
            id: 0,
            calls: 0,
        }
    }

    /// How many calls were made.
    pub(super) const fn calls(&self) -> u64 {
        self.calls
    }

    /// The strictest decision in what it wrote and nobody read.
    pub(super) fn left(&self) -> Option<VerdictDecision> {
        Verdict::salvage_anywhere(&self.pipes.unread)
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
    ///
    /// What it wrote before it was asked is no answer to anything.
    pub(super) async fn send(&mut self, hook: &str, envelope: &[u8]) -> Result<(), Broken> {
        self.pipes.expect_nothing(
            "the worker wrote to stdout before it was asked: it answers once, and prints nothing \
             else there",
            &[],
        )?;
        self.id = frame::id().map_err(Broken::Senseless)?;
        self.calls += 1;
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
    pub(super) async fn answer(&mut self, secrets: &Secrets) -> Result<Reply, Broken> {
        let line = self.pipes.line().await?;
        let reply = frame::read(&line, self.id, secrets).map_err(Broken::Senseless)?;
        // Which of two answers was meant nobody knows.
        self.pipes.expect_nothing("the worker wrote more than one line for one call", &line)?;
        Ok(reply)
    }

    /// Ends the worker and tells why it failed.
    pub(super) async fn post_mortem(
        mut self,
        broken: Broken,
        when: &str,
        secrets: &Secrets,
    ) -> Failure {
        match broken {
            Broken::Senseless(failure) if failure.class == FailureClass::Oversize => {
                let unread = std::mem::take(&mut self.pipes.unread);
                let beyond = beyond(&mut self.pipes.stdout, unread).await;
                let stands = failure.salvaged.max(beyond);
                failure.with_salvaged(stands)
            }
            Broken::Senseless(failure) => failure,
            Broken::Died => {
                let stands = self.left();
                let Self { leader, pipes, .. } = &mut self;
                if timeout(END, leader.ended()).await.is_err() {
                    let detail = format!("the worker closed its stdout {when}");
                    return Failure::new(FailureClass::Exit, detail).with_salvaged(stands);
                }
                pipes.drain().await;
                let stderr = self.pipes.said();
                let end = self.leader.bury();
                let mut failure = outcome::failure("the worker", end, &stderr, secrets);
                failure.detail = format!("the worker ended {when}: {}", failure.detail).into();
                failure.with_salvaged(stands)
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
                if self.searched + place > self.most {
                    return Err(self.too_much());
                }
                let rest = self.unread.split_off(self.searched + place + 1);
                let mut line = std::mem::replace(&mut self.unread, rest);
                line.pop();
                self.searched = 0;
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

    /// Fails if there is anything on stdout: read already, or in the pipe at this moment. `line` is
    /// what was read before.
    fn expect_nothing(&mut self, detail: &'static str, line: &[u8]) -> Result<(), Broken> {
        let mut chunk = [0; CHUNK];
        // The pipe is not blocking. Its end, or an error, is met by whoever reads next.
        while let Ok(count @ 1..) = rustix::io::read(&self.stdout, &mut chunk) {
            self.unread.extend_from_slice(chunk.get(..count).unwrap_or_default());
            if self.unread.len() > 2 * self.most + CHUNK {
                break;
            }
        }
        if self.unread.is_empty() {
            return Ok(());
        }
        let said = [line, &self.unread].concat();
        Err(Broken::Senseless(frame::out_of_step(detail.to_owned(), &said)))
    }

    /// The end of what came on stderr. Of what was cut off, the broken first line is left out: a
    /// piece of a secret could not be found in it.
    fn said(&self) -> String {
        let whole = match self.said.iter().position(|byte| *byte == b'\n') {
            Some(end) if self.cut => self.said.get(end..).unwrap_or_default(),
            None if self.cut => &[],
            _ => &self.said,
        };
        String::from_utf8_lossy(whole).trim().to_owned()
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
                self.cut |= old > 0;
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
