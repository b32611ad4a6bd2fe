//! The full program, in place of this one.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use rustix::fs::{MemfdFlags, memfd_create};

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
    command.exec()
}

/// Makes a file in memory: a pipe takes a large text only while somebody reads it.
fn file_of(text: &[u8]) -> io::Result<File> {
    let mut file = File::from(memfd_create("hookgate-step", MemfdFlags::CLOEXEC)?);
    file.write_all(text)?;
    file.rewind()?;
    Ok(file)
}
