//! One run of a program, from its start to its end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hookgate_contract::{Failure, FailureClass, Invocation, Verdict};
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::time::timeout;

use crate::capture::{Capture, Oversized};
use crate::launch::Started;
use crate::leader::End;
use crate::outcome::Output;
use crate::shim;

/// How much of stderr is kept.
const STDERR: usize = 64 * 1024;

/// How long the end of the pipes is awaited once the program has ended. A child that it left
/// behind may hold them for ever.
const LEAK: Duration = Duration::from_millis(100);

/// How much longer, where there is no verdict yet: what holds stdout may be about to write it, as
/// the `tee` of `exec > >(tee -a log)`.
const LINGER: Duration = Duration::from_millis(500);

/// How a program ended and what it wrote.
pub(crate) struct Finished {
    pub(crate) end: End,
    pub(crate) stdout: Capture,
    pub(crate) stderr: Capture,
    /// Whether something that the program started still held its stdout.
    pub(crate) held: bool,
}

/// What was heard so far. If nobody waits any longer, a decision in it is kept.
struct Heard<'a> {
    invocation: Invocation<'a>,
    output: Output,
    stdout: Capture,
}

impl Drop for Heard<'_> {
    fn drop(&mut self) {
        if self.output == Output::Verdict && !self.stdout.bytes().is_empty() {
            self.invocation.keep_salvaged(self.stdout.salvage());
        }
    }
}

/// Attends a program to its end.
///
/// # Cancel safety
/// When the future is dropped, the program and all that it started are ended.
pub(crate) async fn run(
    started: Started,
    input: &[u8],
    invocation: Invocation<'_>,
    output: Output,
    most: usize,
) -> Result<Finished, Failure> {
    let Started { leader, stdin, stdout: mut out, stderr: mut err } = started;
    // What the shim may add is not the program's.
    let room = most.saturating_add(shim::HELD.len());
    let mut heard = Heard { invocation, output, stdout: Capture::new(room) };
    let mut stderr = Capture::new(STDERR);
    let closed = AtomicBool::new(false);
    {
        let stdout = &mut heard.stdout;
        // Too much on stdout fails at once, whatever stderr does.
        let answer = async {
            stdout.read(&mut out).await?;
            // ORDERING: read by this task only.
            closed.store(true, Ordering::Relaxed);
            Ok::<_, Oversized>(())
        };
        let drain = async {
            stderr.drain(&mut err).await;
            Ok(())
        };
        let feed = feed(stdin, input);
        let read = async { tokio::try_join!(answer, drain) };
        tokio::pin!(feed, read);
        let (mut feeding, mut reading) = (true, true);
        loop {
            tokio::select! {
                () = leader.ended() => break,
                result = &mut read, if reading => {
                    reading = false;
                    if result.is_err() {
                        break;
                    }
                }
                () = &mut feed, if feeding => feeding = false,
            }
        }
        if reading {
            let _ = timeout(LEAK, &mut read).await;
        }
    }
    let mut held = !closed.into_inner();
    if held && !heard.stdout.is_over() && !is_verdict(heard.stdout.bytes()) {
        held = timeout(LINGER, heard.stdout.read(&mut out)).await.is_err();
    }
    held |= heard.stdout.strip(shim::HELD);
    if heard.stdout.is_over() || heard.stdout.bytes().len() > most {
        return Err(too_much(most).with_salvaged(heard.stdout.salvage()));
    }
    let stdout = std::mem::replace(&mut heard.stdout, Capture::new(0));
    Ok(Finished { end: leader.bury(), stdout, stderr, held })
}

/// Whether this is a whole verdict that says something: nothing more has to be waited for.
fn is_verdict(bytes: &[u8]) -> bool {
    Verdict::parse(bytes).is_ok_and(|verdict| verdict.parts().is_some())
}

/// Writes the envelope. A program that does not read it to the end has its reasons.
async fn feed(mut stdin: ChildStdin, input: &[u8]) {
    let _ = stdin.write_all(input).await;
}

fn too_much(most: usize) -> Failure {
    Failure::new(
        FailureClass::Oversize,
        format!("the program wrote more than {most} bytes to stdout: raise limits.output"),
    )
}
