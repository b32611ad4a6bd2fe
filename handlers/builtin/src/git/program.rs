//! The program git: how it is found and run.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use hookgate_contract::{Failure, FailureClass};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy, sink};
use tokio::process::Command;

/// The variables that git gets from the host, if they are there.
const PASSED: &[&str] = &["PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", "TZ"];

/// What git gets beside them. It must neither ask anyone nor write to the index of the user when it
/// only looks; and its messages are read below.
const SET: &[(&str, &str)] =
    &[("LC_ALL", "C"), ("GIT_TERMINAL_PROMPT", "0"), ("GIT_OPTIONAL_LOCKS", "0")];

/// Settings of the repository that would start other programs, which the agent may have written.
const SAFE: &[&str] = &[
    "--no-pager",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.quotePath=off",
    "-c",
    "color.ui=never",
];

/// How much is kept of what git says on stderr.
const MAX_MESSAGE: u64 = 4096;

/// How much of its output is read by one who needs all of it.
const MOST_READ: usize = 64 * 1024 * 1024;

/// The program.
#[derive(Debug, Clone)]
pub(super) struct Git {
    program: PathBuf,
}

/// What git wrote.
#[derive(Debug, Default)]
pub(super) struct Output {
    pub(super) bytes: Vec<u8>,
    /// Whether there was more.
    pub(super) is_cut: bool,
}

impl Output {
    /// Returns the text without the line break at its end.
    pub(super) fn line(&self) -> String {
        String::from_utf8_lossy(&self.bytes).trim_end_matches('\n').to_owned()
    }

    /// Returns the texts that end with a zero byte each.
    pub(super) fn fields(&self) -> Vec<&[u8]> {
        self.bytes.split(|byte| *byte == 0).filter(|field| !field.is_empty()).collect()
    }
}

/// Why git gave no answer.
#[derive(Debug)]
pub(super) enum GitError {
    /// It is no repository, one without a work tree, or one without a commit.
    Nothing,
    /// It did not work.
    Failed(Failure),
}

impl From<GitError> for Failure {
    fn from(error: GitError) -> Self {
        match error {
            GitError::Nothing => Self::new(FailureClass::Exit, "git knows of no repository here"),
            GitError::Failed(failure) => failure,
        }
    }
}

impl Git {
    /// Looks for git in the absolute folders of `PATH`: a relative one would mean another folder in
    /// each session.
    pub(super) fn find() -> Option<Self> {
        let path = env::var_os("PATH")?;
        let name = format!("git{}", env::consts::EXE_SUFFIX);
        let folders = env::split_paths(&path).filter(|folder| folder.is_absolute());
        let program = folders.map(|folder| folder.join(&name)).find(|program| program.is_file())?;
        Some(Self { program })
    }

    /// Makes a call in a folder.
    pub(super) fn call(&self, folder: &Path) -> GitCall {
        let mut command = Command::new(&self.program);
        command.current_dir(folder).env_clear().args(SAFE).kill_on_drop(true);
        command.envs(PASSED.iter().filter_map(|name| Some((name, env::var_os(name)?))));
        command.envs(SET.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        GitCall { command, input: Vec::new(), max_bytes: MOST_READ, may_be_cut: false }
    }
}

/// A call of git that is being prepared.
pub(super) struct GitCall {
    command: Command,
    input: Vec<u8>,
    max_bytes: usize,
    may_be_cut: bool,
}

impl GitCall {
    pub(super) fn args<I: IntoIterator<Item: AsRef<OsStr>>>(mut self, args: I) -> Self {
        self.command.args(args);
        self
    }

    pub(super) fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.command.env(name, value.into());
        self
    }

    /// Sets what it reads from its stdin.
    pub(super) fn input(mut self, input: Vec<u8>) -> Self {
        self.command.stdin(Stdio::piped());
        self.input = input;
        self
    }

    /// Sets after how many bytes its output is cut. Without it, a long output is a failure.
    pub(super) fn max_bytes(self, max_bytes: usize) -> Self {
        Self { max_bytes, may_be_cut: true, ..self }
    }

    /// Runs it to its end.
    ///
    /// # Cancel safety
    /// Dropping the future kills git. A lock file that it held may be left behind; those of a temporary
    /// index are deleted with it.
    pub(super) async fn run(mut self) -> Result<Output, GitError> {
        let failed = |class, problem: String| GitError::Failed(Failure::new(class, problem));
        let start = |error: &std::io::Error| {
            // A folder that is not there is no repository either.
            match error.kind() {
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                    GitError::Nothing
                }
                _ => failed(FailureClass::Spawn, format!("git cannot be started: {error}")),
            }
        };
        let mut child = self.command.spawn().map_err(|error| start(&error))?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let write = async {
            if let Some(mut stdin) = stdin {
                // If git does not read all of it, it says why.
                let _ = stdin.write_all(&self.input).await;
            }
        };
        let limit = u64::try_from(self.max_bytes).unwrap_or(u64::MAX).saturating_add(1);
        let read = async {
            let mut bytes = Vec::new();
            if let Some(stdout) = stdout {
                // Behind the limit the pipe is closed, which ends git.
                let _ = stdout.take(limit).read_to_end(&mut bytes).await;
            }
            bytes
        };
        let listen = async {
            let mut message = Vec::new();
            if let Some(mut stderr) = stderr {
                let _ = (&mut stderr).take(MAX_MESSAGE).read_to_end(&mut message).await;
                let _ = copy(&mut stderr, &mut sink()).await;
            }
            message
        };
        let ((), mut bytes, message) = tokio::join!(write, read, listen);
        let waited = child.wait().await;
        let status = waited.map_err(|error| {
            failed(FailureClass::Exit, format!("git cannot be waited for: {error}"))
        })?;
        let is_cut = bytes.len() > self.max_bytes;
        if is_cut && !self.may_be_cut {
            let problem = "git says more than 64 MiB: there are too many files".to_owned();
            return Err(failed(FailureClass::Oversize, problem));
        }
        bytes.truncate(self.max_bytes);
        if status.success() || is_cut {
            return Ok(Output { bytes, is_cut });
        }
        let message = String::from_utf8_lossy(&message);
        if has_nothing(&message) {
            return Err(GitError::Nothing);
        }
        let first =
            message.lines().find(|line| !line.trim().is_empty()).unwrap_or("it says nothing");
        Err(failed(FailureClass::Exit, format!("git failed ({status}): {first}")))
    }
}

/// Tells whether git found nothing to look at.
fn has_nothing(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    [
        "not a git repository",
        "must be run in a work tree",
        "ambiguous argument 'head'",
        "does not have any commits yet",
    ]
    .iter()
    .any(|text| message.contains(text))
}
