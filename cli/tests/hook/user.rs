//! An ordinary user: to the superuser nothing is out of reach.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use crate::support::{Answer, Session, Stdin, run};

/// A user that has nothing on this machine.
const USER: u32 = 12_345;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Gives all of a session to the user.
pub(crate) fn give_to_user(session: &Session) {
    if is_root() {
        for folder in [session.home.path(), session.folder.path()] {
            give(folder);
        }
    }
}

fn give(path: &Path) {
    std::os::unix::fs::lchown(path, Some(USER), Some(USER)).unwrap();
    let is_folder = path.symlink_metadata().unwrap().is_dir();
    for entry in is_folder.then(|| path.read_dir().unwrap()).into_iter().flatten() {
        give(&entry.unwrap().path());
    }
}

/// Runs a command as the user.
pub(crate) fn run_as_user(command: &mut Command, stdin: &Stdin<'_>) -> Answer {
    if is_root() {
        command.uid(USER).gid(USER);
    }
    run(command, stdin)
}
