//! How many requests a server gets at the same time.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hookgate_contract::FailureClass;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::model::CallError;

/// The gates of all servers.
#[derive(Default)]
pub(crate) struct Gates(Mutex<HashMap<(String, usize), Arc<Gate>>>);

struct Gate {
    open: Arc<Semaphore>,
    waiting: AtomicUsize,
}

impl Gates {
    /// Waits until a request may go to a server. The wait ends with the deadline of the hook.
    pub(crate) async fn pass(
        &self,
        base_url: &str,
        concurrency: usize,
        most_waiting: usize,
    ) -> Result<OwnedSemaphorePermit, CallError> {
        let gate = {
            let mut gates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let gate = gates.entry((base_url.to_owned(), concurrency)).or_insert_with(|| {
                let open = Arc::new(Semaphore::new(concurrency));
                Arc::new(Gate { open, waiting: AtomicUsize::new(0) })
            });
            Arc::clone(gate)
        };
        if let Ok(permit) = Arc::clone(&gate.open).try_acquire_owned() {
            return Ok(permit);
        }
        // ORDERING: a count that nothing else depends on.
        let _turn = Turn(&gate.waiting);
        if gate.waiting.fetch_add(1, Ordering::Relaxed) >= most_waiting {
            return Err(full());
        }
        Arc::clone(&gate.open).acquire_owned().await.map_err(|_| full())
    }
}

fn full() -> CallError {
    CallError::new(FailureClass::Overloaded, "too many judgements wait for this server already")
}

/// A place in the line; it is left however the wait ends.
struct Turn<'a>(&'a AtomicUsize);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
