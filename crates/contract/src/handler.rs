//! What a handler implements, and what it is handed.
//!
//! A handler is the code behind a hook. A [`SyncHandler`] answers at once, an [`AsyncHandler`] waits
//! for something; any closure of the right form is one. [`BuiltHandler`] pairs it with what it
//! declares about itself, and a [`Factory`](crate::Factory) builds it from the settings of a file.

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;

use crate::capabilities::Capabilities;
use crate::condition::Condition;
use crate::context::StepContext;
use crate::contract::{Contract, Supports};
use crate::decision::VerdictDecision;
use crate::envelope::Envelope;
use crate::failure::{Failure, FailureClass};
use crate::payload::{AnyPayload, ToolCall};
use crate::probe::Probe;
use crate::resource::Resource;
use crate::role::Role;
use crate::text_cuts::TextCuts;
use crate::verdict::Verdict;

/// One call of a handler: a hook, and the step that it is invoked for.
///
/// It is `Copy`. A test makes one by hand:
///
/// ```
/// use hookgate_contract::{Envelope, StepId};
/// use hookgate_contract::{Invocation, StepContext, SyncHandler, Verdict, payload::SessionEnd};
///
/// let handler = |call: Invocation<'_>| Ok(Verdict::deny(format!("{} says no", call.hook)));
/// let payload = SessionEnd::new("done");
/// let (context, id) = (StepContext::new("session-1"), StepId::new(Some("step-1"), String::new));
/// let envelope = Envelope::new(&payload, &context, &id, 1, 1 << 20);
/// assert!(handler.handle(Invocation::new("my-hook", &envelope))?.parts().is_some());
/// # Ok::<(), hookgate_contract::Failure>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Invocation<'a> {
    /// The id of the hook.
    pub hook: &'a str,
    /// The step.
    pub envelope: &'a Envelope<'a>,
    /// The conditions of the hook, if it has any.
    conditions: Option<&'a dyn Condition>,
    /// The key of the job that the call is, if it is one.
    idempotency_key: Option<&'a str>,
}

impl<'a> Invocation<'a> {
    /// Makes the invocation of a hook for a step.
    #[must_use]
    pub const fn new(hook: &'a str, envelope: &'a Envelope<'a>) -> Self {
        Self { hook, envelope, conditions: None, idempotency_key: None }
    }

    /// Makes it the call of a job: calls of the same key are the same work, which may be tried more than once.
    #[must_use]
    pub const fn keyed(mut self, idempotency_key: &'a str) -> Self {
        self.idempotency_key = Some(idempotency_key);
        self
    }

    /// Returns the key of the job that the call is, for programs and services that do the same work once; `None`
    /// for a call of a dispatch.
    #[must_use]
    pub const fn idempotency_key(&self) -> Option<&'a str> {
        self.idempotency_key
    }

    /// Adds the conditions of the hook, taken together, for [`Invocation::subject`].
    #[must_use]
    pub const fn under(mut self, conditions: &'a dyn Condition) -> Self {
        self.conditions = Some(conditions);
        self
    }

    /// Returns what of the step made the conditions of the hook hold, for its reason:
    /// "`cat` reads /home/u/.env". It is computed when it is asked for; `None` if no condition names
    /// anything.
    #[must_use]
    pub fn subject(&self) -> Option<String> {
        self.conditions?.subject(self.envelope)
    }

    /// Returns the contract of the event: what a verdict may say.
    #[must_use]
    pub fn contract(&self) -> &'static Contract {
        self.envelope.payload().contract()
    }

    /// Returns the payload of the step. Its own type is behind
    /// [`as_any`](AnyPayload::as_any): `call.payload().as_any().downcast_ref::<ToolCall>()`.
    #[must_use]
    pub fn payload(&self) -> &'a dyn AnyPayload {
        self.envelope.payload()
    }

    /// Returns the tool call that the step is about.
    #[must_use]
    pub fn tool(&self) -> Option<&'a ToolCall> {
        self.envelope.payload().tool()
    }

    /// Returns the facts of the session.
    #[must_use]
    pub fn context(&self) -> &'a StepContext<'a> {
        self.envelope.context()
    }

    /// Returns the whole envelope as a value. It is made once for all handlers that want it.
    ///
    /// # Errors
    /// See [`Envelope::value`].
    pub fn json(&self) -> Result<&'a Value, Failure> {
        self.envelope.value()
    }

    /// Keeps the ask, deny or halt that was read from an answer so far, when the future of the handler
    /// is dropped before its end. The failure of the hook takes it over ([`Failure::salvaged`]).
    pub fn keep_salvaged(&self, decision: Option<VerdictDecision>) {
        self.envelope.keep_salvaged(self.hook, decision);
    }

    /// Takes what [`Invocation::keep_salvaged`] kept for this hook, the strictest if there is more.
    #[must_use]
    pub fn take_salvaged(&self) -> Option<VerdictDecision> {
        self.envelope.take_salvaged(self.hook)
    }

    /// Notes that an attempt has failed and another one follows, for the vote of the hook.
    pub fn note_failed_attempt(&self, class: FailureClass) {
        self.envelope.note_failed_attempt(self.hook, class);
    }
}

