//! Where a daemon listens, and for whom.

use std::env;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use hmac_sha256::Hash;

use crate::private_folder;
use crate::state_folder::state_folder;

/// The folder in that of a user's running programs.
const IN_RUNTIME_FOLDER: &str = "hookgate";

/// The folder in that of what programs keep, for users without the other one.
const IN_STATE_FOLDER: &str = "hookgate/daemon";

/// How many daemons one user can have.
const DAEMONS: usize = 16;

/// How the name of a socket ends.
const SOCKET: &str = "sock";

/// Variables that differ between calls of the same kind, and that no hook reads.
const PASSING: [&str; 2] = ["_", "SHLVL"];

/// The place of a daemon that would judge as this process does, or the program that it becomes.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    folder: PathBuf,
    key: String,
}

impl Place {
    /// Finds the place for a program and the user, the environment, the folder and the namespaces of this
    /// process. There is none if one of them cannot be read.
    pub(crate) fn of(program: &Path) -> Option<Self> {
        Some(Self { folder: folder()?, key: key(program).ok()? })
    }

    /// Returns the text with which a daemon greets: it says for whom it works.
    pub(crate) fn greeting(&self) -> String {
        format!("hookgate {} {}\n", env!("CARGO_PKG_VERSION"), self.key)
    }

    /// Returns the path of the socket.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.join(&self.key).with_extension(SOCKET)
    }

    /// Returns the path of the file that the daemon locks.
    pub(crate) fn lock(&self) -> PathBuf {
        self.folder.join(&self.key).with_extension("lock")
    }

    /// Tells whether the folder is one of this user, which nobody else can enter.
    pub(crate) fn is_private(&self) -> bool {
        private_folder::is_closed(&self.folder)
    }

    /// Tells whether a daemon may be started: the folder is private or not there yet, and not full.
    pub(crate) fn has_room(&self) -> bool {
        let Ok(entries) = fs::read_dir(&self.folder) else { return !self.folder.exists() };
        let sockets = entries.flatten().filter(|entry| {
            Path::new(&entry.file_name()).extension().is_some_and(|end| end == SOCKET)
        });
        self.is_private() && sockets.count() < DAEMONS
    }

    /// Makes the folder.
    ///
    /// # Errors
    /// It cannot be made, or is not private.
    pub(crate) fn prepare(&self) -> io::Result<()> {
        private_folder::prepare_closed(&self.folder)
    }
}

/// Returns the folder in which programs of this user listen.
pub(crate) fn folder() -> Option<PathBuf> {
    let running = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    if let Some(folder) = running.filter(|folder| folder.is_absolute()) {
        return Some(folder.join(IN_RUNTIME_FOLDER));
    }
    state_folder().map(|folder| folder.join(IN_STATE_FOLDER))
}

/// Returns a name for all that a decision can depend on beside the step and the command line.
fn key(program: &Path) -> io::Result<String> {
    let mut parts: Vec<Vec<u8>> = Vec::new();
    let mut add = |part: &[u8]| parts.push(part.to_vec());
    let program = fs::metadata(program)?;
    let cwd = env::current_dir()?;
    add(env!("CARGO_PKG_VERSION").as_bytes());
    add(cwd.as_os_str().as_bytes());
    for file in [&program, &fs::metadata(&cwd)?] {
        add(format!("{} {}", file.dev(), file.ino()).as_bytes());
    }
    add(format!("{} {} {}", program.size(), program.mtime(), program.mtime_nsec()).as_bytes());
    let user = rustix::process::geteuid().as_raw();
    add(format!("{user} {}", rustix::process::getegid().as_raw()).as_bytes());
    // A sandbox sees other files, networks or processes under the same names.
    for namespace in ["mnt", "net", "pid", "user"] {
        let id = fs::read_link(format!("/proc/self/ns/{namespace}"));
        add(id.unwrap_or_default().as_os_str().as_bytes());
    }
    let mut variables: Vec<_> = env::vars_os().collect();
    variables.retain(|(name, _)| PASSING.iter().all(|passing| name != passing));
    variables.sort();
    for (name, value) in &variables {
        add(name.as_bytes());
        add(value.as_bytes());
    }
    let mut hash = Hash::new();
    for part in &parts {
        // With its length before it, no part runs into the next one.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    Ok(hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect())
}
