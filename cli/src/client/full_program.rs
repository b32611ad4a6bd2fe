//! The full program, in place of this one.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
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

/// Makes a file with the text: a pipe takes a large one only while somebody reads it. It has no name, or loses it with its
/// last handle, and only this user can read it.
fn file_of(text: &[u8]) -> io::Result<File> {
    let mut file = nameless_file()?;
    file.write_all(text)?;
    file.rewind()?;
    Ok(file)
}

/// Makes a file in memory.
#[cfg(target_os = "linux")]
fn nameless_file() -> io::Result<File> {
    use rustix::fs::{MemfdFlags, memfd_create};

    Ok(memfd_create("hookgate-step", MemfdFlags::CLOEXEC)?.into())
}

#[cfg(not(target_os = "linux"))]
fn nameless_file() -> io::Result<File> {
    tempfile::tempfile()
}
