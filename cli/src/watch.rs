//! A config that is loaded again when it changes, or a file that its hooks are made of: the script
//! of a worker, the rule of a judge, a certificate.
//!
//! What is in force is what is on disk within two seconds, or that is told again and again. The
//! system's own notices make it quick; that nothing is missed rests on a look at the files
//! themselves, since notices get lost: at links on the way, at folders that are moved or made anew,
//! on file systems that send none.

mod folders;
mod stamp;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookgate::config::{ConfigErrors, ConfigProblem, Loaded};
use hookgate::contract::settings::SettingProblem;
use hookgate::{Engine, HandlerTable, Registry};
use miette::Severity;
use notify::{Event, RecommendedWatcher};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep, timeout};

use crate::progress::Progress;
use crate::text::count;
use crate::{colour, config, diagnostics};
use folders::{Attended, Identity};
use stamp::Stamps;

/// How often the files are looked at, whatever the system says.
const LOOK: Duration = Duration::from_millis(500);

/// How long is waited between two looks that notices ask for.
const BREATH: Duration = Duration::from_millis(50);

/// How long the files must have been as they are: an editor writes a file in several steps.
const QUIET: Duration = Duration::from_millis(100);

/// The same where a file became shorter: whoever writes it may be slow.
const QUIET_SHORTER: Duration = Duration::from_millis(700);

/// How long is waited for quiet at most: what is always changing is in force as well.
const AT_MOST: Duration = Duration::from_secs(1);

/// How often what is broken is tried again although its own files are as they were.
const RETRY: Duration = Duration::from_secs(1);

/// How often it is told that what is on disk is not in force.
const REMIND: Duration = Duration::from_secs(10);

/// How long a look or a load may take before it is told.
const STUCK: Duration = Duration::from_secs(2);

/// Watches a config.
pub(crate) struct Watch {
    path: PathBuf,
    registry: Arc<Registry>,
    notices: mpsc::UnboundedReceiver<()>,
    /// Keeps the channel open where there is no watcher.
    _sender: mpsc::UnboundedSender<()>,
    watcher: Option<RecommendedWatcher>,
    attended: Attended,
    /// What the files were when they were last loaded.
    seen: Option<Stamps>,
    /// When that was.
    loaded: Instant,
    trouble: Trouble,
}

/// The folders in which a change can put another file in the place of one of these.
pub(crate) fn folders_of(files: &BTreeSet<PathBuf>) -> impl Iterator<Item = PathBuf> + use<> {
    folders::of(files).into_keys()
}

/// What is wrong with what is on disk, for all who want to tell it.
type Trouble = Arc<Mutex<Option<Wrong>>>;

struct Wrong {
    errors: ConfigErrors,
    told: Instant,
}

/// A watch that goes on beside the run.
pub(crate) struct Follower {
    task: JoinHandle<()>,
    name: String,
    trouble: Trouble,
}

impl Follower {
    /// Ends the watch, and tells if what is on disk never came into force.
    pub(crate) fn end(self, engine: &Engine, progress: &Progress) {
        self.task.abort();
        if let Some(wrong) = &*self.trouble.lock().unwrap_or_else(PoisonError::into_inner) {
            remind(&self.name, wrong, engine, progress);
        }
    }
}

/// What there is on disk: the files, and the folders in which they could change.
struct Look {
    stamps: Stamps,
    folders: BTreeMap<PathBuf, Identity>,
}

