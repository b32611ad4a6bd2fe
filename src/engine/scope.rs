//! A session with hooks of its own, over the table of an engine that all sessions share.
//!
//! A [`Scope`] is what a runtime holds for one session, or for one agent of it: who it is, where it works, and hooks
//! that only its steps meet. It is an engine ([`HookEngine`]), can be cloned and sent to a task, and lends out the
//! [context](Scope::context) of its steps.
//!
//! * **One base.** The table of the engine is shared. A swap of it reaches every scope at once: no step that begins
//!   after [`Engine::swap`] has returned is evaluated by the table before it, however many scopes there are. Only scopes
//!   with steps pay for that, at their next one.
//! * **Never weaker.** Hooks of a scope are called after those of the engine, and can only add to what these say: their
//!   allow approves nothing, they are no guard that the engine requires, and an overlay switches off no hook but those
//!   of the layer `command_line`, unless the host says otherwise
//!   ([`Overrides::reaching_all_layers`](crate::config::Overrides::reaching_all_layers)).
//! * **Ids of their own.** Hooks of a scope are known as `scope/<id>`. So no change of the engine's config takes an id
//!   away from them, nor the other way round. One that does the same as a hook of the engine is not called twice.
//! * **Fail closed.** If hooks of a scope do not fit a new table of the engine, they fail from then on, and their
//!   postures decide; [`Scope::problem`] says why.
//!
//! ```
//! use std::sync::Arc;
//! use hookgate::{Engine, Event, Gate, HandlerTable, Hook, HookEngine, ToolUse, Verdict};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! let engine = Arc::new(Engine::without_hooks());
//! let offline = Hook::sync("offline", |_| Ok(Verdict::deny("this session stays offline")));
//! let scope = engine.scope("session-1").cwd("/srv/ledger").hook(offline.event(Event::PreToolUse).tool("Web*")).open()?;
//! let other = engine.scope("session-2").open()?;
//!
//! let fetch = || ToolUse::propose("WebFetch", "{}").unwrap();
//! let Gate::Denied(denied) = scope.dispatch(fetch(), &scope.context()).await else { panic!() };
//! assert_eq!(denied.feedback(), "denied by scope/offline: this session stays offline");
//! assert!(other.dispatch(fetch(), &other.context()).await.is_cleared());
//!
//! // A swap of the engine reaches both.
//! let freeze = Hook::sync("freeze", |_| Ok(Verdict::deny("not today"))).event(Event::PreToolUse);
//! engine.swap(HandlerTable::builder().insert(freeze).build()?);
//! for scope in [&scope, &other] {
//!     assert!(!scope.dispatch(fetch(), &scope.context()).await.is_cleared());
//! }
//! # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
//! ```

mod builder;
mod error;
mod facts;
mod hooks;
mod joined;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hookgate_contract::payload::{AnyPayload, ToolCall};
use hookgate_contract::{Answer, Event, StepContext};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::approval::{Parked, ResumeError};
use super::future::DispatchFuture;
use super::hook_engine::{HookEngine, Key, Sealed};
use super::permit::{IssueError, Permit, PermitError, Terms};
use super::reported::Settle;
use super::{Engine, PatchEnvelope};
use crate::envelope::Incoming;
use crate::generation::Generation;
use crate::hook_id::HookId;
use crate::report::Report;
use crate::step::{Asked, Clearance, Cleared, Gate, HookStep, Running, ToolUse};
use crate::table::HandlerTable;
pub use builder::ScopeBuilder;
pub use error::ScopeError;
use facts::Facts;
use joined::JoinedEngine;

/// A session with hooks of its own over the table of an engine: see the [module](self). A clone is the same scope.
#[derive(Clone)]
pub struct Scope {
    facts: Arc<Facts>,
    engine: Arc<JoinedEngine>,
}

impl Engine {
    /// Begins a scope of the engine: a session, over the table that is in force at each of its steps. See
    /// [`scope`](crate::scope).
    pub fn scope(self: &Arc<Self>, session_id: impl Into<Arc<str>>) -> ScopeBuilder {
        ScopeBuilder::new(self, session_id.into())
    }
}

