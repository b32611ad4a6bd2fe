//! The full program, in place of this one.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Command;

/// Becomes another program with these arguments, and with this text on its stdin if there is one. It gets the
/// environment, the folder and the other streams of this one. Returns only if that fails: why.
pub(super) fn become_it(program: &Path, arguments: &[OsString], stdin: Option<&[u8]>) -> io::Error {
    let mut command = Command::new(program);
    command.args(arguments);
    if let Some(text) = stdin {
        match file_of(text) {
            Ok(file) => command.stdin(file),
            Err(error) => return error,
        };
    }
    replace_self(command)
}

#[cfg(unix)]
fn replace_self(mut command: Command) -> io::Error {
    std::os::unix::process::CommandExt::exec(&mut command)
}

/// Windows lets no process become another program: this one waits for it, and ends as it does.
#[cfg(not(unix))]
fn replace_self(mut command: Command) -> io::Error {
    match command.status() {
        // A code that is not known is a refusal, in the form that most agents obey.
        Ok(status) => std::process::exit(status.code().unwrap_or(2)),
        Err(error) => error,
    }
}

/// What was read of stdin is handed on by the daemon's calls alone.
#[cfg(not(target_os = "linux"))]
fn file_of(_text: &[u8]) -> io::Result<std::process::Stdio> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Makes a file in memory: a pipe takes a large text only while somebody reads it.
#[cfg(target_os = "linux")]
fn file_of(text: &[u8]) -> io::Result<std::fs::File> {
    use std::fs::File;
    use std::io::{Seek as _, Write as _};

    use rustix::fs::{MemfdFlags, memfd_create};

    let mut file = File::from(memfd_create("hookgate-step", MemfdFlags::CLOEXEC)?);
    file.write_all(text)?;
    file.rewind()?;
    Ok(file)
}
