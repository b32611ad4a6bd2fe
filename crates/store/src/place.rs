//! The file of a journal, or of the state: made for its owner alone, on a disk of this machine.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

use crate::error::StoreError;

/// Which file a path leads to, to notice that it leads to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity(u64, u64);

impl Identity {
    /// Returns `None` if there is no file, or where the system does not number files.
    pub(crate) fn of(file: &Path) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt as _;
            let found = fs::metadata(file).ok()?;
            Some(Self(found.dev(), found.ino()))
        }
        #[cfg(not(unix))]
        {
            fs::metadata(file).ok().map(|_| Self(0, 0))
        }
    }
}

/// Makes the file, with its folder, if it is not there; nobody but its owner can read or write it then.
///
/// # Errors
/// It cannot be made or used, or is on a network file system.
pub(crate) fn prepare(file: &Path) -> Result<(), StoreError> {
    let refuse = |error| StoreError::File { file: file.to_owned(), error };
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        make_folder(folder).map_err(refuse)?;
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true);
    for_owner_alone(&mut options);
    let opened = options.open(file).map_err(refuse)?;
    if !opened.metadata().map_err(refuse)?.is_file() {
        return Err(refuse(io::Error::other("it is no plain file")));
    }
    close_to_others(&opened).map_err(refuse)?;
    check_system(file, &opened)
}

/// Has files made that nobody but their owner can read or write.
pub(crate) fn for_owner_alone(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = options;
}

/// Refuses what is no file, or may not be read: to open a pipe that nobody writes to would never end. SQLite says of a
/// file that is not there, and of one that may not be read, the same.
pub(crate) fn check_readable(file: &Path) -> io::Result<()> {
    if !fs::metadata(file)?.is_file() {
        return Err(io::Error::other("it is no plain file"));
    }
    File::open(file).map(drop)
}

/// Refuses what is there and is no file: a pipe would never end, a link leads elsewhere.
pub(crate) fn check_plain(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => Ok(()),
        Ok(_) => Err(io::Error::other("it is no plain file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
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

#[cfg(unix)]
fn close_to_others(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = file.metadata()?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    file.set_permissions(fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn close_to_others(_file: &File) -> io::Result<()> {
    Ok(())
}

/// File systems of a network, by their numbers in statfs(2). What is mounted by a program (FUSE) can be either, and
/// is let through.
#[cfg(target_os = "linux")]
const NETWORKS: &[(u64, &str)] = &[
    (0x6969, "NFS"),
    (0x517B, "SMB"),
    (0xFE53_4D42, "SMB"),
    (0xFF53_4D42, "CIFS"),
    (0x0102_1997, "9P"),
    (0x00C3_6400, "Ceph"),
    (0x5346_414F, "AFS"),
    (0x7375_7245, "Coda"),
    (0x0BD0_0BD0, "Lustre"),
];

#[cfg(target_os = "linux")]
fn check_system(file: &Path, opened: &File) -> Result<(), StoreError> {
    let found = rustix::fs::fstatfs(opened)
        .map_err(|error| StoreError::File { file: file.to_owned(), error: error.into() })?;
    match network(found.f_type as u64) {
        Some(system) => Err(StoreError::Network { file: file.to_owned(), system }),
        None => Ok(()),
    }
}

#[cfg(target_os = "linux")]
fn network(number: u64) -> Option<&'static str> {
    // The number has 32 bits, and where it is signed the first of them fills the others.
    let number = number & 0xFFFF_FFFF;
    NETWORKS.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}

#[cfg(not(target_os = "linux"))]
fn check_system(_file: &Path, _opened: &File) -> Result<(), StoreError> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_known_by_its_number_however_wide_it_is() {
        assert_eq!(network(0x6969), Some("NFS"));
        assert_eq!(network(0xFFFF_FFFF_FF53_4D42), Some("CIFS"));
        assert_eq!(network(0xEF53), None, "ext4");
    }
}