/// What a handler returns: a verdict, or how it failed.
pub type Reply = Result<Verdict, Failure>;

/// The future of a [`Reply`].
pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Reply> + Send + 'a>>;

/// A handler that answers at once, without waiting for anything.
///
/// It is called on the thread that dispatches, and has no deadline. If its work grows with the step it
/// must [say so](BuiltHandler::heavy). A panic is caught: the hook has failed with class `panic`.
/// Every `Fn(Invocation<'_>) -> Reply` is one; see [`BuiltHandler::sync`].
pub trait SyncHandler: Send + Sync {
    /// Answers an invocation.
    ///
    /// # Errors
    /// A failure, which counts as the hook's posture says.
    fn handle(&self, invocation: Invocation<'_>) -> Reply;
}

impl<F: Fn(Invocation<'_>) -> Reply + Send + Sync> SyncHandler for F {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        self(invocation)
    }
}

/// A handler that waits for something: a process, a service, a model.
///
/// It runs on the host's runtime, within the deadline of its hook and that of the dispatch.
///
/// # Cancel safety
/// The future is dropped when a deadline passes, when the dispatch is cancelled, and when an earlier
/// hook denies. Nothing that it started may outlive it.
///
/// Every `for<'a> Fn(Invocation<'a>) -> ReplyFuture<'a>` is one; see [`BuiltHandler::async_fn`].
pub trait AsyncHandler: Send + Sync {
    /// Answers an invocation.
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a>;
}

impl<F> AsyncHandler for F
where
    F: for<'a> Fn(Invocation<'a>) -> ReplyFuture<'a> + Send + Sync,
{
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        self(invocation)
    }
}

/// A handler of either kind, shared by all hooks that use it.
#[derive(Clone)]
pub enum Handler {
    /// It answers at once.
    Sync(Arc<dyn SyncHandler>),
    /// It waits.
    Async(Arc<dyn AsyncHandler>),
}

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sync(_) => "Handler::Sync",
            Self::Async(_) => "Handler::Async",
        })
    }
}

impl Handler {
    /// Calls the handler, whether it is synchronous or not. Allocates the future; the engine itself
    /// calls synchronous handlers without one.
    ///
    /// # Cancel safety
    /// Dropping the future ends the call of an asynchronous handler, which lets go of all that it
    /// has started.
    pub fn invoke<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        match self {
            Self::Sync(handler) => Box::pin(async move { handler.handle(invocation) }),
            Self::Async(handler) => handler.handle(invocation),
        }
    }
}

/// What a handler says when all hooks have been read; each is a sentence.
#[derive(Clone, Default)]
pub struct Doubts(Option<Arc<dyn Fn() -> Vec<String> + Send + Sync>>);

impl Doubts {
    /// Asks for them.
    #[must_use]
    pub fn ask(&self) -> Vec<String> {
        self.0.as_ref().map(|ask| ask()).unwrap_or_default()
    }
}

impl fmt::Debug for Doubts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Doubts")
    }
}

