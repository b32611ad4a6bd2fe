//! The task that follows files: it looks, waits until they rest, has them loaded, and tells what came of it.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout};

use super::events::Sender;
use super::failing::{Failing, REMIND_EVERY};
use super::folders::{self, FolderId};
use super::listener::Listener;
use super::requests::Requests;
use super::{LOOK_EVERY, Places, Source, Stamps, WatchEvent};
use crate::config::Loaded;
use crate::panic_boundary::catch;
use crate::reload::{ReloadError, Reloaded, Reloader};
use crate::table::HandlerTable;

/// The pause between two looks that notices ask for.
const PAUSE: Duration = Duration::from_millis(50);

/// How long the files must not have changed before they are loaded: an editor writes a file in
/// several steps.
const QUIET: Duration = Duration::from_millis(100);

/// The same if a file became shorter: it may be in the middle of a slow write.
const QUIET_AFTER_SHRINKING: Duration = Duration::from_millis(700);

/// The longest wait for quiet: files that change all the time are loaded as well.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

/// The same for files that have become shorter: of a writer that takes its time, half would be in force.
const LONGEST_WAIT_AFTER_SHRINKING: Duration = Duration::from_secs(10);

/// How often a broken config is tried again although its own files have not changed.
const RETRY_EVERY: Duration = Duration::from_secs(1);

/// How long a look or a load may take before that is told.
const STUCK: Duration = Duration::from_secs(2);

/// The files that configs include, and the folders in which more of them may appear, as the last load has found them.
#[derive(Clone, Default)]
pub(super) struct Belonging(Arc<Mutex<BTreeSet<PathBuf>>>);

impl Belonging {
    /// Returns what loads from a source, and notes what belongs to the files.
    pub(super) fn noted<S: Source + ?Sized>(
        &self,
        source: &Arc<S>,
    ) -> impl Fn(&HandlerTable) -> Result<Loaded, ReloadError> + Send + Sync + use<S> {
        let (belonging, source) = (self.clone(), Arc::clone(source));
        move |in_force| {
            let loaded = source.load(in_force)?;
            let paths = loaded.included.iter().chain(&loaded.searched).cloned().collect();
            *belonging.0.lock().unwrap_or_else(PoisonError::into_inner) = paths;
            Ok(loaded)
        }
    }

    fn paths(&self) -> BTreeSet<PathBuf> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Follows files until it is told to end.
pub(super) struct Follower {
    source: Arc<dyn Source>,
    belonging: Belonging,
    reloader: Reloader,
    sender: Sender,
    requests: Requests,
    listener: Listener,
    /// Where the files were when the source was last asked.
    places: Places,
    /// What they were when they were last loaded.
    seen: Option<Stamps>,
    /// When they were last loaded.
    loaded: Instant,
    failing: Option<Failing>,
}

/// What is on disk: the files, and the folders in which they could change.
struct Look {
    stamps: Stamps,
    folders: BTreeMap<PathBuf, FolderId>,
    /// Whether it is known where all of them are.
    is_whole: bool,
}

impl Follower {
    pub(super) fn new(
        source: Arc<dyn Source>,
        belonging: Belonging,
        reloader: Reloader,
        requests: Requests,
        sender: Sender,
    ) -> Self {
        let (listener, problem) = Listener::new();
        problem.into_iter().for_each(|problem| sender.send(WatchEvent::Polling(problem)));
        Self {
            source,
            belonging,
            reloader,
            sender,
            requests,
            listener,
            places: Places::default(),
            seen: None,
            loaded: Instant::now(),
            failing: None,
        }
    }

    /// Puts each new version in force. A broken one is told until it is mended, and the last good one stays.
    pub(super) async fn follow(mut self) {
        while !self.requests.ended {
            let files = self.files();
            let mut look = self.look(files.clone()).await;
            for problem in self.listener.update(&look.folders) {
                self.sender.send(WatchEvent::Polling(problem));
            }
            if self.requests.asked {
                // As the files are now. Should one of them be in the middle of a write, the next look
                // finds that it has changed since `seen`.
                self.reload().await;
            } else if self.seen.as_ref() != Some(&look.stamps) {
                // What has changed since the first load is found by the first look.
                let quiet;
                (look, quiet) = self.settle(look, &files).await;
                if self.requests.ended {
                    break;
                }
                self.reload().await;
                // Two changes within a tick of the file system's clock look like one: files that
                // have just changed are loaded once more.
                self.seen = quiet.then_some(look.stamps);
            } else if look.is_whole
                && self.loaded.elapsed() >= RETRY_EVERY
                && self.failing.as_ref().is_some_and(Failing::rests_on_other_files)
            {
                self.reload().await;
            }
            self.remind();
            if self.requests.wait(LOOK_EVERY, Some(self.listener.notices())).await {
                self.requests.wait(PAUSE, None).await;
            }
        }
        self.sender.end();
    }

