//! Configs that are loaded again when one of them changes, or when a file changes that their hooks are
//! made of: the script of a worker, the rule of a judge, a certificate. They are found anew each time, so
//! that one that appears comes into force as well: a drop-in, a folder `.hookgate`, a file that a pattern
//! of an `include` means.
//!
//! Within two seconds the table in force is that of the files on disk, or warnings say again and
//! again why it is not. Notices of the system make it quick, but they get lost: at links to a file,
//! at folders that are moved or made again, on file systems that send none. So correctness rests on
//! looking at the files themselves, twice a second.

mod folders;
mod reload;
mod stamps;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hookgate::{Engine, HandlerTable, Registry};
use notify::{Event, RecommendedWatcher};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep, timeout};

use crate::config::{ConfigArgs, Configs};
use crate::overrides::OverrideArgs;
use crate::terminal::progress::Progress;
use crate::terminal::stderr;
use folders::{FolderId, WatchedFolders};
use reload::{Loading, REMIND_EVERY};
pub(crate) use stamps::Stamps;

/// How often the files are looked at, with or without a notice.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// The pause between two looks that notices ask for.
const PAUSE: Duration = Duration::from_millis(50);

/// How long the files must not have changed before they are loaded: an editor writes a file in
/// several steps.
const QUIET: Duration = Duration::from_millis(100);

/// The same if a file became shorter: it may be in the middle of a slow write.
const QUIET_AFTER_SHRINKING: Duration = Duration::from_millis(700);

/// The longest wait for quiet: files that change all the time are loaded as well.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// How often a broken config is tried again although its own files have not changed.
const RETRY_EVERY: Duration = Duration::from_secs(1);

/// How long a look or a load may take before a warning says so.
const STUCK: Duration = Duration::from_secs(2);

/// A watch over configs.
pub(crate) struct Watch {
    config: ConfigArgs,
    overrides: OverrideArgs,
    /// What was found when they were last loaded.
    configs: Configs,
    /// The files that they include, and the folders in which more of them may appear.
    belonging: BTreeSet<PathBuf>,
    notices: mpsc::UnboundedReceiver<()>,
    /// Keeps the channel open if there is no watcher.
    _sender: mpsc::UnboundedSender<()>,
    watcher: Option<RecommendedWatcher>,
    watched: WatchedFolders,
    /// What the files were when they were last loaded.
    seen: Option<Stamps>,
    /// When they were last loaded.
    loaded: Instant,
    loading: Loading,
}

/// Returns the folders in which a change can replace one of these files.
pub(crate) fn folders_of(files: &BTreeSet<PathBuf>) -> impl Iterator<Item = PathBuf> + use<> {
    folders::find(files).into_keys()
}

/// A watch that goes on beside the run.
pub(crate) struct Follower {
    task: JoinHandle<()>,
    loading: Loading,
}

impl Follower {
    /// Ends the watch. A warning says if the files on disk never came into force.
    pub(crate) fn end(self, engine: &Engine, progress: &Progress) {
        self.task.abort();
        self.loading.warn_if_broken(engine, progress);
    }
}

/// What is on disk: the files, and the folders in which they could change.
struct Look {
    stamps: Stamps,
    folders: BTreeMap<PathBuf, FolderId>,
}

