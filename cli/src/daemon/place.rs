//! Where a daemon listens, and for whom.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use hmac_sha256::Hash;

use crate::private_folder;

/// The folder in that of a user's running programs.
#[cfg(unix)]
const IN_RUNTIME_FOLDER: &str = "hookgate";

/// The folder in that of what programs keep, for users without the other one.
const IN_STATE_FOLDER: &str = "hookgate/daemon";

/// How the name of the file ends that is there while a daemon listens: on Unix it is the socket.
pub(super) const LISTENS: &str = if cfg!(windows) { "listens" } else { "sock" };

/// How many daemons one user can have.
const DAEMONS: usize = 16;

/// Variables that differ between calls of the same kind, and that no hook reads: those of a Unix shell, and those in
/// which the shell of Windows keeps how its last program ended.
const PASSING: [&str; 4] = ["_", "SHLVL", "=ExitCode", "=ExitCodeAscii"];

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

    /// Returns the file of this daemon with this ending, in the folder of the daemons.
    pub(super) fn file(&self, ending: &str) -> PathBuf {
        self.folder.join(&self.key).with_extension(ending)
    }

    /// Returns the folder of the daemons.
    #[cfg(windows)]
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the name of all that a decision can depend on.
    #[cfg(windows)]
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// Tells whether the folder is one of this user, which nobody else can enter.
    pub(crate) fn is_private(&self) -> bool {
        private_folder::is_closed(&self.folder)
    }

    /// Tells whether a daemon may be started: the folder is private or not there yet, and not full.
    pub(crate) fn has_room(&self) -> bool {
        let Ok(entries) = fs::read_dir(&self.folder) else { return !self.folder.exists() };
        let listening = entries.flatten().filter(|entry| {
            Path::new(&entry.file_name()).extension().is_some_and(|end| end == LISTENS)
        });
        self.is_private() && listening.count() < DAEMONS
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
#[cfg(unix)]
pub(crate) fn folder() -> Option<PathBuf> {
    let running = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    if let Some(folder) = running.filter(|folder| folder.is_absolute()) {
        return Some(folder.join(IN_RUNTIME_FOLDER));
    }
    crate::state_folder::state_folder().map(|folder| folder.join(IN_STATE_FOLDER))
}

/// Returns the folder in which programs of this user say that they listen: in the one that Windows makes for him alone,
/// and does not take to other machines.
#[cfg(windows)]
pub(crate) fn folder() -> Option<PathBuf> {
    let own = env::var_os("LOCALAPPDATA").map(PathBuf::from);
    own.filter(|folder| folder.is_absolute()).map(|folder| folder.join(IN_STATE_FOLDER))
}

/// Returns a name for all that a decision can depend on beside the step and the command line.
fn key(program: &Path) -> io::Result<String> {
    let mut parts: Vec<Vec<u8>> = Vec::new();
    let mut add = |part: &[u8]| parts.push(part.to_vec());
    let cwd = env::current_dir()?;
    add(env!("CARGO_PKG_VERSION").as_bytes());
    add(cwd.as_os_str().as_encoded_bytes());
    for file in [program, &cwd] {
        add(&identity(file)?);
    }
    add(version(program)?.as_bytes());
    for part in process() {
        add(&part);
    }
    let mut variables: Vec<_> = env::vars_os().collect();
    variables.retain(|(name, _)| PASSING.iter().all(|passing| name != passing));
    variables.sort();
    for (name, value) in &variables {
        add(name.as_encoded_bytes());
        add(value.as_encoded_bytes());
    }
    let mut hash = Hash::new();
    for part in &parts {
        // With its length before it, no part runs into the next one.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    Ok(hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect())
}

/// Returns which file it is, whatever it is called.
#[cfg(unix)]
fn identity(path: &Path) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::MetadataExt as _;

    let file = fs::metadata(path)?;
    Ok(format!("{} {}", file.dev(), file.ino()).into_bytes())
}

/// Returns which file it is: Rust does not tell the number that Windows gives it, so it is its whole path.
#[cfg(windows)]
fn identity(path: &Path) -> io::Result<Vec<u8>> {
    Ok(fs::canonicalize(path)?.into_os_string().into_encoded_bytes())
}

/// Returns which content a program has: when it was written, and its size.
fn version(program: &Path) -> io::Result<String> {
    let file = fs::metadata(program)?;
    // A time before 1970 is one as well.
    let written = file.modified()?.duration_since(UNIX_EPOCH);
    Ok(format!("{} {written:?}", file.len()))
}

/// Returns as whom this process works, and in which namespaces: a sandbox sees other files, networks or processes under
/// the same names.
#[cfg(unix)]
fn process() -> Vec<Vec<u8>> {
    let user = rustix::process::geteuid().as_raw();
    let ids = format!("{user} {}", rustix::process::getegid().as_raw());
    let namespaces = ["mnt", "net", "pid", "user"].iter().map(|namespace| {
        let id = fs::read_link(format!("/proc/self/ns/{namespace}")).unwrap_or_default();
        id.into_os_string().into_encoded_bytes()
    });
    [ids.into_bytes()].into_iter().chain(namespaces).collect()
}

/// Windows: who cannot read the secret is another one.
#[cfg(windows)]
const fn process() -> Vec<Vec<u8>> {
    Vec::new()
}
