//! Plain mode: one program runs to its end, once for one step.
//!
//! Three things happen at the same time, because any two of them in turn can block for ever: the
//! envelope is written to stdin, stdout is captured, and stderr is drained. A program may write a
//! megabyte before it reads its input, or exit without reading it.
//!
//! # When it ends
//! The *exit* of the program ends the run, not the end of its pipes: a child that the program left
//! behind may hold a pipe open for as long as it likes. After the exit, what is already in the pipes is
//! read ([`PIPE_TIME`]). If there is no whole verdict then, but a process still holds stdout (the `tee`
//! of `exec > >(tee -a log)`), its end is awaited a little longer ([`HOLDER_TIME`]). Both waits are
//! within the deadline of the hook, since the future is dropped at the deadline.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hookgate_contract::{Failure, FailureClass, Invocation, Verdict};
use hookgate_secrets::Secrets;
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::time::timeout;

use super::capture::{Capture, Oversized};
use super::spawn::SpawnedProgram;
use super::{ProcessGroup, ProgramExit};
use crate::call_log::log_stderr;
use crate::settings::StdoutFormat;
use crate::shim;

/// How many bytes of stderr are kept.
const MOST_STDERR: usize = 64 * 1024;

/// How long the pipes are read after the program has exited.
const PIPE_TIME: Duration = Duration::from_millis(100);

/// How much longer stdout is read if there is no verdict yet and a process still holds it: that
/// process may be about to write the verdict.
const HOLDER_TIME: Duration = Duration::from_millis(500);

/// A program that has ended, and what it wrote.
pub(crate) struct Completed {
    pub(crate) exit: ProgramExit,
    pub(crate) stdout: Capture,
    pub(crate) stderr: Capture,
    /// Whether a process that the program started still held its stdout.
    pub(crate) is_stdout_held: bool,
}

/// The part of an answer that has been read. If the future is dropped in the middle, a decision in it
/// is kept for the engine, and stderr is logged.
struct PartialAnswer<'a> {
    invocation: Invocation<'a>,
    secrets: &'a Secrets,
    format: StdoutFormat,
    stdout: Capture,
    stderr: Capture,
}

impl PartialAnswer<'_> {
    /// Logs stderr and returns it.
    fn take_stderr(&mut self) -> Capture {
        let stderr = std::mem::replace(&mut self.stderr, Capture::new(0));
        log_stderr(self.invocation.hook, &stderr.lossy_text(), self.secrets);
        stderr
    }
}

impl Drop for PartialAnswer<'_> {
    fn drop(&mut self) {
        self.take_stderr();
        if self.format == StdoutFormat::Verdict && !self.stdout.bytes().is_empty() {
            self.invocation.keep_salvaged(self.stdout.salvage());
        }
    }
}

/// Runs a program to its end: writes the envelope, reads the answer, waits for the exit.
///
/// # Errors
/// Of class `oversize` if stdout has more than `max_output` bytes. A decision in it is salvaged.
///
/// # Cancel safety
/// If the future is dropped, the program and all that it started are ended, and a decision in what it
/// has written so far is left with the invocation.
pub(crate) async fn run_to_completion(
    program: SpawnedProgram,
    envelope: &[u8],
    (invocation, secrets): (Invocation<'_>, &Secrets),
    format: StdoutFormat,
    max_output: usize,
) -> Result<Completed, Failure> {
    let SpawnedProgram { group, stdin, stdout: mut out, stderr: mut err, .. } = program;
    // The trailer that the shim may add is not output of the program.
    let limit = max_output.saturating_add(shim::HELD.len());
    let mut answer = PartialAnswer {
        invocation,
        secrets,
        format,
        stdout: Capture::new(limit),
        stderr: Capture::new(MOST_STDERR),
    };
    let captures = (&mut answer.stdout, &mut answer.stderr);
    let mut is_held = !attend(&group, stdin, envelope, (&mut out, &mut err), captures).await;
    if is_held && !answer.stdout.is_over() && !is_whole_verdict(answer.stdout.bytes()) {
        is_held = timeout(HOLDER_TIME, answer.stdout.read(&mut out)).await.is_err();
    }
    is_held |= answer.stdout.strip_suffix(shim::HELD);
    if answer.stdout.is_over() || answer.stdout.bytes().len() > max_output {
        return Err(too_much_output(max_output).with_salvaged(answer.stdout.salvage()));
    }
    let stdout = std::mem::replace(&mut answer.stdout, Capture::new(0));
    let stderr = answer.take_stderr();
    Ok(Completed { exit: group.reap(), stdout, stderr, is_stdout_held: is_held })
}

/// Feeds and reads a program until it has exited or written too much; returns whether its stdout was
/// closed.
async fn attend(
    group: &ProcessGroup,
    stdin: ChildStdin,
    envelope: &[u8],
    (out, err): (&mut ChildStdout, &mut ChildStderr),
    (stdout, stderr): (&mut Capture, &mut Capture),
) -> bool {
    let is_closed = AtomicBool::new(false);
    // Too much on stdout fails at once, whatever stderr does.
    let answer = async {
        stdout.read(out).await?;
        // ORDERING: read by this task only.
        is_closed.store(true, Ordering::Relaxed);
        Ok::<_, Oversized>(())
    };
    let drain = async {
        stderr.drain(err).await;
        Ok(())
    };
    let feed = write_envelope(stdin, envelope);
    let read = async { tokio::try_join!(answer, drain) };
    {
        tokio::pin!(feed, read);
        let (mut is_feeding, mut is_reading) = (true, true);
        loop {
            tokio::select! {
                () = group.exited() => break,
                result = &mut read, if is_reading => {
                    is_reading = false;
                    if result.is_err() {
                        break;
                    }
                }
                () = &mut feed, if is_feeding => is_feeding = false,
            }
        }
        if is_reading {
            let _ = timeout(PIPE_TIME, &mut read).await;
        }
    }
    is_closed.into_inner()
}

/// Returns whether this is a whole verdict with an opinion: nothing more has to be waited for.
fn is_whole_verdict(bytes: &[u8]) -> bool {
    Verdict::parse(bytes).is_ok_and(|verdict| verdict.parts().is_some())
}

/// Writes the envelope and closes stdin. A program need not read it to the end.
async fn write_envelope(mut stdin: ChildStdin, envelope: &[u8]) {
    let _ = stdin.write_all(envelope).await;
}

fn too_much_output(max_output: usize) -> Failure {
    Failure::new(
        FailureClass::Oversize,
        format!("the program wrote more than {max_output} bytes to stdout: raise limits.output"),
    )
}