/// A handler and what it declares about itself.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BuiltHandler {
    /// The handler.
    pub handler: Handler,
    /// The role of a hook that names none.
    pub role: Option<Role>,
    /// Refuses events at which the handler could do nothing.
    pub supports: Option<Supports>,
    /// What the handler was made of beside its settings, such as a hash of its script; `None` if
    /// nothing can be said about that. Two handlers of the same settings and identity are one: when
    /// a config is loaded again the earlier one is kept, with its processes and counters.
    ///
    /// It is a part of the hash of the config, so it must not depend on the machine, the folder or
    /// the build: it has hashes of contents and relative paths, never `{:?}` of a Rust value.
    pub identity: Option<String>,
    /// The files that it runs, as absolute paths.
    pub executables: Vec<PathBuf>,
    /// The files whose content is a part of the identity, as absolute paths. A host that follows a
    /// config loads it again when one of them changes.
    pub sources: Vec<PathBuf>,
    /// What a person who checks the config should look at, each a sentence.
    pub warnings: Vec<String>,
    /// What a person should look at that is known when all hooks have been read, and no sooner.
    pub doubts: Doubts,
    /// The JSON pointer to the one value of the tool's input that it looks at, if there is one only.
    pub input: Option<String>,
    /// How it will run, each a phrase: `sandbox: full`.
    pub notes: Vec<String>,
    /// Tries out what it needs. `None` if it needs nothing, or if it cannot be tried without
    /// evaluating a step.
    pub probe: Option<Arc<dyn Probe>>,
    /// Whether its work grows with the step; see [`BuiltHandler::heavy`].
    pub heavy: bool,
    /// Whether it answers the same whatever the step is; see [`BuiltHandler::static_answer`].
    pub static_answer: bool,
    /// Whether it is asked once about a step; see [`BuiltHandler::once`].
    pub once: bool,
    /// Whether its answer depends on what conditions of other hooks have kept, such as marks; see
    /// [`Condition::keeps_history`](crate::Condition::keeps_history).
    pub uses_history: bool,
    /// Whether it only adds to a step, and never refuses one; see [`BuiltHandler::never_refuses`].
    pub never_refuses: bool,
    /// Whether it counts or remembers something; see [`Kept`](crate::Kept).
    pub keeps_state: bool,
    /// Whether what it does lies outside of this process; see [`BuiltHandler::external`].
    pub external: bool,
    /// What a call of it takes outside of this process; see [`BuiltHandler::takes`].
    pub resource: Option<Resource>,
    /// Where a text that still comes can be cut for it; see [`BuiltHandler::judges_pieces`].
    pub cuts: Option<Arc<dyn TextCuts>>,
    /// What it may do, if it says so; see [`BuiltHandler::capabilities`].
    pub capabilities: Option<Arc<Capabilities>>,
    /// The number of the [`HandlerKind`](crate::HandlerKind) that built it; 0 for a handler that was
    /// built without one. A handler of another kind is another one, whatever its settings and
    /// identity are. Set by the kind.
    pub registration: u64,
    /// How often what it runs has changed without a change of its settings: a program of the system
    /// that was updated. A handler of another revision is another one when a config is loaded again;
    /// the identity of the config does not follow it, so that it is the same on other machines.
    pub revision: u64,
}

