//! How a program is started: the same way for each step and for a worker.
//!
//! `posix_spawn` by way of `std::process::Command`: no `pre_exec`, because that would fork, and a fork
//! copies the page tables of the whole host (milliseconds for a large one). What has to happen between
//! fork and exec (privileges, the sandbox) is the task of the [shim](crate::shim).

use std::io;
#[cfg(unix)]
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use hookgate_contract::{Failure, FailureClass, Invocation, Waits};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::runtime::Handle;

use super::ProcessGroup;
#[cfg(windows)]
use super::job::start;
#[cfg(unix)]
use super::process_group::start;
use super::run_id::{self, RunId};
use crate::program_pin::{FileStatus, ProgramPin};
use crate::settings::{CommandLine, Environment, ResourceLimits, Sandbox};
use crate::shim;

/// What the system says of a file that it cannot start.
#[cfg(unix)]
const NO_PROGRAM: i32 = rustix::io::Errno::NOEXEC.raw_os_error();
#[cfg(windows)]
const NO_PROGRAM: i32 = 193;

/// How long it is waited before a program is started again for which there were no files.
const FILES_WAIT: Duration = Duration::from_millis(10);

/// How much longer the host waits for a shim than the shim for the program.
#[cfg(unix)]
const SHIM_MARGIN: Duration = Duration::from_millis(50);

/// The detail of a failure where the pipes of a program cannot be read.
const NO_IO: &str = "programs need a tokio runtime with I/O and its clock enabled (`enable_all`)";

/// Starts the program of one hook, as often as needed.
pub(crate) struct Spawner {
    pub(crate) command_line: CommandLine,
    pub(crate) environment: Environment,
    /// The folder of the config.
    pub(crate) base: PathBuf,
    /// How long the program may take to end after TERM.
    pub(crate) grace: Duration,
    pub(crate) limits: ResourceLimits,
    pub(crate) sandbox: Option<Sandbox>,
    /// The program that is the shim, if one is used.
    pub(crate) shim: Option<PathBuf>,
    /// The files that are run, as they were when the table was built.
    pub(crate) pins: Vec<ProgramPin>,
}

/// A program that was started.
pub(crate) struct SpawnedProgram {
    /// Its files, as they were just before it was started.
    pub(crate) compared: Vec<FileStatus>,
    pub(crate) group: ProcessGroup,
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

/// That a program was not started.
pub(crate) struct NotStarted {
    /// Whether this process, or the system, has as many files open or processes as it may: that passes.
    lacks_files: bool,
    failure: Failure,
}

impl From<Failure> for NotStarted {
    fn from(failure: Failure) -> Self {
        Self { lacks_files: false, failure }
    }
}

impl From<NotStarted> for Failure {
    fn from(not_started: NotStarted) -> Self {
        not_started.failure
    }
}

/// Returns whether there was no room for the pipes to a program, or for another process. Windows has no such bounds.
#[cfg(windows)]
fn lacks_files(_error: &io::Error) -> bool {
    false
}

#[cfg(unix)]
fn lacks_files(error: &io::Error) -> bool {
    use rustix::io::Errno;

    let lacking = [Errno::MFILE, Errno::NFILE, Errno::AGAIN].map(Errno::raw_os_error);
    error.raw_os_error().is_some_and(|code| lacking.contains(&code))
}

fn no_files() -> String {
    "this process has as many files open as it may: raise `ulimit -n`, or lower `processes` in [limits]".to_owned()
}

/// Checks that there is a runtime to wait in.
///
/// # Errors
/// Of class `spawn` outside a tokio runtime.
pub(crate) fn check_runtime() -> Result<(), Failure> {
    Handle::try_current().map(|_| ()).map_err(|_| spawn_failure(NO_IO))
}

impl Spawner {
    /// Starts the program in a folder, with the variables that `add_variables` adds.
    ///
    /// # Errors
    /// Of class `untrusted` if a file is not what it was, else of class `spawn`. Whatever was started
    /// is ended then.
    pub(crate) fn spawn(
        &self,
        hook: &str,
        cwd: &Path,
        add_variables: impl FnOnce(&mut Command),
    ) -> Result<SpawnedProgram, NotStarted> {
        let compared = self.pins.iter().map(ProgramPin::check).collect::<Result<Vec<_>, _>>()?;
        let run = RunId::new();
        let mut command = self.command(cwd);
        command.current_dir(cwd);
        self.environment.apply(&mut command, hook);
        command.env(run_id::VARIABLE, run.to_string());
        command.env("HOOKGATE_CONFIG_DIR", &self.base);
        add_variables(&mut command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = start(command).map_err(|error| NotStarted {
            lacks_files: lacks_files(&error),
            failure: self.refusal(&error),
        })?;
        Ok(self.take_charge(child, run, compared)?)
    }

    /// As [`Self::spawn`]. As long as this process has no files for the pipes to a program, it is tried again: others
    /// are about to end. The time of the hook ends it.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Cancel safety
    /// A dropped future starts nothing.
    pub(crate) async fn spawn_with_files(
        &self,
        invocation: Invocation<'_>,
        cwd: &Path,
        add_variables: impl Fn(&mut Command),
    ) -> Result<SpawnedProgram, Failure> {
        let mut waits = None;
        loop {
            match self.spawn(invocation.hook, cwd, &add_variables) {
                Err(NotStarted { lacks_files: true, .. }) => {
                    waits.get_or_insert_with(|| Waits::begin(invocation, no_files));
                    tokio::time::sleep(FILES_WAIT).await;
                }
                started => {
                    if let Some(waits) = waits {
                        waits.end();
                    }
                    return Ok(started?);
                }
            }
        }
    }

    /// Tells whether the files of a program that was started are still those that were compared then.
    ///
    /// # Errors
    /// Of class `untrusted` if one of them has changed since: it may have been another one that was run.
    pub(crate) fn is_still(&self, compared: &[FileStatus]) -> Result<(), Failure> {
        self.pins.iter().zip(compared).try_for_each(|(pin, status)| pin.is_still(*status))
    }

    /// Watches a child that was just started.
    #[cfg(windows)]
    fn take_charge(
        &self,
        mut child: Box<dyn process_wrap::tokio::ChildWrapper>,
        _run: RunId,
        compared: Vec<FileStatus>,
    ) -> Result<SpawnedProgram, Failure> {
        let pipes = (child.stdin().take(), child.stdout().take(), child.stderr().take());
        let group = ProcessGroup::new(child);
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(spawn_failure("the program has no pipes"));
        };
        Ok(SpawnedProgram { compared, group, stdin, stdout, stderr })
    }

