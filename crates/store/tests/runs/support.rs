//! Stores in folders of their own, runs, and handlers.

use std::future::Future;
use std::path::Path;
use std::time::Duration;

use hookgate_store::{
    Backoff, Claim, HandledFuture, NewRun, Run, RunHandler, RunKind, RunOutcome, RunSettings,
    RunStore,
};
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long a test waits for what takes milliseconds.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// A folder with the place of runs.
pub(crate) struct Place(pub(crate) TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Opens the runs, as another process does.
    pub(crate) fn store(&self) -> RunStore {
        RunStore::open(self.settings()).unwrap()
    }

    pub(crate) fn settings(&self) -> RunSettings {
        settings_in(self.0.path())
    }

    /// The database, as another program opens it.
    pub(crate) fn sqlite(&self) -> Connection {
        Connection::open(self.settings().file).unwrap()
    }

    /// All bytes below the folder.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let files = std::fs::read_dir(self.0.path()).unwrap();
        let read = |file: std::io::Result<std::fs::DirEntry>| std::fs::read(file.unwrap().path());
        files.filter_map(|file| read(file).ok()).flatten().collect()
    }
}

pub(crate) fn settings_in(folder: &Path) -> RunSettings {
    RunSettings::new(folder.join("runs.db"))
}

/// A run of the hook `audit` that is tried again at once.
pub(crate) fn new_run(key: &str) -> NewRun {
    NewRun::new(RunKind::Hook, key, "audit", json!({ "of": key }))
        .backoff(Backoff::Fixed(Duration::ZERO))
}

/// Claims what is due, with a handler for everything.
pub(crate) fn claim(store: &RunStore) -> Option<Claim> {
    store.claim("", &|_| true).unwrap()
}

/// Handles each run with a function.
pub(crate) struct Handled<F>(pub(crate) F);

impl<F, W> RunHandler for Handled<F>
where
    F: Fn(Run, Value) -> W + Send + Sync,
    W: Future<Output = RunOutcome> + Send + 'static,
{
    fn handles(&self, run: &Run) -> bool {
        run.hook == "audit"
    }

    fn handle<'a>(&'a self, run: &'a Run, input: &'a Value) -> HandledFuture<'a> {
        Box::pin(self.0(run.clone(), input.clone()))
    }
}

pub(crate) fn done() -> RunOutcome {
    RunOutcome::Succeeded { contributions: Vec::new(), audit: Vec::new() }
}

pub(crate) fn failed(may_go_away: bool) -> RunOutcome {
    RunOutcome::Failed { class: "exit".to_owned(), why: "code 1".to_owned(), may_go_away }
}

/// What happened to a run, in order.
pub(crate) fn history(store: &RunStore, id: u64) -> Vec<String> {
    store.show(id).unwrap().audit.into_iter().map(|row| row.what).collect()
}
