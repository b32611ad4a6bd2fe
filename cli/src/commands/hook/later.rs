//! What the hooks in force do later (`background = "record"`): queued beside the journal, and done after the answer.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hookgate::jobs::{Job, JobQueue, JobRefused};
use hookgate::{Engine, HandlerTable, HookSpec};
use hookgate_store::{EngineRuns, RunError, RunSettings, RunStore, Worker};

use crate::runs::changed_scope;

/// The queue of a table, if it has a journal, and a hook that does something later.
#[derive(Debug, Clone, Default)]
pub(super) struct Later(Option<Arc<Queue>>);

/// A queue that is opened when something is queued, or done: few steps do either.
struct Queue {
    settings: RunSettings,
    store: Mutex<Option<RunStore>>,
}

impl Later {
    /// Makes the queue of a table, of the configs of this scope.
    pub(super) fn of(table: &HandlerTable, journal: Option<&Path>, scope: String) -> Self {
        let journal = journal.filter(|_| table.specs().any(HookSpec::is_recorded));
        Self(journal.map(|journal| {
            let settings = RunSettings::beside(journal).scope(scope);
            Arc::new(Queue { settings, store: Mutex::default() })
        }))
    }

    /// Makes the queue of a table that was changed for one call.
    pub(super) fn changed(&self, table: &HandlerTable) -> Self {
        Self(self.0.as_ref().map(|queue| {
            let scope = changed_scope(&queue.settings.scope, table);
            let settings = queue.settings.clone().scope(scope);
            Arc::new(Queue { settings, store: Mutex::default() })
        }))
    }

    /// Has the calls of an engine queued here.
    pub(super) fn attach(&self, engine: Engine) -> Engine {
        match &self.0 {
            Some(queue) => engine.with_jobs(Arc::clone(queue)),
            None => engine,
        }
    }

    /// Does what is due: what was queued by this call, and what a process that is gone has left. What takes longer than
    /// `time` has failed, and is tried again by a later call; its last attempt is left to `hookgate runs work`.
    pub(super) async fn work(&self, engine: &Arc<Engine>, config_read: SystemTime, time: Duration) {
        let Some(queue) = self.0.as_ref().filter(|queue| queue.settings.file.exists()) else {
            return;
        };
        let store = match queue.open() {
            Ok(store) => store,
            Err(error) => return tell(&error),
        };
        let runs =
            EngineRuns::new(Arc::clone(engine), store.clone()).config_read(millis(config_read));
        let why = format!(
            "it took longer than the {} ms that a call of `hookgate hook` has for it after its answer; \
             `hookgate runs work` has no such limit",
            time.as_millis()
        );
        let worker = Worker::new(store, runs).leave_last_attempts().no_longer_than(time, why);
        if let Err(error) = worker.until_idle().await {
            tell(&error);
        }
    }
}

/// The answer is out: what is queued is in the file, and a later call finds it.
fn tell(error: &RunError) {
    tracing::warn!(target: "hookgate", %error, "what hooks do later is not done by this call");
}

pub(super) fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

impl Queue {
    fn open(&self) -> Result<RunStore, RunError> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = &*store {
            return Ok(store.clone());
        }
        Ok(store.insert(RunStore::open(self.settings.clone())?).clone())
    }
}

impl JobQueue for Queue {
    fn submit(&self, job: Job) -> Result<(), JobRefused> {
        self.open().map_err(|error| JobRefused::NotKept(error.to_string()))?.submit(job)
    }
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("settings", &self.settings).finish_non_exhaustive()
    }
}
