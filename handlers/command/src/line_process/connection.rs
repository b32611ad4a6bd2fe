//! The two pipes that a program writes to: answers on stdout, line by line, and anything on stderr.
//!
//! stderr is read whenever stdout is, and only its end is kept: it is needed if the program dies, and a
//! full pipe would stop it.
//!
//! Memory is bounded: at most two of the longest lines of stdout and 8 KiB of stderr are held. A longer
//! line is an error, since a program that writes without end would otherwise fill the host.

use std::io;
use std::time::Duration;

use hookgate_contract::{Failure, FailureClass, VerdictDecision};
use tokio::io::AsyncReadExt;
use tokio::process::{ChildStderr, ChildStdout};
use tokio::time::timeout;

use super::error::LineError;
use crate::run::find_decision_beyond;

/// How many bytes of stderr are kept, the end of it.
const KEPT_STDERR: usize = 8 * 1024;

/// How many times a pipe is read that a program may fill without end.
const MOST_READS: usize = 64;

/// How many bytes are read at once.
const CHUNK: usize = 16 * 1024;

/// How long the end of stderr is awaited after the program has exited: a child may hold it.
const DRAIN_TIME: Duration = Duration::from_millis(100);

/// The pipes of a program, with what was read and not yet used.
pub(super) struct Connection {
    stdout: ChildStdout,
    unread: Vec<u8>,
    /// How many bytes of `unread` are known to have no line break.
    searched: usize,
    max_line: usize,
    /// What the program is, in messages: a worker, a server.
    name: &'static str,
    stderr: ChildStderr,
    stderr_tail: Vec<u8>,
    /// Whether the beginning of stderr was dropped.
    is_tail_cut: bool,
    /// How many bytes of the tail were taken as lines.
    taken: usize,
    /// Whether bytes were dropped that were not taken.
    is_fresh_cut: bool,
    is_stderr_open: bool,
}

impl Connection {
    /// Wraps the pipes of a program whose lines have at most this many bytes.
    pub(super) const fn new(
        stdout: ChildStdout,
        stderr: ChildStderr,
        max_line: usize,
        name: &'static str,
    ) -> Self {
        Self {
            stdout,
            unread: Vec::new(),
            searched: 0,
            max_line,
            name,
            stderr,
            stderr_tail: Vec::new(),
            is_tail_cut: false,
            taken: 0,
            is_fresh_cut: false,
            is_stderr_open: true,
        }
    }

    /// Returns what was read and not used.
    pub(super) fn unread(&self) -> &[u8] {
        &self.unread
    }

    /// Returns the strictest decision in what was read and in what follows it on stdout.
    pub(super) async fn search_beyond(&mut self) -> Option<VerdictDecision> {
        let unread = std::mem::take(&mut self.unread);
        find_decision_beyond(&mut self.stdout, unread).await
    }

