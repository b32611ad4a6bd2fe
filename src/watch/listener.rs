//! The notices of the system that something has changed in a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;

use super::folders::FolderId;

/// Listens to folders.
pub(super) struct Listener {
    /// `None` if the system announces nothing here.
    watcher: Option<RecommendedWatcher>,
    notices: Arc<Notify>,
    watched: BTreeMap<PathBuf, FolderId>,
    refused: BTreeSet<PathBuf>,
}

impl Listener {
    /// Begins to listen, to no folder yet. Returns the problem as well, if the system announces nothing here.
    pub(super) fn new() -> (Self, Option<String>) {
        let notices = Arc::new(Notify::new());
        let notice = Arc::clone(&notices);
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // Reading the file is an event too, and must not make us read it again.
            if !event.is_ok_and(|event| event.kind.is_access()) {
                notice.notify_one();
            }
        });
        let (watcher, problem) = match watcher {
            Ok(watcher) => (Some(watcher), None),
            Err(error) => (None, Some(format!("changes are not announced here: {error}"))),
        };
        let (watched, refused) = (BTreeMap::new(), BTreeSet::new());
        (Self { watcher, notices, watched, refused }, problem)
    }

    /// Returns what is notified when something has changed.
    pub(super) fn notices(&self) -> &Notify {
        &self.notices
    }

    /// Listens to these folders and to no other; a folder that was made again is listened to again.
    /// Returns the problems of folders that cannot be listened to, each once.
    pub(super) fn update(&mut self, folders: &BTreeMap<PathBuf, FolderId>) -> Vec<String> {
        let Some(watcher) = &mut self.watcher else { return Vec::new() };
        let gone = |(path, was): (&PathBuf, &FolderId)| {
            (folders.get(path) != Some(was)).then(|| path.clone())
        };
        let gone: Vec<_> = self.watched.iter().filter_map(gone).collect();
        for path in gone {
            // This fails if the folder is gone, which the system has noticed itself.
            let _ = watcher.unwatch(&path);
            self.watched.remove(&path);
        }
        let mut problems = Vec::new();
        for (path, identity) in folders {
            if self.watched.contains_key(path) {
                continue;
            }
            match watcher.watch(path, RecursiveMode::NonRecursive) {
                Ok(()) => {
                    self.refused.remove(path);
                    self.watched.insert(path.clone(), *identity);
                }
                // It went away a moment ago, and the next look finds that.
                Err(_) if !path.exists() => {}
                Err(error) => {
                    if self.refused.insert(path.clone()) {
                        problems
                            .push(format!("`{}` cannot be listened to: {error}", path.display()));
                    }
                }
            }
        }
        problems
    }
}