impl BuiltHandler {
    /// Makes a handler of a closure that answers at once. Its parameter's type is inferred.
    ///
    /// ```
    /// use hookgate_contract::{BuiltHandler, Role, Verdict};
    ///
    /// let handler = BuiltHandler::sync(|_| Ok(Verdict::deny("no"))).role(Role::Guard);
    /// ```
    pub fn sync<F>(handler: F) -> Self
    where
        F: for<'a> Fn(Invocation<'a>) -> Reply + Send + Sync + 'static,
    {
        Self::from_sync(handler)
    }

    /// Makes a handler of a closure that returns a boxed future. All types are inferred.
    ///
    /// ```
    /// use hookgate_contract::{BuiltHandler, Verdict};
    ///
    /// let handler = BuiltHandler::async_fn(|call| {
    ///     Box::pin(async move { Ok(Verdict::none().message(call.context().session_id)) })
    /// });
    /// ```
    pub fn async_fn<F>(handler: F) -> Self
    where
        F: for<'a> Fn(Invocation<'a>) -> ReplyFuture<'a> + Send + Sync + 'static,
    {
        Self::from_async(handler)
    }

    /// Makes a handler of a type that answers at once.
    pub fn from_sync(handler: impl SyncHandler + 'static) -> Self {
        Self::new(Handler::Sync(Arc::new(handler)))
    }

    /// Makes a handler of a type that waits.
    pub fn from_async(handler: impl AsyncHandler + 'static) -> Self {
        Self::new(Handler::Async(Arc::new(handler)))
    }

    const fn new(handler: Handler) -> Self {
        Self {
            handler,
            role: None,
            supports: None,
            identity: None,
            executables: Vec::new(),
            sources: Vec::new(),
            warnings: Vec::new(),
            doubts: Doubts(None),
            input: None,
            notes: Vec::new(),
            probe: None,
            heavy: false,
            static_answer: false,
            once: false,
            uses_history: false,
            never_refuses: false,
            keeps_state: false,
            external: false,
            resource: None,
            cuts: None,
            capabilities: None,
            registration: 0,
            revision: 0,
        }
    }

    /// Declares the role of a hook that names none.
    #[must_use]
    pub const fn role(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }

    /// Declares what it was made of; see the field [`identity`](field@Self::identity).
    #[must_use]
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = Some(identity.into());
        self
    }

    /// Declares what a person who checks the config should look at, as far as that depends on other hooks.
    #[must_use]
    pub fn doubts(mut self, ask: impl Fn() -> Vec<String> + Send + Sync + 'static) -> Self {
        self.doubts = Doubts(Some(Arc::new(ask)));
        self
    }

    /// Declares the JSON pointer to the one value of the tool's input that it looks at.
    #[must_use]
    pub fn reads_input(mut self, pointer: impl Into<String>) -> Self {
        self.input = Some(pointer.into());
        self
    }

    /// Declares that its answer depends on what conditions of other hooks have kept, such as marks.
    #[must_use]
    pub const fn uses_history(mut self) -> Self {
        self.uses_history = true;
        self
    }

    /// Declares that it counts or remembers something from step to step, and fails in the class
    /// [`FailureClass::State`](crate::FailureClass::State) where that cannot be kept.
    #[must_use]
    pub const fn keeps_state(mut self) -> Self {
        self.keeps_state = true;
        self
    }

    /// Declares that what it does lies outside of this process: a program, a service, a model, a file that it writes.
    ///
    /// A call of it may change something there, so it is not called where nothing must come of an answer, such as
    /// in shadow, unless its hook says that it is `pure`.
    #[must_use]
    pub const fn external(mut self) -> Self {
        self.external = true;
        self
    }

    /// Declares that its calls take [places](Invocation::place) for a resource, within the bounds of the engine.
    #[must_use]
    pub const fn takes(mut self, resource: Resource) -> Self {
        self.resource = Some(resource);
        self
    }

    /// Declares that it can judge a text piece by piece while it comes, and where it can be cut.
    ///
    /// What it says of the whole must be what it says of the pieces. It must not keep anything from one call to the
    /// next, since it is called about the pieces and about the whole. A layer around it takes this back.
    #[must_use]
    pub fn judges_pieces(mut self, cuts: impl TextCuts + 'static) -> Self {
        self.cuts = Some(Arc::new(cuts));
        self
    }

    /// Declares that its work grows with the step, because it reads texts from end to end.
    ///
    /// For a step of more than 64 KiB it is called on a blocking thread, so that a deadline can end it.
    #[must_use]
    pub const fn heavy(mut self) -> Self {
        self.heavy = true;
        self
    }

    /// Declares that it does not look at the step to decide, so that the conditions of its hook are
    /// all there is.
    ///
    /// If a registered condition of the hook is unknown, such a handler is not called: the hook fails
    /// with class `unclear`. A handler that looks for itself is called.
    #[must_use]
    pub const fn static_answer(mut self) -> Self {
        self.static_answer = true;
        self
    }

    /// Declares that it is asked once about a step, because its protocol says so: other handlers that
    /// may deny are asked again once a later one has changed the step. Its answer about the earlier
    /// version stands.
    #[must_use]
    pub const fn once(mut self) -> Self {
        self.once = true;
        self
    }

    /// Declares that it never refuses a step: it adds context or shortens a result. A hook with it is no guard, so
    /// nothing that requires a guard is met by it.
    #[must_use]
    pub const fn never_refuses(mut self) -> Self {
        self.never_refuses = true;
        self
    }

    /// Declares what it may do, as a manifest. A hook at an event that is not declared makes no table, and a
    /// contribution of a kind that is not declared is illegal. Without a manifest the contract of the event is
    /// the only bound.
    #[must_use]
    pub fn capabilities(mut self, capabilities: Capabilities) -> Self {
        self.capabilities = Some(Arc::new(capabilities));
        self
    }

    /// Declares how to try out what it needs.
    #[must_use]
    pub fn probe(mut self, probe: impl Probe + 'static) -> Self {
        self.probe = Some(Arc::new(probe));
        self
    }

    /// Declares at which events the handler makes sense.
    #[must_use]
    pub const fn supports(mut self, supports: Supports) -> Self {
        self.supports = Some(supports);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubts_are_asked_for_when_they_are_wanted() {
        let silent = BuiltHandler::from_sync(|_: Invocation<'_>| Ok(crate::Verdict::none()));
        assert_eq!(silent.doubts.ask(), Vec::<String>::new());
        let doubting = silent.doubts(|| vec!["nobody sets the mark".to_owned()]);
        assert_eq!(doubting.doubts.ask(), ["nobody sets the mark"]);
    }
}