    /// Reads the next line of stdout, without its line break.
    ///
    /// # Cancel safety
    /// It can be called again.
    pub(super) async fn read_line(&mut self) -> Result<Vec<u8>, LineError> {
        loop {
            let fresh = self.unread.get(self.searched..).unwrap_or_default();
            if let Some(end) = fresh.iter().position(|byte| *byte == b'\n') {
                let end = self.searched + end;
                if end > self.max_line {
                    return Err(self.line_too_long());
                }
                let rest = self.unread.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.unread, rest);
                line.pop();
                self.searched = 0;
                return Ok(line);
            }
            self.searched = self.unread.len();
            if self.unread.len() > self.max_line {
                return Err(self.line_too_long());
            }
            self.read_more().await?;
        }
    }

    fn line_too_long(&self) -> LineError {
        LineError::Protocol(Failure::new(
            FailureClass::Oversize,
            format!(
                "a line of the {} has more than {} bytes: raise limits.output",
                self.name, self.max_line
            ),
        ))
    }

    /// Returns whether more than any program in step has to say was read: two of the longest lines.
    fn is_full(&self) -> bool {
        self.unread.len() > 2 * self.max_line + CHUNK
    }

    /// Fails if there is anything on stdout: read already, or in the pipe at this moment. `line` is
    /// what was read before; a decision in either is salvaged.
    pub(super) fn expect_no_output(
        &mut self,
        detail: &'static str,
        line: &[u8],
    ) -> Result<(), LineError> {
        let mut chunk = [0; CHUNK];
        // The pipe does not block. Its end, or an error, is found by the next read.
        while let Some(count @ 1..) = read_now(&mut self.stdout, &mut chunk) {
            self.unread.extend_from_slice(chunk.get(..count).unwrap_or_default());
            if self.is_full() {
                break;
            }
        }
        if self.unread.is_empty() {
            return Ok(());
        }
        let written = [line, &self.unread].concat();
        Err(LineError::out_of_step(detail, &written))
    }

    /// Reads more of either pipe, of stdout first if both have something.
    ///
    /// # Cancel safety
    /// No byte is lost: either it was read and is kept, or it still is in the pipe.
    pub(super) async fn read_more(&mut self) -> Result<(), LineError> {
        let mut chunk = [0; CHUNK / 4];
        let is_full = self.is_full();
        tokio::select! {
            biased;
            read = self.stdout.read_buf(&mut self.unread), if !is_full => match read {
                Ok(count) if count > 0 => Ok(()),
                _ => Err(LineError::Died),
            },
            read = self.stderr.read(&mut chunk), if self.is_stderr_open => {
                self.keep_stderr(read, &chunk);
                Ok(())
            },
            else => Err(self.line_too_long()),
        }
    }

    /// Keeps the end of stderr.
    fn keep_stderr(&mut self, read: io::Result<usize>, chunk: &[u8]) {
        match read {
            Ok(count) if count > 0 => {
                self.stderr_tail.extend_from_slice(chunk.get(..count).unwrap_or_default());
                let old = self.stderr_tail.len().saturating_sub(KEPT_STDERR);
                self.is_tail_cut |= old > 0;
                self.is_fresh_cut |= old > self.taken;
                self.taken = self.taken.saturating_sub(old);
                self.stderr_tail.drain(..old);
            }
            _ => self.is_stderr_open = false,
        }
    }

    /// Returns the whole lines that were written to stderr since the last time, and are still kept. An
    /// unfinished line comes with its rest: a piece of a secret in it could not be recognised.
    pub(super) fn take_stderr_lines(&mut self) -> String {
        let mut chunk = [0; CHUNK / 4];
        for _ in 0..MOST_READS {
            // The pipe does not block. Its end, or an error, is found by the next read.
            match read_now(&mut self.stderr, &mut chunk) {
                Some(count @ 1..) => self.keep_stderr(Ok(count), &chunk),
                _ => break,
            }
        }
        let fresh = self.stderr_tail.get(self.taken..).unwrap_or_default();
        let Some(end) = fresh.iter().rposition(|byte| *byte == b'\n') else {
            return String::new();
        };
        let whole = fresh.get(..end).unwrap_or_default();
        let start = match whole.iter().position(|byte| *byte == b'\n') {
            _ if !self.is_fresh_cut => 0,
            Some(first) => first + 1,
            None => end,
        };
        let text = String::from_utf8_lossy(whole.get(start..).unwrap_or_default()).into_owned();
        self.taken += end + 1;
        self.is_fresh_cut = false;
        text
    }

    /// Reads what is left of stderr.
    pub(super) async fn drain_stderr(&mut self) {
        let mut chunk = [0; CHUNK / 4];
        while self.is_stderr_open {
            match timeout(DRAIN_TIME, self.stderr.read(&mut chunk)).await {
                Ok(read) => self.keep_stderr(read, &chunk),
                Err(_) => return,
            }
        }
    }

    /// Returns the end of stderr. If its beginning was dropped, the incomplete first line is left out:
    /// a piece of a secret in it could not be recognised.
    pub(super) fn stderr_text(&self) -> String {
        let tail = &self.stderr_tail;
        let whole = match tail.iter().position(|byte| *byte == b'\n') {
            Some(end) if self.is_tail_cut => tail.get(end..).unwrap_or_default(),
            None if self.is_tail_cut => &[],
            _ => tail,
        };
        String::from_utf8_lossy(whole).trim().to_owned()
    }
}

/// Reads what is in a pipe at this moment, which does not block; `None` if there is nothing.
#[cfg(unix)]
fn read_now(pipe: &mut impl std::os::fd::AsFd, chunk: &mut [u8]) -> Option<usize> {
    rustix::io::read(pipe, chunk).ok()
}

/// Reads what a pipe is known to have. Windows cannot tell what is in a pipe, so a thread reads ahead: what it has not read
/// by now is found later.
#[cfg(windows)]
fn read_now(pipe: &mut (impl tokio::io::AsyncRead + Unpin), chunk: &mut [u8]) -> Option<usize> {
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    let mut read = tokio::io::ReadBuf::new(chunk);
    match Pin::new(pipe).poll_read(&mut Context::from_waker(Waker::noop()), &mut read) {
        Poll::Ready(Ok(())) => Some(read.filled().len()),
        Poll::Ready(Err(_)) | Poll::Pending => None,
    }
}
