//! Places: how much handlers may do at the same time outside of the process, in a whole engine.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;

use crate::failure::{Failure, FailureClass};
use crate::fair_limit::{FairLimit, Place, QueueFull};
use crate::handler::Invocation;
use crate::resource::Resource;
use crate::system::Stopwatch;

impl<'a> Invocation<'a> {
    /// Takes a place for a process or a request, within the bounds of the engine (`[limits]`), and waits for one if it
    /// must. The place is held as long as the process or the request lasts. A handler that takes one
    /// [declares](crate::BuiltHandler::takes) it; of one that does not, and outside of an engine, nothing is bounded.
    ///
    /// If the time of the hook is over while it waits, the hook fails with class `overloaded` and not `timeout`.
    /// A place must not be held while the handler dispatches a step, whose hooks may wait for that very place.
    ///
    /// ```
    /// use hookgate_contract::{BuiltHandler, Resource, Verdict};
    ///
    /// let handler = BuiltHandler::async_fn(|call| {
    ///     Box::pin(async move {
    ///         let _place = call.place(Resource::Process).await?;
    ///         // … starts a program, and waits for it
    ///         Ok(Verdict::none())
    ///     })
    /// });
    /// assert_eq!(handler.takes(Resource::Process).resource, Some(Resource::Process));
    /// ```
    ///
    /// # Errors
    /// Of class `overloaded` if too many wait already.
    ///
    /// # Cancel safety
    /// A dropped future has left the queue.
    pub async fn place(&self, resource: Resource) -> Result<Place, Failure> {
        let Some(places) = self.envelope.places() else { return Ok(Place::unbounded()) };
        let limit = places.of(resource);
        self.place_in(limit, || resource.busy(limit)).await
    }

    /// As [`Invocation::place`], within another bound: that of the processes of one hook, say. `busy` says what to do
    /// about it.
    ///
    /// # Errors
    /// Of class `overloaded` if too many wait already.
    ///
    /// # Cancel safety
    /// A dropped future has left the queue.
    pub async fn place_in(
        &self,
        limit: &FairLimit,
        busy: impl Fn() -> String + Send,
    ) -> Result<Place, Failure> {
        let mut taking = limit.take(self.context().session_id);
        let mut waits: Option<Waits<'_, _>> = None;
        let taken = poll_fn(|cx| {
            let polled = Pin::new(&mut taking).poll(cx);
            match &mut waits {
                Some(waits) => waits.has_ended = polled.is_ready(),
                None if polled.is_pending() => waits = Some(Waits::begin(*self, &busy)),
                None => {}
            }
            polled
        })
        .await;
        taken.map_err(|full| full_queue(full, &busy()))
    }

    /// Returns what takes places for this call later, in the name of its session: for a request that several calls
    /// share and that outlives the first of them.
    #[must_use]
    pub fn claim(&self, resource: Resource) -> Claim {
        let places = self.envelope.places();
        let limit = places.map(|places| (places.of(resource).clone(), resource));
        Claim { limit, session: self.context().session_id.into() }
    }

    /// Takes the failure of a call that was given up while it waited for a place, if it was.
    #[doc(hidden)]
    #[must_use]
    pub fn take_overload(&self) -> Option<Failure> {
        self.envelope.take_overload(self.hook).map(overloaded)
    }
}

fn full_queue(QueueFull(waiting): QueueFull, busy: &str) -> Failure {
    overloaded(format!("{busy}; {waiting} calls wait already"))
}

fn overloaded(detail: String) -> Failure {
    Failure::new(FailureClass::Overloaded, detail).shown()
}

/// Takes places for a call whose [`Invocation`] is not at hand when they are needed: see [`Invocation::claim`].
#[derive(Debug, Clone)]
pub struct Claim {
    limit: Option<(FairLimit, Resource)>,
    session: Arc<str>,
}

impl Claim {
    /// As [`Invocation::place`]. If the time of the hook is over while it waits, the hook fails with class `timeout`.
    ///
    /// # Errors
    /// Of class `overloaded` if too many wait already.
    ///
    /// # Cancel safety
    /// A dropped future has left the queue.
    pub async fn take(&self) -> Result<Place, Failure> {
        let Some((limit, resource)) = &self.limit else { return Ok(Place::unbounded()) };
        limit.take(&self.session).await.map_err(|full| full_queue(full, &resource.busy(limit)))
    }
}

/// A call that waits for its turn. If it is dropped before that has ended, the call was given up: it has failed with
/// class `overloaded`, and not `timeout`.
#[doc(hidden)]
#[derive(Debug)]
pub struct Waits<'a, B: Fn() -> String> {
    invocation: Invocation<'a>,
    busy: B,
    since: Stopwatch,
    has_ended: bool,
}

impl<'a, B: Fn() -> String> Waits<'a, B> {
    /// Begins to wait. `busy` says why, and what to do about it.
    pub fn begin(invocation: Invocation<'a>, busy: B) -> Self {
        Self { invocation, busy, since: Stopwatch::start(), has_ended: false }
    }

    /// Ends it: the turn has come.
    pub fn end(mut self) {
        self.has_ended = true;
    }
}

impl<B: Fn() -> String> Drop for Waits<'_, B> {
    fn drop(&mut self) {
        let Invocation { hook, envelope, .. } = self.invocation;
        envelope.note_waited(hook, self.since.elapsed());
        if !self.has_ended {
            envelope.note_overload(hook, (self.busy)());
        }
    }
}
