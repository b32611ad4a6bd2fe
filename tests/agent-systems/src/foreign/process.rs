//! Runs the program of a hook: with pipes that are served at the same time, in a process group of its
//! own, which is killed as a whole at the time limit.
//!
//! The exit of the program ends the run. What it left running may hold its pipes for as long as it likes:
//! they are read a moment longer and then closed. Agents let such processes live, so they live here too.

use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, Command};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::run::{Process, RawRun, RunEnd};

/// How many bytes of stdout are kept.
const MOST_STDOUT: usize = 10 * 1024 * 1024;

/// How many bytes of stderr are kept.
const MOST_STDERR: usize = 1024 * 1024;

/// How long the pipes are read after the program has ended.
const PIPE_TIME: Duration = Duration::from_millis(300);

/// How long a program may take to end after TERM.
const GRACE: Duration = Duration::from_millis(100);

/// The group of a program, which ends with this value unless it is disarmed.
struct Group(Option<Pid>);

impl Group {
    /// Takes the group of a child that leads it. It must not be reaped before the value is dropped or
    /// disarmed: its pid is the name of the group.
    fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
    }

    /// Sends a signal to all processes of the group. An empty group is no error.
    fn signal(&self, signal: Signal) {
        if let Some(leader) = self.0 {
            let _ = kill_process_group(leader, signal);
        }
    }

    /// Lets the group live.
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
    }
}

/// What is read from a pipe, up to a limit. The rest is read and thrown away.
#[derive(Debug, Default)]
struct Kept {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Kept {
    async fn fill(&mut self, mut pipe: impl AsyncRead + Unpin, limit: usize) {
        let mut piece = vec![0; 64 * 1024];
        while let Ok(count) = pipe.read(&mut piece).await {
            let Some(read) = piece.get(..count).filter(|read| !read.is_empty()) else { return };
            let room = limit.saturating_sub(self.bytes.len());
            self.is_cut |= read.len() > room;
            self.bytes.extend(read.iter().take(room));
        }
    }
}

/// Runs a program to its end or to the time limit.
///
/// # Cancel safety
/// If the future is dropped, the program and its group are killed.
pub(super) async fn run(process: &Process, stdin: &[u8], limit: Duration) -> RawRun {
    let deadline = Instant::now() + limit;
    let mut command = Command::new(&process.program);
    command
        .args(&process.args)
        .env_clear()
        .envs(process.env.iter().map(|(name, value)| (name, value)));
    command.current_dir(&process.cwd).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return RawRun::new(RunEnd::NotStarted(refusal(process, &error))),
    };
    let group = Group::of(&child);
    let (mut out, mut err) = (Kept::default(), Kept::default());
    let (input, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let ended = {
        let read = async {
            let out = async {
                if let Some(pipe) = stdout {
                    out.fill(pipe, MOST_STDOUT).await;
                }
            };
            let err = async {
                if let Some(pipe) = stderr {
                    err.fill(pipe, MOST_STDERR).await;
                }
            };
            tokio::join!(out, err)
        };
        timeout_at(deadline, attend(&mut child, input, stdin, read)).await
    };
    let end = match ended {
        Ok((status, is_fed)) => {
            group.disarm();
            end_of(status, is_fed)
        }
        Err(_) => {
            group.signal(Signal::TERM);
            sleep(GRACE).await;
            drop(group);
            let _ = child.wait().await;
            RunEnd::TimedOut
        }
    };
    RawRun { end, stdout: out.bytes, stderr: err.bytes, is_cut: out.is_cut || err.is_cut }
}

/// Feeds and reads a program until it has ended; returns its status and whether it read all its input.
async fn attend(
    child: &mut Child,
    input: Option<ChildStdin>,
    stdin: &[u8],
    read: impl Future,
) -> (std::io::Result<ExitStatus>, bool) {
    let feed = feed(input, stdin);
    tokio::pin!(feed, read);
    let (mut is_reading, mut fed) = (true, None);
    let status = loop {
        tokio::select! {
            status = child.wait() => break status,
            _ = &mut read, if is_reading => is_reading = false,
            whole = &mut feed, if fed.is_none() => fed = Some(whole),
        }
    };
    if is_reading {
        let _ = timeout(PIPE_TIME, &mut read).await;
    }
    (status, fed.unwrap_or(false))
}

/// Writes the input and closes the pipe; returns whether all of it was taken.
async fn feed(pipe: Option<ChildStdin>, stdin: &[u8]) -> bool {
    let Some(mut pipe) = pipe else { return false };
    pipe.write_all(stdin).await.is_ok()
}

fn end_of(status: std::io::Result<ExitStatus>, is_fed: bool) -> RunEnd {
    match status {
        Err(error) => RunEnd::NotStarted(format!("its end was not seen: {error}")),
        Ok(status) => match (status.code(), status.signal()) {
            (Some(code), _) if is_fed => RunEnd::Exited(code),
            (Some(code), _) => RunEnd::InputNotRead(code),
            (None, signal) => RunEnd::Signalled(signal.unwrap_or_default()),
        },
    }
}

fn refusal(process: &Process, error: &std::io::Error) -> String {
    if !process.cwd.is_dir() {
        return format!("its folder `{}` is not there", process.cwd.display());
    }
    format!("`{}` cannot be started: {error}", process.program)
}
