//! How many requests a server gets at the same time.
//!
//! Each server has a semaphore, shared by all judges with the same `limits.concurrency`. The number of
//! waiting requests is limited as well: beyond it a judge is `overloaded` at once, instead of waiting
//! for a deadline that it cannot meet.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use hookgate_contract::FailureClass;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::CallError;
use crate::settings::cost::ConcurrencyLimit;
use crate::sync::lock;

/// The semaphores of all servers, by address and by the number of requests that may run.
#[derive(Default)]
pub(crate) struct ServerSemaphores(Mutex<HashMap<(String, usize), Arc<ServerSemaphore>>>);

struct ServerSemaphore {
    running: Arc<Semaphore>,
    waiting: AtomicUsize,
}

impl ServerSemaphores {
    /// Waits until a request may go to a server, and returns the permit to keep while it runs.
    ///
    /// # Errors
    /// A call error of class `overloaded` if too many requests wait already.
    ///
    /// # Cancel safety
    /// A dropped future gives its position in the queue back.
    pub(crate) async fn acquire(
        &self,
        base_url: &str,
        limit: ConcurrencyLimit,
    ) -> Result<OwnedSemaphorePermit, CallError> {
        let semaphore = self.semaphore(base_url, limit.running);
        if let Ok(permit) = Arc::clone(&semaphore.running).try_acquire_owned() {
            return Ok(permit);
        }
        let _waiting = WaitingGuard(&semaphore.waiting);
        // ORDERING: a count that nothing else depends on.
        if semaphore.waiting.fetch_add(1, Ordering::Relaxed) >= limit.waiting {
            return Err(overloaded());
        }
        Arc::clone(&semaphore.running).acquire_owned().await.map_err(|_| overloaded())
    }

    fn semaphore(&self, base_url: &str, running: usize) -> Arc<ServerSemaphore> {
        let mut all = lock(&self.0);
        let semaphore = all.entry((base_url.to_owned(), running)).or_insert_with(|| {
            let running = Arc::new(Semaphore::new(running));
            Arc::new(ServerSemaphore { running, waiting: AtomicUsize::new(0) })
        });
        Arc::clone(semaphore)
    }
}

fn overloaded() -> CallError {
    CallError::new(FailureClass::Overloaded, "too many judgements wait for this server already")
}

/// Counts a waiting request down, however its wait ends.
struct WaitingGuard<'a>(&'a AtomicUsize);

impl Drop for WaitingGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn beyond_the_queue_a_server_is_overloaded_and_a_dropped_wait_leaves_the_queue() {
        let semaphores = ServerSemaphores::default();
        let limit = ConcurrencyLimit { running: 1, waiting: 1 };
        let acquire = || semaphores.acquire("http://a", limit);
        let running = acquire().await.unwrap();
        for _ in 0..3 {
            let mut waits = Box::pin(acquire());
            let polled = futures_util::poll!(waits.as_mut());
            assert!(polled.is_pending());
            assert_eq!(acquire().await.unwrap_err().class, FailureClass::Overloaded);
        }
        drop(running);
        assert!(acquire().await.is_ok());
        // The control: another server has a semaphore of its own.
        let _running = acquire().await.unwrap();
        assert!(semaphores.acquire("http://b", limit).await.is_ok());
    }
}