impl Watch {
    /// Starts listening. This comes before the config is loaded for the first time, so that what
    /// changes in between is noticed.
    pub(crate) fn start(path: &Path, registry: &Arc<Registry>) -> Self {
        let (sender, notices) = mpsc::unbounded_channel();
        let notice = sender.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            // To read the file is an event too, and must not make us read it again.
            if event.is_ok_and(|event| event.kind.is_access()) {
                return;
            }
            // Nobody receives: the run is over.
            let _ = notice.send(());
        });
        let watcher =
            watcher.map_err(|error| lost(&format!("changes are not announced here: {error}"))).ok();
        let mut watch = Self {
            path: path.to_owned(),
            registry: Arc::clone(registry),
            notices,
            _sender: sender,
            watcher,
            attended: Attended::default(),
            seen: None,
            loaded: Instant::now(),
            trouble: Trouble::default(),
        };
        watch.attend(&folders::of(&[path.to_owned()].into()), &Progress::none());
        watch
    }

    /// Follows the config while the run goes on.
    pub(crate) fn follow(self, engine: Arc<Engine>, progress: Progress) -> Follower {
        let (name, trouble) = (self.path.display().to_string(), Arc::clone(&self.trouble));
        Follower { task: tokio::spawn(self.watch(engine, progress)), name, trouble }
    }

    /// Puts each new version in force. A broken one is told until it is mended, and the last good
    /// one stays.
    async fn watch(mut self, engine: Arc<Engine>, progress: Progress) {
        loop {
            let files = self.files(&engine.table());
            let mut look = self.look(files.clone(), &progress).await;
            self.attend(&look.folders, &progress);
            // What has changed since the first load is found by the first look.
            if self.seen.as_ref() != Some(&look.stamps) {
                let calm;
                (look, calm) = self.settle(look, &files, &progress).await;
                self.reload(&engine, &progress).await;
                // Two changes within a tick of the file system's clock look like one: what has just
                // changed is loaded once more.
                self.seen = calm.then_some(look.stamps);
            } else if self.loaded.elapsed() >= RETRY && self.rests_on_others() {
                self.reload(&engine, &progress).await;
            }
            self.remind(&engine, &progress);
            if timeout(LOOK, self.notices.recv()).await.is_ok() {
                sleep(BREATH).await;
                while self.notices.try_recv().is_ok() {}
            }
        }
    }

    /// The files that a table is made of.
    fn files(&self, table: &HandlerTable) -> BTreeSet<PathBuf> {
        let sources = table.specs().flat_map(|hook| hook.sources().iter().cloned());
        sources.chain([self.path.clone()]).collect()
    }

    /// Looks at the files. Where that takes long, as on a network that is down, it is told.
    async fn look(&self, files: BTreeSet<PathBuf>, progress: &Progress) -> Look {
        let look = move || Look { stamps: Stamps::of(&files), folders: folders::of(&files) };
        self.beside(look, progress).await
    }

    /// Does what may wait for a file system beside the threads that judge.
    async fn beside<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
        progress: &Progress,
    ) -> T {
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
                Err(_) => progress.aside(|| {
                    colour::warning(&format!(
                        "`{}` has not been read yet: its file system does not answer",
                        self.path.display()
                    ));
                }),
            }
            patience = REMIND;
        }
    }

    /// Listens to folders.
    fn attend(&mut self, folders: &BTreeMap<PathBuf, Identity>, progress: &Progress) {
        let Some(watcher) = &mut self.watcher else { return };
        for problem in self.attended.attend(watcher, folders) {
            progress.aside(|| lost(&problem));
        }
    }

    /// Waits until the files stay as they are: one that is being written may be half there, with
    /// fewer hooks than it will have. Says whether they do.
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
            let quiet = if shorter { QUIET_SHORTER } else { QUIET };
            if since.elapsed() >= quiet || began.elapsed() >= AT_MOST {
                return (look, since.elapsed() >= QUIET);
            }
            sleep(BREATH).await;
            let next = self.look(files.clone(), progress).await;
            if next.stamps != look.stamps {
                since = Instant::now();
            }
            look = next;
        }
    }

    /// Whether what is wrong may be mended without a change to the files that are looked at: by a
    /// script that was missing.
    fn rests_on_others(&self) -> bool {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.as_ref().is_some_and(|wrong| {
            wrong.errors.errors().iter().any(|error| {
                matches!(
                    error.problem(),
                    ConfigProblem::Setting(SettingProblem::Invalid { .. }) | ConfigProblem::Unbuilt
                )
            })
        })
    }

    async fn reload(&mut self, engine: &Arc<Engine>, progress: &Progress) {
        self.loaded = Instant::now();
        let (path, judging) = (self.path.clone(), Arc::clone(engine));
        let registry = Arc::clone(&self.registry);
        let loaded =
            self.beside(move || config::reload(&path, &registry, &judging), progress).await;
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        match loaded {
            // Something else has changed.
            Ok(loaded)
                if trouble.is_none()
                    && loaded.table.config_hash() == engine.table().config_hash() => {}
            Ok(loaded) => {
                *trouble = None;
                put_in_force(&self.path, loaded, engine, progress);
            }
            Err(errors) => {
                if trouble.as_ref().is_some_and(|wrong| wrong.errors == errors) {
                    return;
                }
                let number = count(errors.errors().len(), "error");
                let generation = engine.table().generation();
                progress.aside(|| {
                    diagnostics::print(errors.errors(), Severity::Error);
                    colour::warning(&format!(
                        "`{}` was not reloaded, it has {number}: generation {generation} stays in force",
                        self.path.display()
                    ));
                });
                *trouble = Some(Wrong { errors, told: Instant::now() });
            }
        }
    }

    /// Tells again what is wrong.
    fn remind(&self, engine: &Engine, progress: &Progress) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(wrong) = trouble.as_mut().filter(|wrong| wrong.told.elapsed() >= REMIND) {
            wrong.told = Instant::now();
            remind(&self.path.display().to_string(), wrong, engine, progress);
        }
    }
}

fn put_in_force(path: &Path, loaded: Loaded, engine: &Engine, progress: &Progress) {
    let (hooks, before) = (loaded.table.len(), engine.table().len());
    let fewer = if hooks < before { format!(", {} fewer", before - hooks) } else { String::new() };
    let generation = engine.swap(loaded.table);
    progress.aside(|| {
        diagnostics::print(&loaded.warnings, Severity::Warning);
        colour::note(&format!(
            "reloaded `{}`: generation {generation}, {}{fewer}",
            path.display(),
            count(hooks, "hook")
        ));
        // What was required before stays so, also where the file says nothing of it.
        for (event, why) in engine.table().unguarded() {
            colour::warning(&format!("every `{event}` is denied: {why}"));
        }
    });
}

/// Tells that what is on disk is still not in force, and the first reason.
fn remind(name: &str, wrong: &Wrong, engine: &Engine, progress: &Progress) {
    let generation = engine.table().generation();
    let first =
        wrong.errors.errors().first().map(|error| {
            format!(": {}:{}:{}: {error}", error.file(), error.line(), error.column())
        });
    progress.aside(|| {
        colour::warning(&format!(
            "`{name}` is still not reloaded, generation {generation} stays in force{}",
            first.unwrap_or_default()
        ));
    });
}

/// Tells that nobody will tell us of changes.
fn lost(problem: &str) {
    colour::warning(&format!(
        "{problem}; changes are found by looking every {} ms (is fs.inotify.max_user_watches too low?)",
        LOOK.as_millis()
    ));
}
