//! A session, as the adapters of hookgate take it: an engine and the id of a session, or a
//! [`Scope`](hookgate::Scope), which has facts and hooks of its own.
//!
//! ```
//! use std::sync::Arc;
//! use hookgate::Engine;
//! use hookgate_session::Session;
//!
//! let engine = Arc::new(Engine::without_hooks());
//! let plain = Session::from((engine.clone(), "session-1"));
//! let scope = Session::from(engine.scope("session-2").cwd("/srv/ledger").open()?);
//! assert_eq!((plain.context().session_id, plain.context().cwd), ("session-1", None));
//! assert_eq!((scope.context().session_id, scope.context().cwd), ("session-2", Some("/srv/ledger")));
//! # Ok::<_, hookgate::scope::ScopeError>(())
//! ```
//!
//! The adapters export it again: depend on this crate only for an adapter of your own.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hookgate::approval::{ApprovalRequest, ParkProblem, Parked, ResumeError};
use hookgate::{Asked, Engine, Gate, HookEngine, HookStep, Scope, StepContext, ToolUse};

/// What judges the steps of a session: see the [crate](crate). A clone is the same session.
#[derive(Debug, Clone)]
pub struct Session(Judge);

#[derive(Debug, Clone)]
enum Judge {
    Engine(Arc<Engine>, Arc<str>),
    Scope(Scope),
}

impl<I: Into<Arc<str>>> From<(Arc<Engine>, I)> for Session {
    fn from((engine, id): (Arc<Engine>, I)) -> Self {
        Self(Judge::Engine(engine, id.into()))
    }
}

impl From<Scope> for Session {
    fn from(scope: Scope) -> Self {
        Self(Judge::Scope(scope))
    }
}

/// The gate of a step that is judged.
pub type Judging<'a, S> = Pin<Box<dyn Future<Output = Gate<S>> + Send + 'a>>;

impl Session {
    /// Returns the context of the steps: what is known of the session.
    #[must_use]
    pub fn context(&self) -> StepContext<'_> {
        match &self.0 {
            Judge::Engine(_, id) => StepContext::new(id),
            Judge::Scope(scope) => scope.context(),
        }
    }

    /// Has the hooks judge a step: see [`HookEngine::dispatch`].
    pub fn dispatch<'a, S: HookStep + 'a>(
        &'a self,
        step: S,
        context: &'a StepContext<'a>,
    ) -> Judging<'a, S> {
        match &self.0 {
            Judge::Engine(engine, _) => Box::pin(engine.dispatch(step, context)),
            Judge::Scope(scope) => Box::pin(scope.dispatch(step, context)),
        }
    }

    /// Approves a call of a tool that hooks have asked about: see [`Asked::approve`].
    pub fn approve<'a>(
        &'a self,
        asked: Asked<ToolUse>,
        context: &'a StepContext<'a>,
    ) -> Judging<'a, ToolUse> {
        match &self.0 {
            Judge::Engine(engine, _) => Box::pin(asked.approve(engine, context)),
            Judge::Scope(scope) => Box::pin(asked.approve(scope, context)),
        }
    }

    /// Refuses a call of a tool that hooks have asked about, for the user: see [`Asked::reject`], which records it.
    pub fn reject<'a>(
        &'a self,
        asked: Asked<ToolUse>,
        reason: impl Into<String> + Send + 'a,
        context: &'a StepContext<'a>,
    ) -> Judging<'a, ToolUse> {
        Box::pin(async move {
            Gate::Denied(match &self.0 {
                Judge::Engine(engine, _) => asked.reject(reason, engine, context).await,
                Judge::Scope(scope) => asked.reject(reason, scope, context).await,
            })
        })
    }

    /// Returns a question, to be shown: see [`Asked::request`].
    #[must_use]
    pub fn request(
        &self,
        asked: &Asked<ToolUse>,
        context: &StepContext<'_>,
    ) -> Option<ApprovalRequest> {
        match &self.0 {
            Judge::Engine(engine, _) => asked.request(engine, context),
            Judge::Scope(scope) => asked.request(scope, context),
        }
    }

    /// Parks a question for some time: see [`Asked::park`].
    ///
    /// # Errors
    /// As there; the step does not happen.
    pub fn park(
        &self,
        asked: Asked<ToolUse>,
        context: &StepContext<'_>,
        good_for: Duration,
    ) -> Result<Parked, ParkProblem> {
        let parked = match &self.0 {
            Judge::Engine(engine, _) => asked.park(engine, context, good_for),
            Judge::Scope(scope) => asked.park(scope, context, good_for),
        };
        parked.map_err(|error| error.problem())
    }

    /// Goes on with a parked question about a tool, once: see [`Engine::resume`].
    ///
    /// # Errors
    /// As there.
    pub fn resume(&self, parked: Parked) -> Result<Asked<ToolUse>, ResumeError> {
        match &self.0 {
            Judge::Engine(engine, id) => engine.resume(parked, &StepContext::new(id)),
            Judge::Scope(scope) => scope.resume(parked),
        }
    }
}
