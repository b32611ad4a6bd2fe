//! The thread that checks texts. Of each file only the latest text waits for it.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::check::Checker;
use super::document::Document;
use super::lines::Encoding;
use super::wire::Outbox;

/// What waits to be checked.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: BTreeMap<Arc<str>, (Document, Encoding)>,
    /// The number of the latest text of each open file.
    latest: BTreeMap<Arc<str>, u64>,
    count: u64,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a text, in place of an earlier one of the same file.
    pub(super) fn add(&self, document: Document, encoding: Encoding) {
        let mut state = self.lock();
        state.count += 1;
        let count = state.count;
        state.latest.insert(Arc::clone(&document.uri), count);
        state.waiting.insert(Arc::clone(&document.uri), (document, encoding));
        self.changed.notify_one();
    }

    /// Forgets a file: nothing is published about it any more.
    pub(super) fn remove(&self, uri: &str, outbox: &Outbox) -> std::io::Result<()> {
        let mut state = self.lock();
        state.waiting.remove(uri);
        state.latest.remove(uri);
        outbox.notify(PUBLISH, &json!({"uri": uri, "diagnostics": []}))
    }

    fn next(&self) -> (Document, Encoding, u64) {
        let mut state = self.lock();
        loop {
            if let Some((uri, (document, encoding))) = state.waiting.pop_first() {
                let number = state.latest.get(&uri).copied().unwrap_or_default();
                return (document, encoding, number);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Publishes what was found in a text, unless there is a later one. Returns whether it did.
    fn publish(&self, document: &Document, number: u64, found: &[Value], outbox: &Outbox) -> bool {
        let state = self.lock();
        if state.latest.get(&document.uri) != Some(&number) {
            return false;
        }
        let mut params = json!({"uri": &*document.uri, "diagnostics": found});
        if let (Some(version), Some(params)) = (document.version, params.as_object_mut()) {
            params.insert("version".to_owned(), version.into());
        }
        // An editor that is gone is noticed by the thread that reads.
        outbox.notify(PUBLISH, &params).is_ok()
    }
}

const PUBLISH: &str = "textDocument/publishDiagnostics";

/// Checks what comes, for as long as the process lives.
pub(super) fn work(queue: &Queue, outbox: &Outbox) {
    let mut checker = Checker::new();
    loop {
        let (document, encoding, number) = queue.next();
        let (found, scripts_known) = checker.check(&document, encoding, false);
        // To ask an interpreter takes longer than people like to wait for the rest.
        if queue.publish(&document, number, &found, outbox) && !scripts_known {
            let (found, _) = checker.check(&document, encoding, true);
            queue.publish(&document, number, &found, outbox);
        }
    }
}