    /// Limits and watches a child that was just started.
    #[cfg(unix)]
    fn take_charge(
        &self,
        mut child: std::process::Child,
        run: RunId,
        compared: Vec<FileStatus>,
    ) -> Result<SpawnedProgram, Failure> {
        let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
        let Some(pid) = pid else { return Err(spawn_failure("the program has no pid")) };
        let is_shim = self.shim.is_some();
        // As early as can be: until then the program runs without limits.
        let limited = if is_shim { Ok(()) } else { self.limits.apply(pid) };
        let grace = if is_shim { self.grace + SHIM_MARGIN } else { self.grace };
        let unwatched =
            |error: io::Error| spawn_failure(format!("the program cannot be watched: {error}"));
        // In a runtime without I/O this panics, and the program is ended.
        let group = catch_unwind(AssertUnwindSafe(|| ProcessGroup::new(pid, run, grace, is_shim)));
        let group = group.map_err(|_| spawn_failure(NO_IO))?.map_err(unwatched)?;
        limited.map_err(|error| spawn_failure(format!("`limits` cannot be set: {error}")))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(spawn_failure("the program has no pipes"));
        };
        Ok(SpawnedProgram {
            compared,
            group,
            stdin: ChildStdin::from_std(stdin).map_err(unwatched)?,
            stdout: ChildStdout::from_std(stdout).map_err(unwatched)?,
            stderr: ChildStderr::from_std(stderr).map_err(unwatched)?,
        })
    }

    /// Returns the command of the program, or of the shim that starts it.
    #[cfg_attr(not(target_os = "linux"), allow(unused_variables, reason = "there is no shim"))]
    fn command(&self, cwd: &Path) -> Command {
        #[cfg(target_os = "linux")]
        if let Some(shim) = &self.shim {
            return self.shim_command(shim, cwd);
        }
        let mut command = Command::new(&self.command_line.program);
        command.args(&self.command_line.args);
        command
    }

    #[cfg(target_os = "linux")]
    fn shim_command(&self, shim: &Path, cwd: &Path) -> Command {
        let files = self.command_line.named_files();
        let args = shim::ShimArgs {
            host: std::process::id(),
            grace: self.grace,
            limits: self.limits,
            sandbox: self.sandbox.as_ref().map(|sandbox| sandbox.for_run(cwd, files)),
            program: self.command_line.program.clone().into(),
            args: self.command_line.args.clone(),
        };
        let mut command = Command::new(shim);
        command.args(args.to_args());
        command
    }

    /// Explains why the system did not start the program.
    fn refusal(&self, error: &io::Error) -> Failure {
        let hint = match error.kind() {
            io::ErrorKind::NotFound => {
                ": it is not there any more, or the interpreter in its first line is not"
            }
            io::ErrorKind::PermissionDenied => {
                ": it must be executable (`chmod +x`), and its folder open to this user"
            }
            io::ErrorKind::ExecutableFileBusy => ": a process has it open for writing",
            io::ErrorKind::ArgumentListTooLong => ": its arguments and variables are too large",
            _ if error.raw_os_error() == Some(NO_PROGRAM) => {
                ": a script begins with a line such as `#!/usr/bin/env python3`"
            }
            _ => "",
        };
        let program = self.shim.as_ref().unwrap_or(&self.command_line.program);
        spawn_failure(format!("`{}` cannot be started: {error}{hint}", program.display()))
    }
}

/// Returns the failure that the shim reported instead of starting the program; `None` if the exit
/// status is the program's own.
pub(crate) fn shim_failure(code: i32, stderr: &str) -> Option<Failure> {
    if code != shim::EXIT_FAILED {
        return None;
    }
    let line = stderr.lines().next()?;
    if let Some(detail) = line.strip_prefix(shim::REFUSED_PREFIX) {
        return Some(Failure::new(FailureClass::Untrusted, detail.to_owned()));
    }
    let detail = line.strip_prefix(shim::FAILED_PREFIX)?;
    Some(spawn_failure(format!("it cannot be started: {detail}")))
}

fn spawn_failure(detail: impl Into<String>) -> Failure {
    Failure::new(FailureClass::Spawn, detail.into())
}