impl Watch {
    /// Starts to listen. This comes before the config is loaded for the first time, so that what
    /// changes in between is noticed.
    pub(crate) fn start(config: &ConfigArgs, overrides: &OverrideArgs) -> Self {
        let (sender, notices) = mpsc::unbounded_channel();
        let notice = sender.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // Reading the file is an event too, and must not make us read it again.
            if event.is_ok_and(|event| event.kind.is_access()) {
                return;
            }
            // It fails if the run is over.
            let _ = notice.send(());
        });
        let watcher = watcher
            .map_err(|error| warn_of_polling(&format!("changes are not announced here: {error}")))
            .ok();
        // Without any the run does not begin.
        let configs = config.find().unwrap_or_default();
        let files = configs.files().map(Path::to_path_buf).collect();
        let mut watch = Self {
            config: config.clone(),
            overrides: overrides.clone(),
            configs,
            belonging: BTreeSet::new(),
            notices,
            _sender: sender,
            watcher,
            watched: WatchedFolders::default(),
            seen: None,
            loaded: Instant::now(),
            loading: Loading::default(),
        };
        watch.listen(&folders::find(&files), &Progress::hidden());
        watch
    }

    /// Follows the config while the run goes on.
    pub(crate) fn follow(
        self,
        engine: Arc<Engine>,
        registry: Arc<Registry>,
        progress: Progress,
    ) -> Follower {
        let loading = self.loading.clone();
        Follower { task: tokio::spawn(self.watch(engine, registry, progress)), loading }
    }

    /// Puts each new version in force. A broken one is reported until it is mended, and the last
    /// good one stays.
    async fn watch(mut self, engine: Arc<Engine>, registry: Arc<Registry>, progress: Progress) {
        loop {
            let files = self.files(&engine.table());
            let mut look = self.look(files.clone(), &progress).await;
            self.listen(&look.folders, &progress);
            // What has changed since the first load is found by the first look.
            if self.seen.as_ref() != Some(&look.stamps) {
                let quiet;
                (look, quiet) = self.settle(look, &files, &progress).await;
                self.reload(&engine, &registry, &progress).await;
                // Two changes within a tick of the file system's clock look like one: files that
                // have just changed are loaded once more.
                self.seen = quiet.then_some(look.stamps);
            } else if self.loaded.elapsed() >= RETRY_EVERY && self.loading.rests_on_other_files() {
                self.reload(&engine, &registry, &progress).await;
            }
            self.loading.remind(&engine, &progress);
            if timeout(LOOK_EVERY, self.notices.recv()).await.is_ok() {
                sleep(PAUSE).await;
                while self.notices.try_recv().is_ok() {}
            }
        }
    }

    /// Returns the files that a table is made of, and those with the mistakes for which a newer one is not
    /// in force.
    fn files(&self, table: &HandlerTable) -> BTreeSet<PathBuf> {
        let sources = table.specs().flat_map(|hook| hook.sources().iter().cloned());
        sources
            .chain(self.configs.files().map(Path::to_path_buf))
            .chain(self.belonging.iter().cloned())
            .chain(self.loading.broken_files())
            .collect()
    }

    /// Looks at the files, and at the places where others could appear.
    async fn look(&self, files: BTreeSet<PathBuf>, progress: &Progress) -> Look {
        let search = self.config.search();
        let look = move || {
            // In folders above that of the session so much happens that is none of its business: those are
            // not listened to.
            let (far, near): (Vec<_>, Vec<_>) =
                search.places().into_iter().partition(|place| search.is_above(place));
            let mut all = files;
            all.extend(near.into_iter().map(|place| place.path));
            let folders = folders::find(&all);
            all.extend(far.into_iter().map(|place| place.path));
            Look { stamps: Stamps::read(&all), folders }
        };
        self.on_blocking_thread(look, progress).await
    }

    /// Runs what may wait for a file system beside the threads that dispatch. A warning says if it
    /// takes long, as on a network that is down.
    async fn on_blocking_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        progress: &Progress,
    ) -> T {
        let name = self.configs.name();
        let mut work = spawn_blocking(work);
        let mut patience = STUCK;
        loop {
            match timeout(patience, &mut work).await {
                Ok(Ok(done)) => return done,
                Ok(Err(error)) => match error.try_into_panic() {
                    Ok(panic) => std::panic::resume_unwind(panic),
                    // The runtime ends, and this task with it.
                    Err(_) => std::future::pending().await,
                },
                Err(_) => progress.suspend(|| {
                    stderr::warning(&format!(
                        "{name} {} not been read yet: the file system does not answer",
                        name.verb("has", "have")
                    ));
                }),
            }
            patience = REMIND_EVERY;
        }
    }

    /// Listens to folders.
    fn listen(&mut self, folders: &BTreeMap<PathBuf, FolderId>, progress: &Progress) {
        let Some(watcher) = &mut self.watcher else { return };
        for problem in self.watched.update(watcher, folders) {
            progress.suspend(|| warn_of_polling(&problem));
        }
    }

    /// Waits until the files do not change any more, and returns whether they do not: one that is
    /// being written may be half there, with fewer hooks than it will have.
    async fn settle(
        &mut self,
        mut look: Look,
        files: &BTreeSet<PathBuf>,
        progress: &Progress,
    ) -> (Look, bool) {
        let began = Instant::now();
        let mut since = began;
        loop {
            let shorter = self.seen.as_ref().is_some_and(|seen| look.stamps.shrank_since(seen));
            let needed = if shorter { QUIET_AFTER_SHRINKING } else { QUIET };
            if since.elapsed() >= needed || began.elapsed() >= LONGEST_WAIT {
                return (look, since.elapsed() >= QUIET);
            }
            sleep(PAUSE).await;
            let next = self.look(files.clone(), progress).await;
            if next.stamps != look.stamps {
                since = Instant::now();
            }
            look = next;
        }
    }

    async fn reload(&mut self, engine: &Engine, registry: &Arc<Registry>, progress: &Progress) {
        self.loaded = Instant::now();
        let (config, before) = (self.config.clone(), self.configs.clone());
        let (registry, earlier) = (Arc::clone(registry), engine.table());
        let overrides = self.overrides.clone();
        let load = move || {
            let configs = config.find_again(&before);
            let loaded = configs.reload(&registry, &earlier);
            let loaded = loaded.and_then(|loaded| overrides.apply_to(loaded, &registry));
            (configs, loaded)
        };
        let (configs, loaded) = self.on_blocking_thread(load, progress).await;
        self.configs = configs;
        if let Ok(loaded) = &loaded {
            self.belonging = loaded.included.iter().chain(&loaded.searched).cloned().collect();
        }
        self.loading.finish(&self.configs.name(), loaded, engine, progress);
    }
}

/// Warns that changes are found late, because the system will not announce them.
fn warn_of_polling(problem: &str) {
    stderr::warning(&format!(
        "{problem}; changes are found by looking every {} ms (is fs.inotify.max_user_watches too low?)",
        LOOK_EVERY.as_millis()
    ));
}
