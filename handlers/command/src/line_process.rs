//! A program that stays, and is talked to line by line.
//!
//! What the lines mean is the matter of a [`Conversation`](crate::server::Conversation). Here they are
//! only bytes: bounded, read while others are written so that no full pipe stops either side, and
//! searched for a decision when nothing else can be had from the program.

mod connection;
mod error;

use std::fmt;
use std::time::Duration;

use hookgate_contract::{Failure, FailureClass, VerdictDecision};
use hookgate_secrets::Secrets;
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::runtime::{Handle, Id};
use tokio::time::timeout;

use crate::call_log::{log_exit, log_stderr};
use crate::exit_failure::exit_failure;
use crate::run::{ProcessGroup, SpawnedProgram};
use connection::Connection;
pub use error::LineError;

/// How long the exit of a process is awaited whose pipes have ended.
const EXIT_TIME: Duration = Duration::from_millis(100);

/// A program that stays. It is ended when it is dropped.
pub struct LineProcess {
    group: ProcessGroup,
    stdin: ChildStdin,
    connection: Connection,
    /// The runtime that wakes the pipes.
    runtime: Option<Id>,
    /// What it is, in messages: a worker, a server.
    name: &'static str,
    /// Finds a decision in lines that nobody has read.
    salvage: fn(&[u8]) -> Option<VerdictDecision>,
}

impl LineProcess {
    /// Wraps a program whose lines have at most this many bytes.
    pub(crate) fn new(
        program: SpawnedProgram,
        max_line: usize,
        name: &'static str,
        salvage: fn(&[u8]) -> Option<VerdictDecision>,
    ) -> Self {
        let SpawnedProgram { group, stdin, stdout, stderr, .. } = program;
        Self {
            group,
            stdin,
            connection: Connection::new(stdout, stderr, max_line, name),
            runtime: Handle::try_current().ok().map(|runtime| runtime.id()),
            name,
            salvage,
        }
    }

    /// Returns the strictest decision in what it wrote and nobody has read.
    pub(crate) fn unread_decision(&self) -> Option<VerdictDecision> {
        (self.salvage)(self.connection.unread())
    }

    /// Returns whether it can be called: it runs, and this runtime wakes its pipes.
    pub(crate) fn is_usable(&self) -> bool {
        let here = Handle::try_current().ok().map(|runtime| runtime.id());
        self.runtime == here && !self.group.has_exited()
    }

    /// Reads the next line of stdout, without its line break.
    ///
    /// # Errors
    /// If the program has ended, or the line is too long.
    ///
    /// # Cancel safety
    /// It can be called again.
    pub async fn read_line(&mut self) -> Result<Vec<u8>, LineError> {
        self.connection.read_line().await
    }

    /// Writes bytes to stdin, and reads what the program writes meanwhile: one that writes before it
    /// has read everything must not be stopped by it.
    ///
    /// # Errors
    /// If the program has ended, or has written more than any line may have.
    ///
    /// # Cancel safety
    /// If the future is dropped, some of the bytes were written, and the program must not be used again.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), LineError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            tokio::select! {
                biased;
                written = self.stdin.write(rest) => match written {
                    Ok(count) if count > 0 => rest = rest.get(count..).unwrap_or_default(),
                    _ => return Err(LineError::Died),
                },
                read = self.connection.read_more() => read?,
            }
        }
        Ok(())
    }

    /// Fails if there is anything on stdout: read already, or in the pipe at this moment. `line` is
    /// what was read before; a decision in either is salvaged.
    pub(crate) fn expect_no_output(
        &mut self,
        detail: &'static str,
        line: &[u8],
    ) -> Result<(), LineError> {
        self.connection.expect_no_output(detail, line)
    }

    /// Logs what the program has written to stderr since the last time.
    pub(crate) fn log_stderr(&mut self, hook: &str, secrets: &Secrets) {
        log_stderr(hook, &self.connection.take_stderr_lines(), secrets);
    }

    /// Ends the program and says why it failed.
    pub(crate) async fn into_failure(
        mut self,
        error: LineError,
        when: &str,
        hook: &str,
        secrets: &Secrets,
    ) -> Failure {
        self.log_stderr(hook, secrets);
        match error {
            LineError::Protocol(failure) if failure.class == FailureClass::Oversize => {
                let beyond = self.connection.search_beyond().await;
                let salvaged = failure.salvaged.max(beyond);
                failure.with_salvaged(salvaged)
            }
            LineError::Protocol(failure) => failure,
            LineError::Died => {
                let name = self.name;
                let salvaged = self.unread_decision();
                if timeout(EXIT_TIME, self.group.exited()).await.is_err() {
                    let detail = format!("the {name} closed its stdout {when}");
                    return Failure::new(FailureClass::Exit, detail).with_salvaged(salvaged);
                }
                self.connection.drain_stderr().await;
                self.log_stderr(hook, secrets);
                let stderr = self.connection.stderr_text();
                let exit = self.group.reap();
                log_exit(hook, exit);
                let what = format!("the {name}");
                let mut failure = exit_failure(&what, exit, &stderr, secrets);
                failure.detail = format!("{what} ended {when}: {}", failure.detail).into();
                failure.with_salvaged(salvaged)
            }
        }
    }
}

impl fmt::Debug for LineProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineProcess").field("name", &self.name).finish_non_exhaustive()
    }
}
