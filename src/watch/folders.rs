//! The folders in which a change can put another file at a path.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fs::Metadata;
use std::path::{Component, Path, PathBuf};

/// How many links are followed to a file; the system follows as many.
const LINKS: usize = 40;

/// Returns the folders of some files: that of each file, and that of each link that leads to it. If
/// the path ends early, it is the last folder that exists. A path that is a folder is one of them, too.
pub(super) fn find(files: &BTreeSet<PathBuf>) -> BTreeMap<PathBuf, FolderId> {
    let mut folders = BTreeSet::new();
    for file in files {
        walk(file, &mut folders);
    }
    let known = |folder: PathBuf| {
        let found = folder.metadata().ok()?;
        Some((folder, id_of(&found)))
    };
    folders.into_iter().filter_map(known).collect()
}

/// Returns the folders in which a change can replace one of these files.
pub fn folders_of(files: &BTreeSet<PathBuf>) -> impl Iterator<Item = PathBuf> + use<> {
    find(files).into_keys()
}

/// The device and the inode, which differ if a folder was made again at the same path. On Windows the time when it was made.
pub(super) type FolderId = (u64, u64);

#[cfg(unix)]
fn id_of(found: &Metadata) -> FolderId {
    use std::os::unix::fs::MetadataExt as _;

    (found.dev(), found.ino())
}

#[cfg(not(unix))]
fn id_of(found: &Metadata) -> FolderId {
    use std::time::UNIX_EPOCH;

    let made = found.created().ok().and_then(|made| made.duration_since(UNIX_EPOCH).ok());
    made.map_or((0, 0), |made| (made.as_secs(), made.subsec_nanos().into()))
}

/// Returns where an absolute path begins: on Windows with its drive.
fn root_of(absolute: &Path) -> PathBuf {
    absolute.ancestors().last().unwrap_or(Path::new("/")).to_owned()
}

fn walk(file: &Path, folders: &mut BTreeSet<PathBuf>) {
    let Ok(absolute) = std::path::absolute(file) else { return };
    let mut rest: VecDeque<OsString> = components(&absolute);
    let mut here = root_of(&absolute);
    let mut links = 0;
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            here.pop();
            continue;
        }
        let next = here.join(&part);
        match next.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                folders.insert(here.clone());
                links += 1;
                let Some(target) = next.read_link().ok().filter(|_| links <= LINKS) else { return };
                if target.is_absolute() {
                    here = root_of(&target);
                }
                for part in components(&target).into_iter().rev() {
                    rest.push_front(part);
                }
            }
            Ok(found) => {
                if rest.is_empty() || !found.is_dir() {
                    folders.insert(here.clone());
                }
                if rest.is_empty() && found.is_dir() {
                    folders.insert(next.clone());
                }
                here = next;
            }
            Err(_) => {
                folders.insert(here);
                return;
            }
        }
    }
}

fn components(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(part) => Some(part.to_owned()),
            Component::ParentDir => Some("..".into()),
            _ => None,
        })
        .collect()
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn each_link_that_leads_to_a_file_is_in_a_watched_folder() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/deep")).unwrap();
        fs::create_dir(root.join("links")).unwrap();
        fs::write(root.join("a/deep/hooks.toml"), "").unwrap();
        symlink("../a", root.join("links/here")).unwrap();
        symlink(root.join("links/here/deep/hooks.toml"), root.join("hooks.toml")).unwrap();
        let found = find(&[root.join("hooks.toml")].into());
        let expected = [root.clone(), root.join("a/deep"), root.join("links")];
        assert_eq!(found.into_keys().collect::<Vec<_>>(), expected);
        // A path that ends early, and one that never ends.
        let found = find(&[root.join("a/gone/hooks.toml")].into());
        assert_eq!(found.into_keys().collect::<Vec<_>>(), [root.join("a")]);
        symlink("circle", root.join("circle")).unwrap();
        assert!(!find(&[root.join("circle")].into()).is_empty());
    }
}
