//! One run of a program, from its start to its end.

use std::time::Duration;

use hookgate_contract::{Failure, FailureClass};
use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::time::timeout;

use crate::capture::{Capture, Oversized};
use crate::launch::Started;
use crate::leader::End;

/// How much of stderr is kept.
const STDERR: usize = 64 * 1024;

/// How long the end of the pipes is awaited once the program has ended. A child that it left
/// behind may hold them for ever.
const LEAK: Duration = Duration::from_millis(100);

/// How a program ended and what it wrote.
pub(crate) struct Finished {
    pub(crate) end: End,
    pub(crate) stdout: Capture,
    pub(crate) stderr: Capture,
}

/// Attends a program to its end.
///
/// # Cancel safety
/// When the future is dropped, the program and all that it started are ended.
pub(crate) async fn run(
    started: Started,
    input: &[u8],
    output: usize,
) -> Result<Finished, Failure> {
    let Started { leader, stdin, stdout: out, stderr: err } = started;
    let (mut stdout, mut stderr) = (Capture::new(output), Capture::new(STDERR));
    {
        let feed = feed(stdin, input);
        let drain = async {
            stderr.drain(err).await;
            Ok(())
        };
        // Too much on stdout fails at once, whatever stderr does.
        let read = async { tokio::try_join!(stdout.read(out), drain) };
        tokio::pin!(feed, read);
        let (mut feeding, mut reading) = (true, true);
        loop {
            tokio::select! {
                () = leader.ended() => break,
                result = &mut read, if reading => {
                    result.map_err(|oversized| too_much(oversized, output))?;
                    reading = false;
                }
                () = &mut feed, if feeding => feeding = false,
            }
        }
        if reading && let Ok(result) = timeout(LEAK, &mut read).await {
            result.map_err(|oversized| too_much(oversized, output))?;
        }
    }
    Ok(Finished { end: leader.bury(), stdout, stderr })
}

/// Writes the envelope. A program that does not read it to the end has its reasons.
async fn feed(mut stdin: ChildStdin, input: &[u8]) {
    let _ = stdin.write_all(input).await;
}

fn too_much(_: Oversized, output: usize) -> Failure {
    Failure::new(
        FailureClass::Oversize,
        format!("the program wrote more than {output} bytes to stdout: raise limits.output"),
    )
}
