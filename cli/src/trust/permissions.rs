//! Who else could change a file: such a file is never trusted, since it may be another one a moment later.

use std::fs::{self, Metadata};
#[cfg(unix)]
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The bits of those who may write: of the group, and of all others.
#[cfg(unix)]
const GROUP: u32 = 0o020;
#[cfg(unix)]
const OTHERS: u32 = 0o002;

/// In a folder with this bit nobody replaces the files of others.
#[cfg(unix)]
const STICKY: u32 = 0o1000;

/// Returns why a file must not be trusted as a part of a project: somebody else can change it, or it is not in
/// the folder in which it seems to be. A file that is not there is no fault.
pub(crate) fn fault(file: &Path, root: &Path) -> Option<String> {
    let is_inside = file.starts_with(root);
    let real = file.canonicalize().ok()?;
    let shown = file.strip_prefix(root).unwrap_or(file).display();
    if is_inside && !real.starts_with(root) {
        return Some(format!("`{shown}` is a link out of the project, to `{}`", real.display()));
    }
    let found = fs::metadata(&real).ok()?;
    if found.is_file() && is_inside && has_another_name(&found) {
        return Some(format!(
            "`{shown}` has another name (a hard link), which may be outside of the project: replace it by a copy"
        ));
    }
    if let Some(who) = other_writer(&found) {
        return Some(format!("`{shown}` {who}"));
    }
    let mut folders = real.ancestors().skip(1);
    let (folder, who) = if is_inside {
        let mut inside = folders.take_while(|folder| folder.starts_with(root));
        inside.find_map(|folder| Some((folder, other_writer_in(&fs::metadata(folder).ok()?)?)))?
    } else {
        // Who may install programs elsewhere is for whoever administers that folder to say.
        let folder = folders.next()?;
        let found = fs::metadata(folder).ok()?;
        (folder, other_writer_in(&found).filter(|_| is_open_to_all(&found))?)
    };
    Some(format!("the folder `{}` of `{shown}` {who}", folder.display()))
}

/// Says who else could change a file, or put another one in its place. A link counts as what it leads to.
pub(crate) fn other_writer_of(file: &Path) -> Option<String> {
    let real = file.canonicalize().ok()?;
    let folder = real.parent()?;
    let of_file = fs::metadata(&real).ok().and_then(|found| other_writer(&found));
    if let Some(who) = of_file {
        return Some(format!("`{}` {who}", file.display()));
    }
    let who_in = |folder: &Path| {
        let found = fs::metadata(folder).ok()?;
        Some((other_writer_in(&found)?, found))
    };
    if let Some((who, _)) = who_in(folder) {
        return Some(format!("its folder `{}` {who}", folder.display()));
    }
    // Whoever owns a folder further above administers it.
    let mut above = folder.ancestors().skip(1);
    above.find_map(|folder| {
        let (who, _) = who_in(folder).filter(|(_, found)| is_trusted_owner(found))?;
        Some(format!("the folder `{}` above it {who}", folder.display()))
    })
}

#[cfg(unix)]
fn has_another_name(found: &Metadata) -> bool {
    found.nlink() > 1
}

#[cfg(unix)]
fn is_open_to_all(found: &Metadata) -> bool {
    found.mode() & OTHERS != 0
}

/// Windows does not tell by the metadata of a file which names it has.
#[cfg(not(unix))]
fn has_another_name(_found: &Metadata) -> bool {
    false
}

#[cfg(not(unix))]
fn is_open_to_all(_found: &Metadata) -> bool {
    false
}

/// Windows has lists of who may do what instead of modes, and nobody reads them here.
#[cfg(not(unix))]
fn other_writer_in(_found: &Metadata) -> Option<String> {
    None
}

#[cfg(not(unix))]
fn other_writer(_found: &Metadata) -> Option<String> {
    None
}

#[cfg(not(unix))]
fn is_trusted_owner(_found: &Metadata) -> bool {
    true
}

/// Says who else can replace files of others in a folder.
#[cfg(unix)]
fn other_writer_in(found: &Metadata) -> Option<String> {
    let is_sticky = found.mode() & STICKY != 0 && is_trusted_owner(found);
    if is_sticky { None } else { other_writer(found) }
}

/// Says who else can write.
#[cfg(unix)]
fn other_writer(found: &Metadata) -> Option<String> {
    let (mode, group) = (found.mode(), found.gid());
    if !is_trusted_owner(found) {
        return Some(format!(
            "belongs to another user (uid {}): `chown` it, or work in a copy of your own",
            found.uid()
        ));
    }
    if mode & OTHERS != 0 {
        return Some("can be written by everybody: `chmod o-w` it".to_owned());
    }
    (mode & GROUP != 0 && group != rustix::process::getegid().as_raw()).then(|| {
        format!("can be written by a group that is not yours (gid {group}): `chmod g-w` it")
    })
}

/// The superuser can change every file anyway.
#[cfg(unix)]
fn is_trusted_owner(found: &Metadata) -> bool {
    [0, rustix::process::geteuid().as_raw()].contains(&found.uid())
}

/// Where programs are that are installed for everybody.
#[cfg(unix)]
const OF_SYSTEM: [&str; 8] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix/store", "/gnu/store"];

/// On Windows no program is taken for one of the system, so an update of the system is a change of the project.
#[cfg(not(unix))]
pub(crate) fn is_of_system(_file: &Path, _root: &Path) -> bool {
    false
}

/// Tells whether a program belongs to the system: only its administrators can replace it, and an update of the
/// system is no change of the project.
#[cfg(unix)]
pub(crate) fn is_of_system(file: &Path, root: &Path) -> bool {
    let Ok(real) = file.canonicalize() else { return false };
    let of_administrators = |path: &Path, forbidden: u32| {
        fs::metadata(path).is_ok_and(|found| found.uid() == 0 && found.mode() & forbidden == 0)
    };
    let is_elsewhere = !real.starts_with(root) && !file.starts_with(root);
    is_elsewhere
        && OF_SYSTEM.iter().any(|folder| real.starts_with(folder))
        && of_administrators(&real, GROUP | OTHERS)
        && real.ancestors().skip(1).all(|folder| of_administrators(folder, OTHERS))
}
