//! The programs of this package, which stand in one folder.

use std::env;
use std::io;
use std::path::PathBuf;

/// Returns the program of this process; on Linux also if its file was replaced.
///
/// # Errors
/// The system does not say where it is.
pub(crate) fn own() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") { Ok(PathBuf::from("/proc/self/exe")) } else { env::current_exe() }
}

/// The program with all verbs.
pub(crate) const FULL: &str = if cfg!(windows) { "hookgate.exe" } else { "hookgate" };

/// The small program, which has a daemon answer.
pub(crate) const SMALL: &str = if cfg!(windows) { "hookgate-call.exe" } else { "hookgate-call" };

/// Returns where a program is that stands beside this one. It need not be there.
///
/// # Errors
/// The system does not say where this program is.
pub(crate) fn beside(name: &str) -> io::Result<PathBuf> {
    Ok(env::current_exe()?.with_file_name(name))
}
