//! Engines that are recorded, and journals in folders of their own.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hookgate::{
    Engine, Event, Gate, HandlerTable, Hook, HookEngine, StepContext, ToolUse, Verdict,
};
use hookgate_store::{Entry, Filter, Journal, JournalSettings, Reader};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How long a test waits for what takes milliseconds.
pub(crate) const LONG: Duration = Duration::from_secs(30);

/// A folder with the place of a journal.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
    pub(crate) file: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("journal.db");
        Self { folder, file }
    }

    pub(crate) fn settings(&self) -> JournalSettings {
        JournalSettings::new(&self.file)
    }

    pub(crate) fn required(&self) -> JournalSettings {
        let mut settings = self.settings();
        settings.required = true;
        settings
    }

    pub(crate) fn reader(&self) -> Reader {
        Reader::open(&self.file).unwrap()
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.reader().entries(&Filter::default()).unwrap()
    }

    /// The ids of the steps, in the order in which they were recorded.
    pub(crate) fn steps(&self) -> Vec<String> {
        let id = |entry: Entry| entry.record()?.report.step_id.clone();
        self.entries().into_iter().filter_map(id).collect()
    }

    pub(crate) fn assert_whole(&self) {
        let found = self.reader().verify(&[], None).unwrap();
        assert!(found.is_whole(), "{found:?}");
    }
}

/// A table that denies `rm`, rewrites `npm` and lets the rest pass.
pub(crate) fn table() -> HandlerTable {
    let command = |payload: &Value| payload["command"].as_str().unwrap_or_default().to_owned();
    let no_rm = Hook::sync("no-rm", move |invocation| {
        let call = invocation.payload().tool().map(|call| command(&call.tool_input));
        match call.unwrap_or_default().starts_with("rm") {
            true => Ok(Verdict::deny("rm is not allowed here")),
            false => Ok(Verdict::none()),
        }
    });
    HandlerTable::builder().insert(no_rm.event(Event::PreToolUse)).build().unwrap()
}

pub(crate) fn engine(journal: &Journal) -> Engine {
    Engine::new(table()).with_recorder(journal.clone())
}

pub(crate) fn bash(command: &str) -> ToolUse {
    ToolUse::propose("Bash", &json!({ "command": command }).to_string()).unwrap()
}

/// Dispatches a step, and tells whether it may go on.
pub(crate) async fn dispatch(engine: &Engine, session: &str, step: &str, command: &str) -> bool {
    let context = StepContext::new(session).step_id(step);
    matches!(engine.dispatch(bash(command), &context).await, Gate::Cleared(_))
}

/// Records some steps in a new journal, and closes it.
pub(crate) async fn record(settings: JournalSettings, steps: &[(&str, &str, &str)]) {
    let journal = Journal::open(settings).unwrap();
    let engine = engine(&journal);
    for (session, step, command) in steps {
        dispatch(&engine, session, step, command).await;
    }
    journal.flush(LONG).unwrap();
}

/// All files of a journal, as one text.
pub(crate) fn bytes(file: &Path) -> Vec<u8> {
    let beside = |end: &str| PathBuf::from(format!("{}{end}", file.display()));
    let files = [file.to_owned(), beside("-wal"), beside("-shm")];
    files.iter().filter_map(|file| std::fs::read(file).ok()).flatten().collect()
}

pub(crate) fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}