impl Scope {
    /// Returns the context of the steps of the scope: session, agent, folder, facts of the host. A runtime adds the
    /// turn and the signal that cancels.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hookgate::Engine;
    ///
    /// let engine = Arc::new(Engine::without_hooks());
    /// let scope = engine.scope("session-1").cwd("/srv/ledger").open()?;
    /// let context = scope.context().turn(3);
    /// assert_eq!((context.session_id, context.cwd, context.turn), ("session-1", Some("/srv/ledger"), 3));
    /// # Ok::<_, hookgate::scope::ScopeError>(())
    /// ```
    #[must_use]
    pub fn context(&self) -> StepContext<'_> {
        self.facts.context()
    }

    /// Returns the id of the session.
    #[must_use]
    pub fn session_id(&self) -> &str {
        self.facts.session_id()
    }

    /// Begins the scope of a sub-agent: in the same session, with the facts and the hooks of this one, and with those
    /// that are added. It does not end with this one.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hookgate::{Engine, Event, Hook, HookEngine, Verdict};
    ///
    /// let engine = Arc::new(Engine::without_hooks());
    /// let guard = |id: &str| Hook::sync(id, |_| Ok(Verdict::none())).event(Event::PreToolUse);
    /// let scope = engine.scope("session-1").hook(guard("mine")).open()?;
    /// let reviewer = scope.agent("agent-7", "reviewer").hook(guard("read-only")).open()?;
    /// assert_eq!(reviewer.context().agent_type, Some("reviewer"));
    /// let ids: Vec<_> = reviewer.table().specs().map(|hook| hook.id().clone()).collect();
    /// assert_eq!(ids, ["scope/mine", "scope/read-only"]);
    /// # Ok::<_, hookgate::scope::ScopeError>(())
    /// ```
    pub fn agent(
        &self,
        agent_id: impl Into<Arc<str>>,
        agent_type: impl Into<Arc<str>>,
    ) -> ScopeBuilder {
        ScopeBuilder::within(&self.engine, &self.facts).agent(agent_id, agent_type)
    }

    /// Returns the hooks in force for the steps of the scope: those of the engine, and its own.
    #[must_use]
    pub fn table(&self) -> Arc<HandlerTable> {
        self.engine.current().table()
    }

    /// Returns the engine whose table the scope is over.
    #[must_use]
    pub fn base(&self) -> &Arc<Engine> {
        self.engine.base()
    }

    /// Returns why hooks of the scope fail since the table of the engine was swapped, if they do.
    #[must_use]
    pub fn problem(&self) -> Option<Arc<ScopeError>> {
        self.engine.current();
        self.engine.problem()
    }

    /// Takes the patches that background hooks have published for the session: see [`Engine::take_published`].
    #[must_use]
    pub fn take_published(&self) -> Vec<PatchEnvelope> {
        self.engine.base().take_published(self.session_id())
    }

    /// As [`Engine::issue`], for a step that the scope has cleared.
    ///
    /// # Errors
    /// As there.
    pub fn issue(
        &self,
        cleared: ToolUse<Cleared>,
        terms: impl Into<Terms>,
    ) -> Result<(Permit, Running), IssueError> {
        self.engine.current().issue(cleared, &self.context(), terms)
    }

    /// As [`Engine::redeem`], for a permit that the scope has issued.
    ///
    /// # Errors
    /// As there.
    pub fn redeem(&self, permit: &Permit, call: &ToolCall) -> Result<(), PermitError> {
        self.engine.current().redeem(permit, call, &self.context())
    }

    /// As [`Engine::resume`], for a question of the session.
    ///
    /// # Errors
    /// As there.
    pub fn resume<S>(&self, parked: Parked) -> Result<Asked<S>, ResumeError>
    where
        S: HookStep<Asked = Asked<S>> + From<S::Payload>,
        S::Payload: DeserializeOwned,
    {
        self.engine.current().resume(parked, &self.context())
    }

    /// As [`Scope::resume`], in the context of one of its steps: for a session whose steps name folders of their own.
    ///
    /// # Errors
    /// As there.
    pub fn resume_in<S>(
        &self,
        parked: Parked,
        context: &StepContext<'_>,
    ) -> Result<Asked<S>, ResumeError>
    where
        S: HookStep<Asked = Asked<S>> + From<S::Payload>,
        S::Payload: DeserializeOwned,
    {
        self.engine.current().resume(parked, context)
    }

    /// As [`Engine::evaluate`], by the hooks of the scope. Whatever session the envelope names, it is a step of this one.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hookgate::envelope::Incoming;
    /// use hookgate::{Engine, Event, Hook, Outcome, Verdict};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let offline = Hook::sync("offline", |_| Ok(Verdict::deny("no"))).event(Event::PreToolUse);
    /// let scope = Arc::new(Engine::without_hooks()).scope("session-1").hook(offline).open()?;
    /// let mut step = Incoming::parse(br#"{"hook_event_name":"pre_tool_use","tool_name":"Web","tool_input":{}}"#)?;
    /// let report = scope.evaluate(&mut step).await;
    /// assert_eq!((report.session_id.as_str(), report.decision), ("session-1", Outcome::Deny));
    /// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub async fn evaluate(&self, incoming: &mut Incoming) -> Report {
        self.session_id().clone_into(&mut incoming.header.session_id);
        self.engine.keeping_up(self.engine.joined().evaluate(incoming)).await
    }

    /// Ends the scope: its hooks are given up, and every step that comes later is refused, whoever has a clone. If it is
    /// that of the session itself, and not of a sub-agent, what the engine keeps of the session is
    /// [forgotten](Engine::forget_session), and its permits are revoked.
    ///
    /// A step that cannot be refused, such as `session_end`, is evaluated by the hooks of the engine: dispatch it
    /// before, so that hooks of the scope hear of it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use hookgate::{Engine, HookEngine, ToolUse};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let engine = Arc::new(Engine::without_hooks());
    /// let scope = engine.scope("session-1").open()?;
    /// let ended = scope.end();
    /// assert!(ended.failures.is_empty() && ended.untaken.is_empty());
    /// let late = ToolUse::propose("Bash", "{}").unwrap();
    /// assert!(!scope.dispatch(late, &scope.context()).await.is_cleared());
    /// # Ok::<_, hookgate::scope::ScopeError>(()) }).unwrap();
    /// ```
    pub fn end(&self) -> ScopeEnd {
        let failures = self.engine.end();
        let untaken = if self.facts.is_of_agent() { Vec::new() } else { self.take_published() };
        if !self.facts.is_of_agent() {
            self.base().forget_session(self.session_id());
        }
        ScopeEnd { session_id: self.session_id().to_owned(), untaken, failures }
    }
}

