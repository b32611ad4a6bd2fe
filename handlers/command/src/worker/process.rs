//! One worker process: its calls, and why it failed.

use std::time::Duration;

use hookgate_contract::{Failure, FailureClass, Reply, VerdictDecision};
use hookgate_secrets::Secrets;
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::runtime::{Handle, Id};
use tokio::time::timeout;

use super::connection::Connection;
use super::error::WorkerError;
use super::frame;
use crate::call_log::{log_answer, log_exit, log_stderr};
use crate::exit_failure::exit_failure;
use crate::run::{ProcessGroup, SpawnedProgram};

/// How long the exit of a process is awaited whose pipes have ended.
const EXIT_TIME: Duration = Duration::from_millis(100);

/// A worker process. It is ended when it is dropped.
pub(super) struct WorkerProcess {
    group: ProcessGroup,
    stdin: ChildStdin,
    connection: Connection,
    /// The runtime that wakes the pipes.
    runtime: Option<Id>,
    /// The id of the last call.
    call_id: u64,
    calls: u64,
}

impl WorkerProcess {
    /// Wraps a program whose lines have at most this many bytes.
    pub(super) fn new(program: SpawnedProgram, max_output: usize) -> Self {
        let SpawnedProgram { group, stdin, stdout, stderr } = program;
        Self {
            group,
            stdin,
            connection: Connection::new(stdout, stderr, max_output),
            runtime: Handle::try_current().ok().map(|runtime| runtime.id()),
            call_id: 0,
            calls: 0,
        }
    }

    /// Returns how many calls were made.
    pub(super) const fn calls(&self) -> u64 {
        self.calls
    }

    /// Returns the strictest decision in what it wrote and no call has read.
    pub(super) fn unread_decision(&self) -> Option<VerdictDecision> {
        self.connection.unread_decision()
    }

    /// Returns whether it can be called: it runs, and this runtime wakes its pipes.
    pub(super) fn is_usable(&self) -> bool {
        let here = Handle::try_current().ok().map(|runtime| runtime.id());
        self.runtime == here && !self.group.has_exited()
    }

    /// Waits for the first line.
    ///
    /// # Cancel safety
    /// It can be called again.
    pub(super) async fn ready(&mut self) -> Result<(), WorkerError> {
        let line = self.connection.read_line().await?;
        frame::parse_ready(&line).map_err(WorkerError::Protocol)
    }

    /// Sends a call. Whatever the worker wrote before it is refused: it is not an answer to anything.
    ///
    /// # Cancel safety
    /// If the future is dropped, the worker has half a call and must not be used again.
    pub(super) async fn send(&mut self, hook: &str, envelope: &[u8]) -> Result<(), WorkerError> {
        self.connection.expect_no_output(
            "the worker wrote to stdout before a call: it answers each call once, and prints nothing \
             else there",
            &[],
        )?;
        self.call_id = frame::random_call_id().map_err(WorkerError::Protocol)?;
        self.calls += 1;
        let call = frame::call_line(self.call_id, hook, envelope);
        let mut rest = call.as_slice();
        while !rest.is_empty() {
            // A worker that writes before it has read everything must not be stopped by it.
            tokio::select! {
                biased;
                written = self.stdin.write(rest) => match written {
                    Ok(count) if count > 0 => rest = rest.get(count..).unwrap_or_default(),
                    _ => return Err(WorkerError::Died),
                },
                read = self.connection.read_more() => read?,
            }
        }
        Ok(())
    }

    /// Waits for the answer to the last call.
    ///
    /// # Cancel safety
    /// It can be called again.
    pub(super) async fn answer(&mut self, secrets: &Secrets) -> Result<Reply, WorkerError> {
        let line = self.connection.read_line().await?;
        let reply =
            frame::parse_answer(&line, self.call_id, secrets).map_err(WorkerError::Protocol)?;
        // With two answers it is not known which was meant.
        self.connection
            .expect_no_output("the worker wrote more than one line for one call", &line)?;
        Ok(reply)
    }

    /// Logs what the worker has written to stderr since the last time.
    pub(super) fn log_stderr(&mut self, hook: &str, secrets: &Secrets) {
        log_stderr(hook, &self.connection.take_stderr_lines(), secrets);
    }

    /// Logs the last call, which the worker has answered.
    pub(super) fn log_call(&mut self, hook: &str, secrets: &Secrets) {
        self.log_stderr(hook, secrets);
        log_answer(hook, self.calls);
    }

    /// Ends the worker and says why it failed.
    pub(super) async fn into_failure(
        mut self,
        error: WorkerError,
        when: &str,
        hook: &str,
        secrets: &Secrets,
    ) -> Failure {
        self.log_stderr(hook, secrets);
        match error {
            WorkerError::Protocol(failure) if failure.class == FailureClass::Oversize => {
                let beyond = self.connection.search_beyond().await;
                let salvaged = failure.salvaged.max(beyond);
                failure.with_salvaged(salvaged)
            }
            WorkerError::Protocol(failure) => failure,
            WorkerError::Died => {
                let salvaged = self.unread_decision();
                if timeout(EXIT_TIME, self.group.exited()).await.is_err() {
                    let detail = format!("the worker closed its stdout {when}");
                    return Failure::new(FailureClass::Exit, detail).with_salvaged(salvaged);
                }
                self.connection.drain_stderr().await;
                self.log_stderr(hook, secrets);
                let stderr = self.connection.stderr_text();
                let exit = self.group.reap();
                log_exit(hook, exit);
                let mut failure = exit_failure("the worker", exit, &stderr, secrets);
                failure.detail = format!("the worker ended {when}: {}", failure.detail).into();
                failure.with_salvaged(salvaged)
            }
        }
    }
}
