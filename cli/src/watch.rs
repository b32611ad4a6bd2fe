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
mod layers;
mod reports;
mod stamps;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hookgate::{Engine, Registry, Reloader};
use hookgate_store::Journal;
use notify::{Event, RecommendedWatcher};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, timeout};

use crate::config::ConfigArgs;
use crate::interrupt::Hangups;
use crate::overrides::OverrideArgs;
use crate::terminal::progress::Progress;
use crate::terminal::stderr;
use folders::{FolderId, WatchedFolders};
use layers::Layers;
use reports::{REMIND_EVERY, Reports};
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
    layers: Arc<Layers>,
    notices: mpsc::UnboundedReceiver<()>,
    /// Keeps the channel open if there is no watcher.
    _sender: mpsc::UnboundedSender<()>,
    watcher: Option<RecommendedWatcher>,
    watched: WatchedFolders,
    /// What the files were when they were last loaded.
    seen: Option<Stamps>,
    /// When they were last loaded.
    loaded: Instant,
    hangups: Hangups,
    /// Whether a reload was asked for by a signal.
    asked: bool,
}

/// Returns the folders in which a change can replace one of these files.
pub(crate) fn folders_of(files: &BTreeSet<PathBuf>) -> impl Iterator<Item = PathBuf> + use<> {
    folders::find(files).into_keys()
}

/// A watch that goes on beside the run.
pub(crate) struct Follower {
    task: JoinHandle<()>,
    reports: Reports,
}

impl Follower {
    /// Ends the watch. A warning says if the files on disk never came into force.
    pub(crate) fn end(self) {
        self.task.abort();
        self.reports.warn_at_end();
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
        let layers = Layers::find(config, overrides);
        let files = layers.files();
        let mut watch = Self {
            layers: Arc::new(layers),
            notices,
            _sender: sender,
            watcher,
            watched: WatchedFolders::default(),
            seen: None,
            loaded: Instant::now(),
            hangups: Hangups::listen(),
            asked: false,
        };
        watch.listen(&folders::find(&files), &Progress::hidden());
        watch
    }

    /// Follows the config while the run goes on. What comes into force is noted in the journal, if there is one.
    pub(crate) fn follow(
        self,
        engine: Arc<Engine>,
        registry: Arc<Registry>,
        progress: Progress,
        journal: Option<Journal>,
    ) -> Follower {
        let layers = Arc::clone(&self.layers);
        let reloader = Reloader::new(engine, move |in_force| layers.load(&registry, in_force));
        let reports = Reports::new(reloader, progress, journal);
        Follower { task: tokio::spawn(self.watch(reports.clone())), reports }
    }

    /// Puts each new version in force. A broken one is reported until it is mended, and the last
    /// good one stays.
    async fn watch(mut self, reports: Reports) {
        loop {
            let files = self.files(&reports);
            let mut look = self.look(files.clone(), reports.progress()).await;
            self.listen(&look.folders, reports.progress());
            if self.asked {
                // As the files are now. Should one of them be in the middle of a write, the next look
                // finds that it has changed since `seen`.
                self.reload(&reports).await;
            } else if self.seen.as_ref() != Some(&look.stamps) {
                // What has changed since the first load is found by the first look.
                let quiet;
                (look, quiet) = self.settle(look, &files, reports.progress()).await;
                self.reload(&reports).await;
                // Two changes within a tick of the file system's clock look like one: files that
                // have just changed are loaded once more.
                self.seen = quiet.then_some(look.stamps);
            } else if self.loaded.elapsed() >= RETRY_EVERY && reports.rests_on_other_files() {
                self.reload(&reports).await;
            }
            reports.remind();
            self.wait().await;
        }
    }

    /// Waits for a notice, for a signal, or until it is time to look anyway.
    async fn wait(&mut self) {
        tokio::select! {
            () = self.hangups.requested() => self.asked = true,
            notice = timeout(LOOK_EVERY, self.notices.recv()) => {
                if notice.is_ok() {
                    self.pause().await;
                    while self.notices.try_recv().is_ok() {}
                }
            }
        }
    }

    /// Waits a moment, less if a signal asks for a reload.
    async fn pause(&mut self) {
        self.asked |= timeout(PAUSE, self.hangups.requested()).await.is_ok();
    }

    /// Returns the files that the table in force is made of, and those with the mistakes for which a newer one
    /// is not in force.
    fn files(&self, reports: &Reports) -> BTreeSet<PathBuf> {
        let table = reports.engine().table();
        let sources = table.specs().flat_map(|hook| hook.sources().iter().cloned());
        sources.chain(self.layers.files()).chain(reports.broken_files()).collect()
    }

    /// Looks at the files, and at the places where others could appear.
    async fn look(&self, files: BTreeSet<PathBuf>, progress: &Progress) -> Look {
        let search = self.layers.search();
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
        let name = self.layers.name();
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
            if since.elapsed() >= needed || began.elapsed() >= LONGEST_WAIT || self.asked {
                return (look, since.elapsed() >= QUIET);
            }
            self.pause().await;
            let next = self.look(files.clone(), progress).await;
            if next.stamps != look.stamps {
                since = Instant::now();
            }
            look = next;
        }
    }

    async fn reload(&mut self, reports: &Reports) {
        self.loaded = Instant::now();
        let reloader = reports.reloader().clone();
        let (noted, layers) = (reports.clone(), Arc::clone(&self.layers));
        let reload = move || {
            let ended = reloader.blocking_reload();
            if let Ok(reloaded) = &ended {
                noted.note(reloaded, &layers.written());
            }
            ended
        };
        let ended = self.on_blocking_thread(reload, reports.progress()).await;
        reports.tell(&self.layers.name(), ended, std::mem::take(&mut self.asked));
    }
}

/// Warns that changes are found late, because the system will not announce them.
fn warn_of_polling(problem: &str) {
    stderr::warning(&format!(
        "{problem}; changes are found by looking every {} ms (is fs.inotify.max_user_watches too low?)",
        LOOK_EVERY.as_millis()
    ));
}
