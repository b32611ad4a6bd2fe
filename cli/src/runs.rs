//! The runs of `hookgate run --journal`: queued beside the journal, and done while it goes on.

use std::path::Path;
use std::sync::Arc;

use hookgate::{Engine, HandlerTable};
use hookgate_store::{EngineRuns, RunError, RunSettings, RunStore, Worker};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::abort::Abort;

/// Which configs runs belong to: the files, in order, and whether a mistake in one of them refuses it as a whole. A worker
/// does those of the same configs, and calls what an earlier version of them has queued superseded.
pub(crate) fn scope<'f>(files: impl IntoIterator<Item = &'f Path>, strict: bool) -> String {
    let place = |file: &Path| {
        let place = file.canonicalize().or_else(|_| std::path::absolute(file));
        place.unwrap_or_else(|_| file.to_owned()).display().to_string()
    };
    let files = files.into_iter().map(place).chain(strict.then(|| "strict".to_owned()));
    files.collect::<Vec<_>>().join("\n")
}

/// The scope of a table that is not what its configs say: changed for one run, or without a config that has a mistake. What
/// others have queued is no business of it.
pub(crate) fn changed_scope(scope: &str, table: &HandlerTable) -> String {
    format!("{scope}\nchanged {}", table.config_hash())
}

/// Opens the runs beside a journal, if a hook of the table queues any, or some are there already.
///
/// # Errors
/// The file cannot be used.
pub(crate) fn open(
    journal: &Path,
    table: &HandlerTable,
    scope: String,
) -> Result<Option<RunStore>, Abort> {
    let settings = RunSettings::beside(journal).scope(scope);
    if !settings.file.exists() && !table.specs().any(hookgate::HookSpec::is_recorded) {
        return Ok(None);
    }
    RunStore::open(settings).map(Some).map_err(|error| failure(&error))
}

/// Returns the error of a verb for one of the runs.
pub(crate) fn failure(error: &RunError) -> Abort {
    Abort::failure(error.to_string())
}

/// Runs that are done beside something else.
pub(crate) struct Doing {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<u64, RunError>>,
}

impl Doing {
    /// Begins with what is due.
    pub(crate) fn begin(store: RunStore, engine: Arc<Engine>) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let worker = Worker::new(store.clone(), EngineRuns::new(engine, store));
        let task = tokio::spawn(async move {
            let stopped = async {
                let _ = stopped.await;
            };
            worker.until_idle_after(stopped).await
        });
        Self { stop, task }
    }

    /// Waits for the rest of what is due.
    ///
    /// # Errors
    /// The file cannot be used.
    pub(crate) async fn finish(self) -> Result<(), Abort> {
        let _ = self.stop.send(());
        self.task.await.unwrap_or(Ok(0)).map(drop).map_err(|error| failure(&error))
    }
}
