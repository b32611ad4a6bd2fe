//! What a test needs from the machine. A test that cannot run must not look as if it had passed in
//! CI: there, everything is installed by `.ci/run`, and what is missing is a failure.

use std::path::Path;
use std::process::{Command, Stdio};

/// Prints that a test is ignored because something is missing.
///
/// # Panics
/// In CI (`CI=true`).
pub fn ignored(missing: &str) {
    let ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(!ci, "{missing}, and CI=true");
    eprintln!("ignored: {missing}");
}

/// Returns whether a program can be started; if not, the test is [`ignored`].
///
/// # Panics
/// In CI, if it cannot.
#[must_use]
pub fn program(name: &str) -> bool {
    let mut command = Command::new(name);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let found = command.status().is_ok();
    if !found {
        ignored(&format!("there is no `{name}` in PATH"));
    }
    found
}

/// Returns whether a file or folder exists; if not, the test is [`ignored`].
///
/// # Panics
/// In CI, if it is not.
#[must_use]
pub fn path(path: &Path) -> bool {
    let found = path.exists();
    if !found {
        ignored(&format!("{} is not there", path.display()));
    }
    found
}
