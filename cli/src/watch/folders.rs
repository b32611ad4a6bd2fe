//! The folders in which a change can put another file at a path.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

/// How many links there may be on a way: what the system follows as well.
const LINKS: usize = 40;

/// The folders of some files: of each file, of each link on the way to it, and where the way ends
/// early, the last one that is there.
pub(super) fn of(files: &BTreeSet<PathBuf>) -> BTreeMap<PathBuf, Identity> {
    let mut folders = BTreeSet::new();
    for file in files {
        walk(file, &mut folders);
    }
    let known = |folder: PathBuf| {
        let found = folder.metadata().ok()?;
        Some((folder, (found.dev(), found.ino())))
    };
    folders.into_iter().filter_map(known).collect()
}

/// What tells a folder from one that was made anew in its place.
pub(super) type Identity = (u64, u64);

fn walk(file: &Path, folders: &mut BTreeSet<PathBuf>) {
    let Ok(absolute) = std::path::absolute(file) else { return };
    let mut rest: VecDeque<OsString> = parts(&absolute);
    let mut here = PathBuf::from("/");
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
                    here = PathBuf::from("/");
                }
                for part in parts(&target).into_iter().rev() {
                    rest.push_front(part);
                }
            }
            Ok(found) => {
                if rest.is_empty() || !found.is_dir() {
                    folders.insert(here.clone());
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

fn parts(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(part) => Some(part.to_owned()),
            Component::ParentDir => Some("..".into()),
            _ => None,
        })
        .collect()
}

/// The folders that are listened to.
#[derive(Debug, Default)]
pub(super) struct Attended {
    folders: BTreeMap<PathBuf, Identity>,
    refused: BTreeSet<PathBuf>,
}

impl Attended {
    /// Listens to these folders and to no other; those that were made anew are listened to again.
    /// Says which one cannot be listened to, once.
    pub(super) fn attend(
        &mut self,
        watcher: &mut RecommendedWatcher,
        wanted: &BTreeMap<PathBuf, Identity>,
    ) -> Vec<String> {
        let gone = |(path, was): (&PathBuf, &Identity)| {
            (wanted.get(path) != Some(was)).then(|| path.clone())
        };
        let gone: Vec<_> = self.folders.iter().filter_map(gone).collect();
        for path in gone {
            // The system has forgotten a folder that is gone.
            let _ = watcher.unwatch(&path);
            self.folders.remove(&path);
        }
        let mut lost = Vec::new();
        for (path, identity) in wanted {
            if self.folders.contains_key(path) {
                continue;
            }
            match watcher.watch(path, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.refused.remove(path);
                    self.folders.insert(path.clone(), *identity);
                }
                // It went away a moment ago; the next look tells.
                Err(_) if !path.exists() => {}
                Err(error) => {
                    if self.refused.insert(path.clone()) {
                        lost.push(format!("`{}` cannot be listened to: {error}", path.display()));
                    }
                }
            }
        }
        lost
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn each_link_on_the_way_is_in_a_folder_that_counts() {
        let temporary = tempfile::tempdir().unwrap();
        let root = temporary.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/deep")).unwrap();
        fs::create_dir(root.join("links")).unwrap();
        fs::write(root.join("a/deep/hooks.toml"), "").unwrap();
        symlink("../a", root.join("links/here")).unwrap();
        symlink(root.join("links/here/deep/hooks.toml"), root.join("hooks.toml")).unwrap();
        let found = of(&[root.join("hooks.toml")].into());
        let expected = [root.clone(), root.join("a/deep"), root.join("links")];
        assert_eq!(found.into_keys().collect::<Vec<_>>(), expected);
        // A way that ends early, and one that never ends.
        let found = of(&[root.join("a/gone/hooks.toml")].into());
        assert_eq!(found.into_keys().collect::<Vec<_>>(), [root.join("a")]);
        symlink("circle", root.join("circle")).unwrap();
        assert!(!of(&[root.join("circle")].into()).is_empty());
    }
}