/// What was left when a scope ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ScopeEnd {
    /// The session.
    pub session_id: String,
    /// Patches that background hooks have published, and nobody has taken.
    pub untaken: Vec<PatchEnvelope>,
    /// The hooks of the scope that have failed, each with the number of times since the last swap of the engine.
    pub failures: Vec<(HookId, u64)>,
}

impl fmt::Debug for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scope").field("facts", &self.facts).finish_non_exhaustive()
    }
}

/// The future of a [`Scope`]'s [`dispatch`](HookEngine::dispatch).
///
/// The table is made of that of the engine which is in force when the future is first polled.
///
/// # Cancel safety
/// As [`HookEngine::dispatch`].
#[must_use = "a step is evaluated only if the future is awaited"]
#[derive(Debug)]
pub struct ScopeDispatch<'a, S: HookStep> {
    scope: &'a JoinedEngine,
    dispatch: DispatchFuture<'a, S>,
}

impl<'a, S: HookStep + 'a> Future for ScopeDispatch<'a, S> {
    type Output = Gate<S>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Gate<S>> {
        // A dispatch that has begun keeps the table that it began with.
        self.scope.current();
        Pin::new(&mut self.dispatch).poll(cx)
    }
}

impl Sealed for Scope {
    fn as_engine(&self) -> Option<&Engine> {
        Some(self.engine.current())
    }

    #[inline]
    fn identity(&self) -> u64 {
        self.engine.current().identity()
    }

    #[inline]
    fn table_generation(&self) -> Generation {
        self.engine.current().table_generation()
    }

    #[inline]
    fn armed_word(&self) -> u64 {
        self.engine.current().armed_word()
    }

    fn evaluate_any<'a>(
        &'a self,
        key: Key,
        payload: &'a mut dyn AnyPayload,
        context: &'a StepContext<'a>,
        settle: Settle,
    ) -> Pin<Box<dyn Future<Output = (Clearance, Option<Answer>)> + Send + 'a>> {
        let evaluated = self.engine.joined().evaluate_any(key, payload, context, settle);
        Box::pin(self.engine.keeping_up(evaluated))
    }

    fn evaluate_any_reported<'a>(
        &'a self,
        key: Key,
        payload: &'a mut dyn AnyPayload,
        context: &'a StepContext<'a>,
        settle: Settle,
    ) -> Pin<Box<dyn Future<Output = (Clearance, Option<Answer>, Report)> + Send + 'a>> {
        let evaluated = self.engine.joined().evaluate_any_reported(key, payload, context, settle);
        Box::pin(self.engine.keeping_up(evaluated))
    }
}

impl HookEngine for Scope {
    type Dispatch<'a, S: HookStep + 'a> = ScopeDispatch<'a, S>;

    #[inline]
    fn armed(&self, event: Event) -> bool {
        self.engine.current().armed(event)
    }

    #[inline]
    fn generation(&self) -> Generation {
        self.engine.current().generation()
    }

    #[inline]
    fn pass<S: HookStep>(&self, step: S) -> Result<S::Cleared, S> {
        self.engine.current().pass(step)
    }

    #[inline]
    fn dispatch<'a, S: HookStep + 'a>(
        &'a self,
        step: S,
        context: &'a StepContext<'a>,
    ) -> ScopeDispatch<'a, S> {
        ScopeDispatch {
            scope: &self.engine,
            dispatch: self.engine.joined().dispatch(step, context),
        }
    }
}
