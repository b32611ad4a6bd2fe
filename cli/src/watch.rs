//! A config that is loaded again when it changes, or a file that its hooks are made of: the script
//! of a worker, the rule of a judge, a certificate.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookgate::config::ConfigErrors;
use hookgate::{Engine, HandlerTable};
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
    /// What was wrong when it was last loaded.
    wrong: Option<ConfigErrors>,
    /// It ends when it is dropped.
    watcher: RecommendedWatcher,
    folders: BTreeSet<PathBuf>,
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
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // To read the file is an event too, and must not make us read it again.
            if event.is_ok_and(|event| event.kind.is_access()) {
                return;
            }
            // Nobody receives: the run is over.
            let _ = sender.send(());
        })
        .map_err(cannot)?;
        let mut watch =
            Self { path: path.to_owned(), changes, wrong: None, watcher, folders: BTreeSet::new() };
        watch.attend(path).map_err(cannot)?;
        Ok(watch)
    }

    /// Watches a file: its folder, since editors put a new file in the place of the old one, and a
    /// watch stays with the old one. Two folders where it is a link, as in a mounted config map.
    fn attend(&mut self, path: &Path) -> notify::Result<()> {
        for folder in [Some(folder(path)), path.canonicalize().ok().map(|real| folder(&real))] {
            let Some(folder) = folder.filter(|folder| !self.folders.contains(folder)) else {
                continue;
            };
            self.watcher.watch(&folder, RecursiveMode::NonRecursive)?;
            self.folders.insert(folder);
        }
        Ok(())
    }

    /// Watches what the hooks are made of.
    fn attend_sources(&mut self, table: &HandlerTable, progress: &Progress) {
        for hook in table.specs() {
            for source in hook.sources() {
                if let Err(error) = self.attend(source) {
                    let (id, source) = (hook.id(), source.display());
                    progress.aside(|| {
                        colour::warning(&format!(
                            "`{source}` of hook `{id}` cannot be watched: {error}"
                        ));
                    });
                }
            }
        }
    }

    /// Puts each new version in force. A broken one is reported, and the last good one stays.
    pub(crate) async fn follow(mut self, engine: Arc<Engine>, progress: Progress) {
        self.attend_sources(&engine.table(), &progress);
        // What has changed since the first load, before anybody watched, is found by the first look.
        loop {
            self.settle().await;
            self.reload(&engine, &progress);
            if self.changes.recv().await.is_none() {
                return;
            }
        }
    }

    /// Waits until no more changes come in: a file that is being written may be half there, with
    /// fewer hooks than it will have.
    async fn settle(&mut self) {
        let end = Instant::now() + AT_MOST;
        while let Ok(Some(())) =
            timeout_at(end.min(Instant::now() + QUIET), self.changes.recv()).await
        {}
    }

    fn reload(&mut self, engine: &Engine, progress: &Progress) {
        let name = self.path.display().to_string();
        match config::reload(&self.path, engine) {
            // Something else in the folder has changed.
            Ok(loaded)
                if self.wrong.is_none()
                    && loaded.table.config_hash() == engine.table().config_hash() => {}
            Ok(loaded) => {
                self.wrong = None;
                self.attend_sources(&loaded.table, progress);
                let hooks = count(loaded.table.len(), "hook");
                let generation = engine.swap(loaded.table);
                let table = engine.table();
                progress.aside(|| {
                    diagnostics::print(&loaded.warnings, Severity::Warning);
                    colour::note(&format!("reloaded `{name}`: generation {generation}, {hooks}"));
                    // What was required before stays so, also where the file says nothing of it.
                    for (event, why) in table.unguarded() {
                        colour::warning(&format!("every `{event}` is denied: {why}"));
                    }
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
