//! A config that is loaded again when it changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookgate::Engine;
use hookgate::config::ConfigErrors;
use miette::Severity;
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use crate::abort::Abort;
use crate::progress::Progress;
use crate::text::count;
use crate::{colour, config, diagnostics};

/// How long it must have been quiet: an editor writes a file in several steps.
const QUIET: Duration = Duration::from_millis(100);

/// How long is waited for quiet at most, so that a busy folder keeps no change back for ever.
const AT_MOST: Duration = Duration::from_secs(1);

/// Watches a config.
pub(crate) struct Watch {
    path: PathBuf,
    changes: mpsc::UnboundedReceiver<()>,
    /// What the file held when it was last loaded.
    seen: Option<Vec<u8>>,
    /// What was wrong then.
    wrong: Option<ConfigErrors>,
    /// It ends when it is dropped.
    _watcher: RecommendedWatcher,
}

impl Watch {
    /// Starts watching. This comes before the config is loaded for the first time: what changes
    /// in between is noticed.
    pub(crate) fn start(path: &Path) -> Result<Self, Abort> {
        let cannot = |error: notify::Error| {
            Abort::failure(format!("`{}` cannot be watched: {error}", path.display()))
                .help("run without --watch, or raise fs.inotify.max_user_watches")
        };
        let (sender, changes) = mpsc::unbounded_channel();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // To read the file is an event too, and must not make us read it again.
            if event.is_ok_and(|event| event.kind.is_access()) {
                return;
            }
            // Nobody receives: the run is over.
            let _ = sender.send(());
        })
        .map_err(cannot)?;
        // The folders, not the file: editors put a new file in its place, and a watch stays with
        // the old one. Two of them where the config is a link, as in a mounted config map.
        let mut folders = vec![folder(path)];
        folders.extend(path.canonicalize().ok().map(|real| folder(&real)));
        folders.dedup();
        for folder in folders {
            watcher.watch(&folder, RecursiveMode::NonRecursive).map_err(cannot)?;
        }
        let seen = std::fs::read(path).ok();
        Ok(Self { path: path.to_owned(), changes, seen, wrong: None, _watcher: watcher })
    }

    /// Puts each new version in force. A broken one is reported, and the last good one stays.
    pub(crate) async fn follow(mut self, engine: Arc<Engine>, progress: Progress) {
        while self.changes.recv().await.is_some() {
            self.settle().await;
            let now = std::fs::read(&self.path).ok();
            // Something else in the folder has changed. That matters only if the config did not
            // load: perhaps the script that was missing is there now.
            if now == self.seen && self.wrong.is_none() {
                continue;
            }
            self.seen = now;
            self.reload(&engine, &progress);
        }
    }

    /// Waits until no more changes come in.
    async fn settle(&mut self) {
        let end = Instant::now() + AT_MOST;
        while let Ok(Some(())) =
            timeout_at(end.min(Instant::now() + QUIET), self.changes.recv()).await
        {}
    }

    fn reload(&mut self, engine: &Engine, progress: &Progress) {
        let name = self.path.display();
        match config::reload(&self.path, engine) {
            Ok(loaded) => {
                self.wrong = None;
                let hooks = count(loaded.table.len(), "hook");
                let generation = engine.swap(loaded.table);
                progress.aside(|| {
                    diagnostics::print(&loaded.warnings, Severity::Warning);
                    colour::note(&format!("reloaded `{name}`: generation {generation}, {hooks}"));
                });
            }
            Err(errors) => {
                if self.wrong.as_ref() == Some(&errors) {
                    return;
                }
                let number = count(errors.errors().len(), "error");
                let generation = engine.table().generation();
                progress.aside(|| {
                    diagnostics::print(errors.errors(), Severity::Error);
                    colour::warning(&format!(
                        "`{name}` was not reloaded, it has {number}: generation {generation} stays in force"
                    ));
                });
                self.wrong = Some(errors);
            }
        }
    }
}

fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}
