//! Work that grows with the step, on a blocking thread.
//!
//! A handler that answers at once has no deadline, because nothing can interrupt it. The size of a
//! step is chosen by the party whose actions are checked, so for a large step that would let the agent be held
//! up at will. Therefore a hook whose work grows with the step (`heavy`: it has conditions on fields,
//! or its handler says so) is called on a blocking thread of tokio if the step is large, with a copy of
//! the step, and the dispatch waits no longer than the hook's timeout and its own deadline.
//!
//! A thread cannot be stopped. If the time passes, work that has begun runs to its end and its result
//! is dropped, and it counts as left behind until then; work that has not begun is taken off the queue.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Envelope, Failure, FailureClass, Places};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use super::guarded_call::OperationFuture;
use super::left_behind::{LeftBehind, ThreadCall};
use super::snapshot::Snapshot;
use crate::log;
use crate::panic_boundary::{catch, handler_panicked};
use crate::table::{Bucket, CompiledHook};
use crate::timer::in_runtime;

/// A payload of more bytes than this is large.
const LARGE: usize = 64 << 10;

/// Returns whether work that grows with this step must be offloaded. Without a tokio runtime there is
/// no other thread, and everything runs in place.
#[cold]
#[inline(never)]
pub(crate) fn is_large(payload: &dyn AnyPayload) -> bool {
    // A payload that panics here is not offloaded: the hook that reads it next will fail.
    Handle::try_current().is_ok()
        && catch("the payload", || payload.is_larger_than(LARGE)).unwrap_or(false)
}

/// One hook and a copy of the step: a call that borrows nothing, for another thread or for later.
#[derive(Clone)]
pub(super) struct OwnedCall {
    bucket: Arc<Bucket>,
    hook: Arc<CompiledHook>,
    snapshot: Arc<Snapshot>,
    left_behind: LeftBehind,
    /// The bounds of the engine, if the hook takes places.
    places: Option<Arc<Places>>,
}

impl OwnedCall {
    /// Returns a call of a hook of a bucket.
    pub(super) fn new(
        bucket: &Arc<Bucket>,
        hook: &Arc<CompiledHook>,
        snapshot: Arc<Snapshot>,
        left_behind: &LeftBehind,
    ) -> Self {
        Self {
            bucket: Arc::clone(bucket),
            hook: Arc::clone(hook),
            snapshot,
            left_behind: left_behind.clone(),
            places: None,
        }
    }

    /// Lets the hook take places within these bounds.
    pub(super) fn within(mut self, places: &Arc<Places>) -> Self {
        self.places = Some(Arc::clone(places));
        self
    }

    /// Returns within which bounds the hook takes places, if it does.
    pub(super) const fn places(&self) -> Option<&Arc<Places>> {
        self.places.as_ref()
    }

    /// Returns the hook.
    pub(super) fn hook(&self) -> &CompiledHook {
        &self.hook
    }

    /// Returns the bucket of the hook.
    pub(super) const fn bucket(&self) -> &Arc<Bucket> {
        &self.bucket
    }

    /// Returns the copy of the step.
    pub(super) fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Runs work on a blocking thread.
    ///
    /// # Errors
    /// The failure of the work; a failure of class `panic` if it panics, `spawn` outside of a
    /// runtime, and `cancelled` if the runtime ends.
    ///
    /// # Cancel safety
    /// If the future is dropped, work that has not begun is not begun.
    pub(super) fn on_thread<T: Send + 'static>(
        self,
        work: impl FnOnce(&CompiledHook, &Envelope<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> OperationFuture<'static, T> {
        Box::pin(async move {
            let (call, hook) = (self.left_behind.call(), Arc::clone(&self.hook));
            let begun = Arc::clone(&call);
            let work = log::in_current_span(move || {
                let _running = begun.begin();
                let parts = self.snapshot.parts();
                work(&self.hook, &parts.envelope())
            });
            let task = in_runtime()?.spawn_blocking(work);
            match (Awaited { task, call, hook }).await {
                Ok(done) => done,
                Err(error) => Err(match error.try_into_panic() {
                    Ok(panic) => handler_panicked(panic),
                    Err(_) => Failure::new(FailureClass::Cancelled, "the runtime is ending"),
                }),
            }
        })
    }
}

/// A task that is taken off the queue when this is dropped, or left behind if it has begun.
struct Awaited<T> {
    task: JoinHandle<T>,
    call: Arc<ThreadCall>,
    hook: Arc<CompiledHook>,
}

impl<T> Future for Awaited<T> {
    type Output = Result<T, tokio::task::JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.task).poll(cx)
    }
}

impl<T> Drop for Awaited<T> {
    fn drop(&mut self) {
        self.task.abort();
        if self.call.leave() {
            log::thread_left_behind(self.hook.id().as_str());
        }
    }
}
