//! What a test needs from the machine. A test that cannot run must not look as if it had passed in
//! CI: there, everything is installed by `.ci/run`, and what is missing is a failure.

use std::path::Path;
use std::process::{Command, Stdio};

/// Says that a test is ignored because something is not there.
///
/// # Panics
/// In CI (`CI=true`).
pub fn ignored(missing: &str) {
    let ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(!ci, "{missing}, and CI=true");
    eprintln!("ignored: {missing}");
}

/// Whether a program can be started; if not, the test is [`ignored`].
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

/// Whether a file or folder is there; if not, the test is [`ignored`].
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
