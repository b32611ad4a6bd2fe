//! Files that only their user can read, and a lock between processes.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::Path;

/// The right to read and write in a folder, until it is dropped or the process ends.
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock. The file is made if it is not there.
    pub(crate) fn wait(path: &Path) -> io::Result<Self> {
        check_plain(path)?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        private(&mut options);
        let file = options.open(path)?;
        file.lock()?;
        Ok(Self { _file: file })
    }
}

/// Makes a folder that nobody else can look into, with those above it.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(folder)
}

/// Reads a file of at most so many bytes; `None` if there is none.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    check_plain(path)?;
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(open) => open.take(limit + 1).read_to_end(&mut bytes)?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(ErrorKind::FileTooLarge, "it is too large"));
    }
    Ok(Some(bytes))
}

/// Replaces a file: whoever reads it sees the old content or the new one.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    // One that a process has left that was killed.
    match fs::remove_file(&new) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    private(&mut options);
    options.open(&new)?.write_all(bytes)?;
    fs::rename(new, path)
}

/// Refuses what is there and is no file: a pipe would never end, a link leads elsewhere.
fn check_plain(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => Ok(()),
        Ok(_) => Err(io::Error::other("it is no plain file")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = options;
}
