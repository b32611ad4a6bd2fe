//! What a handler implements.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;

use crate::context::StepContext;
use crate::contract::Contract;
use crate::envelope::Envelope;
use crate::failure::Failure;
use crate::payload::{AnyPayload, ToolCall};
use crate::probe::Probe;
use crate::role::Role;
use hookgate_input::settings::Settings;

use crate::event::Event;
use crate::verdict::{Verdict, VerdictDecision};

/// One question to one hook.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Invocation<'a> {
    /// The hook that is asked.
    pub hook: &'a str,
    /// The step.
    pub envelope: &'a Envelope<'a>,
}

impl<'a> Invocation<'a> {
    /// A question to a hook about a step.
    #[must_use]
    pub const fn new(hook: &'a str, envelope: &'a Envelope<'a>) -> Self {
        Self { hook, envelope }
    }

    /// What may be answered.
    #[must_use]
    pub fn contract(&self) -> &'static Contract {
        self.envelope.payload().contract()
    }

    /// The payload of the step, typed: `invocation.payload().as_any().downcast_ref::<ToolCall>()`.
    #[must_use]
    pub fn payload(&self) -> &'a dyn AnyPayload {
        self.envelope.payload()
    }

    /// The tool call that the step is about.
    #[must_use]
    pub fn tool(&self) -> Option<&'a ToolCall> {
        self.envelope.payload().tool()
    }

    /// The facts of the session.
    #[must_use]
    pub fn context(&self) -> &'a StepContext<'a> {
        self.envelope.context()
    }

    /// The envelope as a value, shared by all handlers that want one.
    ///
    /// # Errors
    /// See [`Envelope::value`].
    pub fn json(&self) -> Result<&'a Value, Failure> {
        self.envelope.value()
    }

    /// Notes the ask, deny or halt in what was heard so far, for the case that nobody waits any
    /// longer: to be called when the future of the handler is dropped before its end. A failure
    /// that comes of it keeps the decision.
    pub fn leave(&self, word: Option<VerdictDecision>) {
        self.envelope.leave(self.hook, word);
    }

    /// Takes what [`Invocation::leave`] noted.
    #[must_use]
    pub fn left(&self) -> Option<VerdictDecision> {
        self.envelope.left(self.hook)
    }
}

/// What a handler comes to.
pub type Reply = Result<Verdict, Failure>;

/// The future of a [`Reply`].
pub type ReplyFuture<'a> = Pin<Box<dyn Future<Output = Reply> + Send + 'a>>;

/// A handler that answers at once, without waiting for anything. It has no deadline, and it costs
/// no allocation as long as it says nothing.
///
/// One whose work grows with the step must say so ([`BuiltHandler::heavy`]): it is asked on a thread of its
/// own about a large step, with a deadline.
///
/// Any `Fn(Invocation<'_>) -> Reply` is one.
pub trait SyncHandler: Send + Sync {
    /// Answers.
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
/// Its future is dropped when the deadline passes, when the dispatch is cancelled and when an
/// earlier hook denies: nothing that it started may outlive it.
pub trait AsyncHandler: Send + Sync {
    /// Answers.
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a>;
}

/// A handler of either sort.
#[derive(Clone)]
pub enum Handler {
    /// It answers at once.
    Sync(Arc<dyn SyncHandler>),
    /// It waits.
    Async(Arc<dyn AsyncHandler>),
}

impl std::fmt::Debug for Handler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Sync(_) => "Handler::Sync",
            Self::Async(_) => "Handler::Async",
        })
    }
}

/// What surrounds the settings of a handler.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct BuildContext<'a> {
    /// The folder of the file; relative paths start here.
    pub base: &'a Path,
    /// How many bytes an answer may have.
    pub output: usize,
    /// The id of the hook; empty where it is not known.
    pub hook: &'a str,
    /// The events of the hook; empty where they are not known.
    pub events: &'a [Event],
}

impl<'a> BuildContext<'a> {
    /// The surroundings of a file in this folder.
    #[must_use]
    pub const fn new(base: &'a Path, output: usize) -> Self {
        Self { base, output, hook: "", events: &[] }
    }

    /// The surroundings of a hook in the same file.
    #[must_use]
    pub const fn of_hook(self, hook: &'a str) -> Self {
        Self { hook, ..self }
    }

    /// The same, at these events.
    #[must_use]
    pub const fn at(self, events: &'a [Event]) -> Self {
        Self { events, ..self }
    }
}

/// Builds a handler from its settings. Where that fails it has noted in the settings why.
pub type Factory = fn(&mut Settings<'_>, &BuildContext<'_>) -> Option<BuiltHandler>;

/// Tells whether a handler makes sense at an event, and if not, why.
pub type Supports = fn(&Contract) -> Result<(), &'static str>;

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
    /// What the handler was made of beside its settings, such as a hash of its script. Two
    /// handlers of the same settings and identity are one: when a config is loaded again the
    /// earlier one is kept, with its processes and counters. None where that must not be assumed.
    pub identity: Option<String>,
    /// The files that it runs, as absolute paths.
    pub executables: Vec<PathBuf>,
    /// The files whose content is a part of the identity, as absolute paths: who follows a config
    /// loads it again when one of them changes.
    pub sources: Vec<PathBuf>,
    /// What somebody who checks the config should look at, each a sentence.
    pub warnings: Vec<String>,
    /// How it will run, each a phrase: `sandbox: full`.
    pub notes: Vec<String>,
    /// Tries out what it needs. None where that cannot be done without judging a step, and where
    /// it needs nothing.
    pub probe: Option<Arc<dyn Probe>>,
    /// Whether its work grows with the step; see [`BuiltHandler::heavy`].
    pub heavy: bool,
    /// The number of the [`HandlerKind`](crate::HandlerKind) that built it; 0 for a handler that was
    /// built without one. A handler of another kind is another one, whatever its settings and
    /// identity are. Set by the kind.
    pub registration: u64,
}

impl BuiltHandler {
    /// A handler that answers at once.
    pub fn from_sync(handler: impl SyncHandler + 'static) -> Self {
        Self::new(Handler::Sync(Arc::new(handler)))
    }

    /// A handler that waits.
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
            notes: Vec::new(),
            probe: None,
            heavy: false,
            registration: 0,
        }
    }

    /// Declares the role of a hook that names none.
    #[must_use]
    pub const fn role(mut self, role: Role) -> Self {
        self.role = Some(role);
        self
    }

    /// Declares what it was made of; see [`BuiltHandler::identity`].
    #[must_use]
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.identity = Some(identity.into());
        self
    }

    /// Declares that its work grows with the step: it reads texts from end to end. About a step of
    /// more than 64 KiB such a handler is asked on a blocking thread, so that the deadline of its
    /// hook and that of the dispatch can end the wait.
    #[must_use]
    pub const fn heavy(mut self) -> Self {
        self.heavy = true;
        self
    }

    /// Declares how to try out what it needs.
    #[must_use]
    pub fn probe(mut self, check: impl Probe + 'static) -> Self {
        self.probe = Some(Arc::new(check));
        self
    }

    /// Declares where the handler makes sense.
    #[must_use]
    pub const fn supports(mut self, supports: Supports) -> Self {
        self.supports = Some(supports);
        self
    }
}