    /// Returns the files that the table in force is made of, and those with the mistakes for which a newer one
    /// is not in force.
    fn files(&self) -> BTreeSet<PathBuf> {
        let table = self.reloader.engine().table();
        let sources = table.specs().flat_map(|hook| hook.sources().iter().cloned());
        let broken = self.failing.iter().flat_map(Failing::files);
        sources.chain(self.belonging.paths()).chain(broken).collect()
    }

    /// Looks at the files, and at the places where others could appear.
    async fn look(&mut self, mut files: BTreeSet<PathBuf>) -> Look {
        let source = Arc::clone(&self.source);
        let places = move || catch("the source", || source.places());
        let places = self.on_blocking_thread(places).await;
        let is_whole = places.is_ok();
        match places {
            Ok(places) => self.places = places,
            // Those of before are looked at, and nobody thinks that all is well.
            Err(panic) => {
                let error = ReloadError::Panicked(panic.detail.into_owned());
                self.reloader.note_failure(&error);
                self.tell(Err(error), false);
            }
        }
        let Places { listened, looked_at } = self.places.clone();
        let look = move || {
            files.extend(listened);
            let folders = folders::find(&files);
            files.extend(looked_at);
            Look { stamps: Stamps::read(&files), folders, is_whole }
        };
        self.on_blocking_thread(look).await
    }

    /// Runs what may wait for a file system beside the threads that dispatch. It is told if that takes long, as on a
    /// network that is down.
    async fn on_blocking_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        let mut work = spawn_blocking(work);
        let mut patience = STUCK;
        loop {
            match timeout(patience, &mut work).await {
                Ok(Ok(done)) => return done,
                Ok(Err(error)) => match error.try_into_panic() {
                    Ok(panic) => resume_unwind(panic),
                    // The runtime ends, and this task with it.
                    Err(_) => std::future::pending().await,
                },
                Err(_) => self.sender.send(WatchEvent::Slow),
            }
            patience = REMIND_EVERY;
        }
    }

    /// Waits until the files do not change any more, and returns whether they do not: one that is
    /// being written may be half there, with fewer hooks than it will have.
    async fn settle(&mut self, mut look: Look, files: &BTreeSet<PathBuf>) -> (Look, bool) {
        let began = Instant::now();
        let mut since = began;
        loop {
            let shorter = self.seen.as_ref().is_some_and(|seen| look.stamps.shrank_since(seen));
            let needed = if shorter { QUIET_AFTER_SHRINKING } else { QUIET };
            let longest = if shorter { LONGEST_WAIT_AFTER_SHRINKING } else { LONGEST_WAIT };
            let is_over = since.elapsed() >= needed || began.elapsed() >= longest;
            if is_over || self.requests.asked || self.requests.ended {
                return (look, since.elapsed() >= QUIET);
            }
            self.requests.wait(PAUSE, None).await;
            let next = self.look(files.clone()).await;
            if next.stamps != look.stamps {
                since = Instant::now();
            }
            look = next;
        }
    }

    async fn reload(&mut self) {
        self.loaded = Instant::now();
        let was_asked = std::mem::take(&mut self.requests.asked);
        let reloader = self.reloader.clone();
        let ended = self.on_blocking_thread(move || reloader.blocking_reload()).await;
        self.tell(ended, was_asked);
    }

    /// Tells what is new: another table, or a failure that is not that of before. What somebody has asked for is
    /// always answered.
    fn tell(&mut self, ended: Result<Reloaded, ReloadError>, was_asked: bool) {
        match ended {
            Ok(reloaded) => {
                self.failing = None;
                // Else something in the folder has changed that is none of our business.
                if reloaded.swapped || reloaded.recovered || was_asked {
                    self.sender.send(WatchEvent::Reloaded(reloaded));
                }
            }
            Err(error) => {
                if !was_asked && self.failing.as_ref().is_some_and(|failing| failing.is(&error)) {
                    return;
                }
                self.sender.send(WatchEvent::Failed(error.clone()));
                self.failing = Some(Failing::now(error));
            }
        }
    }

    /// Tells again of a failure that was not told for a while.
    fn remind(&mut self) {
        if self.failing.as_mut().is_some_and(Failing::is_due)
            && let Some(failure) = self.reloader.status().failure
        {
            self.sender.send(WatchEvent::StillBroken(failure));
        }
    }
}
