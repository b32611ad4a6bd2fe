//! The runs of `hookgate run --journal`: queued beside the journal, and done while it goes on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookgate::{Engine, HandlerTable};
use hookgate_store::{EngineRuns, RunError, RunSettings, RunStore, Worker};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::abort::Abort;

/// Opens the runs beside a journal, if a hook of the table queues any, or some are there already. Runs belong to the
/// files of the config that queues them.
///
/// # Errors
/// The file cannot be used.
pub(crate) fn open(
    journal: &Path,
    table: &HandlerTable,
    configs: &[PathBuf],
) -> Result<Option<RunStore>, Abort> {
    let absolute = |file: &PathBuf| std::path::absolute(file).unwrap_or_else(|_| file.clone());
    let scope: Vec<String> =
        configs.iter().map(|file| absolute(file).display().to_string()).collect();
    let settings = RunSettings::beside(journal).scope(scope.join("\n"));
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
