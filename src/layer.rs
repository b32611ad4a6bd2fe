//! Layers: code around a handler.
//!
//! A layer takes a [`Handler`] and returns another one that does something before, after or instead
//! of the call: it counts, records, limits the time, or plays recorded replies back. What the hook
//! declares about itself (role, conditions, order, posture) does not change, and the engine treats
//! the wrapped handler like any other: it has a deadline, its panics are caught, its verdict is
//! checked against the contract of the event.
//!
//! [`around`] makes a layer of a closure. A hook takes it with
//! [`HookSpec::map_handler`](crate::HookSpec::map_handler). Layers nest:
//! the one that is applied last is called first.
//!
//! A layer that counts the calls, and one that limits their time:
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicUsize, Ordering};
//! use std::time::Duration;
//!
//! use hookgate::layer::{HandlerLayer, around};
//! use hookgate::contract::BuiltHandler;
//! use hookgate::{Failure, FailureClass, Invocation, Verdict};
//!
//! // Meters: counts the calls that came to an end.
//! let calls = Arc::new(AtomicUsize::new(0));
//! let counter = Arc::clone(&calls);
//! let metered = around(move |handler, invocation| {
//!     let counter = Arc::clone(&counter);
//!     Box::pin(async move {
//!         let reply = handler.invoke(invocation).await;
//!         counter.fetch_add(1, Ordering::Relaxed);
//!         reply
//!     })
//! });
//!
//! // Limits the time: a call that takes longer fails, and counts as the hook's posture says.
//! let limited = around(|handler, invocation| {
//!     Box::pin(async move {
//!         let call = handler.invoke(invocation);
//!         tokio::time::timeout(Duration::from_millis(50), call).await.unwrap_or_else(|_| {
//!             Err(Failure::new(FailureClass::Timeout, "no reply within 50 ms"))
//!         })
//!     })
//! });
//!
//! let built = BuiltHandler::from_sync(|_: Invocation<'_>| Ok(Verdict::deny("no")));
//! let handler = metered.layer(limited.layer(built.handler));
//! ```
//!
//! # What a layer costs
//! A synchronous handler is called on the thread of the dispatch, without an allocation. Behind
//! [`around`] it becomes an asynchronous one: each call allocates a future and has a deadline. A
//! layer that must keep a synchronous handler synchronous implements [`HandlerLayer`] and matches on
//! [`Handler::Sync`].

use std::fmt;
use std::sync::Arc;

use hookgate_contract::{AsyncHandler, Handler, Invocation, ReplyFuture};

/// Wraps handlers.
///
/// Any `Fn(Handler) -> Handler` is a layer. [`around`] makes one of a closure that gets the call.
///
/// ```
/// use std::sync::Arc;
///
/// use hookgate::layer::HandlerLayer;
/// use hookgate::contract::{BuiltHandler, Handler};
/// use hookgate::{Invocation, Verdict};
///
/// /// Lets a handler be called, and forgets what it replied.
/// struct Muted;
///
/// impl HandlerLayer for Muted {
///     fn layer(&self, handler: Handler) -> Handler {
///         match handler {
///             // It stays synchronous: no future, no allocation.
///             Handler::Sync(inner) => Handler::Sync(Arc::new(move |invocation: Invocation<'_>| {
///                 inner.handle(invocation).map(|_| Verdict::none())
///             })),
///             // Left alone here, to keep the example short.
///             other => other,
///         }
///     }
/// }
///
/// let loud = BuiltHandler::from_sync(|_: Invocation<'_>| Ok(Verdict::deny("no")));
/// assert!(matches!(Muted.layer(loud.handler), Handler::Sync(_)));
/// ```
pub trait HandlerLayer {
    /// Returns a handler that calls the given one, or replaces it.
    fn layer(&self, handler: Handler) -> Handler;
}

impl<F: Fn(Handler) -> Handler> HandlerLayer for F {
    fn layer(&self, handler: Handler) -> Handler {
        self(handler)
    }
}

/// Makes a layer of a closure that is run instead of each call, and gets the wrapped handler and the
/// invocation. It calls [`Handler::invoke`], or replies without it. See the [module](self) for
/// examples.
///
/// # Cancel safety
/// The closure's future is dropped when the hook's deadline passes or the dispatch is cancelled, and
/// the call inside of it with it: a note that must be made in any case belongs into a `Drop`.
pub fn around<F>(call: F) -> Around<F>
where
    F: for<'a> Fn(&'a Handler, Invocation<'a>) -> ReplyFuture<'a> + Send + Sync + 'static,
{
    Around(Arc::new(call))
}

/// The layer that [`around`] makes.
pub struct Around<F>(Arc<F>);

impl<F> Clone for Around<F> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<F> fmt::Debug for Around<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Around(..)")
    }
}

impl<F> HandlerLayer for Around<F>
where
    F: for<'a> Fn(&'a Handler, Invocation<'a>) -> ReplyFuture<'a> + Send + Sync + 'static,
{
    fn layer(&self, handler: Handler) -> Handler {
        Handler::Async(Arc::new(Wrapped { handler, call: Arc::clone(&self.0) }))
    }
}

struct Wrapped<F> {
    handler: Handler,
    call: Arc<F>,
}

impl<F> AsyncHandler for Wrapped<F>
where
    F: for<'a> Fn(&'a Handler, Invocation<'a>) -> ReplyFuture<'a> + Send + Sync + 'static,
{
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        (self.call)(&self.handler, invocation)
    }
}
