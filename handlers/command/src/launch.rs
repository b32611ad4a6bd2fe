//! How a program is started: the same way for each step and for a worker.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use hookgate_contract::{Failure, FailureClass};
use rustix::process::Pid;
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::runtime::Handle;

use crate::environment::Environment;
use crate::leader::Leader;
use crate::limits::Limits;
use crate::line::Line;
use crate::mark::Mark;
use crate::pin::Pin;
use crate::sandbox::Sandbox;
use crate::shim::{self, Orders};

/// How much longer the host waits for a shim than the shim for the program.
const SHIM: Duration = Duration::from_millis(50);

/// The settings by which a program is started.
pub(crate) struct Launch {
    pub(crate) line: Line,
    pub(crate) environment: Environment,
    /// The folder of the config.
    pub(crate) base: PathBuf,
    /// How long a program that was asked to end is waited for.
    pub(crate) grace: Duration,
    pub(crate) limits: Limits,
    pub(crate) sandbox: Option<Sandbox>,
    /// The program of the shim, where it is used.
    pub(crate) shim: Option<PathBuf>,
    /// The files that are run, as they were when the table was built.
    pub(crate) pins: Vec<Pin>,
}

/// Said where no program can be attended.
const NO_IO: &str = "programs need a tokio runtime with I/O and its clock enabled (`enable_all`)";

/// Fails outside a runtime.
pub(crate) fn within_runtime() -> Result<(), Failure> {
    Handle::try_current().map(|_| ()).map_err(|_| spawn(NO_IO))
}

/// A program that was started.
pub(crate) struct Started {
    pub(crate) leader: Leader,
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

impl Launch {
    /// Starts the program in a folder, with the variables that `further` adds.
    pub(crate) fn start(
        &self,
        hook: &str,
        cwd: &Path,
        further: impl FnOnce(&mut Command),
    ) -> Result<Started, Failure> {
        for pin in &self.pins {
            pin.check()?;
        }
        let mark = Mark::new();
        let mut command = self.command(cwd);
        command.current_dir(cwd);
        self.environment.apply(&mut command, hook, &mark);
        command.env("HOOKGATE_CONFIG_DIR", &self.base);
        further(&mut command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Nothing here needs `pre_exec`: it would copy the page tables of the whole host.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| self.refused(&error))?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let Some(pid) = pid else { return Err(spawn("the program has no number")) };
        // As early as can be: till then the program runs without.
        let limited = if self.shim.is_some() { Ok(()) } else { self.limits.set(Some(pid)) };
        let grace = if self.shim.is_some() { self.grace + SHIM } else { self.grace };
        let broken = |error: io::Error| spawn(format!("the program cannot be watched: {error}"));
        // In a runtime without I/O it panics, and the program is ended.
        let last = self.shim.is_some();
        let watched = catch_unwind(AssertUnwindSafe(|| Leader::new(pid, mark, grace, last)));
        let leader = watched.map_err(|_| spawn(NO_IO))?.map_err(broken)?;
        limited.map_err(|error| spawn(format!("`limits` cannot be set: {error}")))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(spawn("the program has no pipes"));
        };
        Ok(Started {
            leader,
            stdin: ChildStdin::from_std(stdin).map_err(broken)?,
            stdout: ChildStdout::from_std(stdout).map_err(broken)?,
            stderr: ChildStderr::from_std(stderr).map_err(broken)?,
        })
    }

    fn command(&self, cwd: &Path) -> Command {
        let Some(shim) = &self.shim else {
            let mut command = Command::new(&self.line.program);
            command.args(&self.line.args);
            return command;
        };
        let files = self.line.all();
        let orders = Orders {
            host: std::process::id(),
            grace: self.grace,
            limits: self.limits,
            sandbox: self.sandbox.as_ref().map(|sandbox| sandbox.of_run(cwd, files)),
            program: self.line.program.clone().into(),
            args: self.line.args.clone(),
        };
        let mut command = Command::new(shim);
        command.args(orders.to_args());
        command
    }

    fn refused(&self, error: &io::Error) -> Failure {
        let hint = match error.kind() {
            io::ErrorKind::NotFound => {
                ": it is not there any more, or the interpreter in its first line is not"
            }
            io::ErrorKind::PermissionDenied => {
                ": it must be executable (`chmod +x`), and its folder open to this user"
            }
            io::ErrorKind::ExecutableFileBusy => ": somebody has it open for writing",
            io::ErrorKind::ArgumentListTooLong => ": its arguments and variables are too large",
            _ if error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
                ": a script begins with a line such as `#!/usr/bin/env python3`"
            }
            _ => "",
        };
        let program = self.shim.as_ref().unwrap_or(&self.line.program);
        spawn(format!("`{}` cannot be started: {error}{hint}", program.display()))
    }
}

/// What the shim says if it could not start the program.
pub(crate) fn refused_by_shim(code: i32, stderr: &str) -> Option<Failure> {
    if code != shim::FAILED {
        return None;
    }
    let line = stderr.lines().next()?;
    if let Some(detail) = line.strip_prefix(shim::UNTRUSTED) {
        return Some(Failure::new(FailureClass::Untrusted, detail.to_owned()));
    }
    let detail = line.strip_prefix(shim::SPAWN)?;
    Some(spawn(format!("it cannot be started: {detail}")))
}

fn spawn(detail: impl Into<String>) -> Failure {
    Failure::new(FailureClass::Spawn, detail.into())
}
