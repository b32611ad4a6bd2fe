//! Interceptors in the process of the host, as hooks of a table.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use hookgate::require::Require;
use hookgate::table::TableBuilder;
use hookgate::{Event, Hook};
use hookgate_contract::{BuiltHandler, Invocation, Mode, Posture, Reply, ReplyFuture, Role};
use serde_json::Value;

use crate::context::AgentContext;
use crate::point::InterceptionPoint;
use crate::profile::{EnforcementMode, Profile};
use crate::reply::reply;
use crate::reserved::Reserved;
use crate::step::context_of;
use crate::verdict::InterceptorVerdict;

/// The kind of the hooks, as listings and records name it.
pub const KIND: &str = "agent-hooks";

/// The priority of the hooks: after the guards of the table, which then are heard whatever an
/// interceptor asks.
const PRIORITY: i64 = 1000;

/// What is added to the name of an interceptor for the hook that watches the end of sessions.
const AT_THE_END: &str = "/agent_shutdown";

/// An interceptor that did not answer. What it says must not repeat the context.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InterceptorFailed(pub String);

/// The future of an interceptor's answer: a verdict as JSON.
pub type Interception<'a> =
    Pin<Box<dyn Future<Output = Result<Value, InterceptorFailed>> + Send + 'a>>;

/// Gives a verdict about a context.
pub trait Interceptor: Send + Sync {
    /// Answers with a verdict as JSON. What is no verdict is a failure, and so is a panic and an answer
    /// that comes too late (after 5 s, unless the table says otherwise). Every failure counts as a deny.
    fn intercept<'a>(&'a self, context: &'a AgentContext) -> Interception<'a>;
}

/// Who is asked at every point, in which order, and how what they say is put together.
///
/// ```
/// use hookgate::table::Limits;
/// use hookgate::{Engine, HandlerTable};
/// use hookgate_agent_hooks::{AgentContext, Interception, Interceptor, Interceptors, Profile};
///
/// struct AllowAll;
///
/// impl Interceptor for AllowAll {
///     fn intercept<'a>(&'a self, _: &'a AgentContext) -> Interception<'a> {
///         Box::pin(async { Ok(serde_json::json!({"decision": "allow"})) })
///     }
/// }
///
/// let interceptors = Interceptors::new(Profile::FirstDeny).register("allow-all", AllowAll);
/// let mut table = HandlerTable::builder();
/// table.limits(Limits::new().stop_at(interceptors.profile().stop_at()));
/// interceptors.install(&mut table);
/// let engine = Engine::new(table.build()?);
/// # let _ = engine;
/// # Ok::<_, hookgate::table::BuildErrors>(())
/// ```
#[derive(Clone)]
pub struct Interceptors {
    profile: Profile,
    mode: EnforcementMode,
    registered: Vec<(String, Arc<dyn Interceptor>)>,
}

impl fmt::Debug for Interceptors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Interceptors")
            .field("profile", &self.profile)
            .field("mode", &self.mode)
            .field("names", &self.names())
            .finish_non_exhaustive()
    }
}

impl Interceptors {
    /// Begins without any interceptor. Then everything is denied.
    #[must_use]
    pub const fn new(profile: Profile) -> Self {
        Self { profile, mode: EnforcementMode::Enforce, registered: Vec::new() }
    }

    /// Sets whether verdicts count.
    #[must_use]
    pub const fn mode(mut self, mode: EnforcementMode) -> Self {
        self.mode = mode;
        self
    }

    /// Registers an interceptor under a name, which is also the id of its hook.
    #[must_use]
    pub fn register(
        self,
        name: impl Into<String>,
        interceptor: impl Interceptor + 'static,
    ) -> Self {
        self.register_shared(name, Arc::new(interceptor))
    }

    /// As [`Interceptors::register`], for an interceptor that others hold as well.
    #[must_use]
    pub fn register_shared(
        mut self,
        name: impl Into<String>,
        interceptor: Arc<dyn Interceptor>,
    ) -> Self {
        self.registered.push((name.into(), interceptor));
        self
    }

    /// Returns how verdicts are put together.
    #[must_use]
    pub const fn profile(&self) -> Profile {
        self.profile
    }

    /// Returns whether verdicts count.
    #[must_use]
    pub const fn enforcement(&self) -> EnforcementMode {
        self.mode
    }

    /// Returns the names, in the order in which the interceptors are asked.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        self.registered.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// Adds the interceptors to a table, and requires in it that every point is guarded: a table without
    /// a guard or an interceptor there denies every step.
    ///
    /// The `limits` of the table must have the `stop_at` of the [`Profile`].
    pub fn install(&self, table: &mut TableBuilder) {
        for (name, interceptor) in &self.registered {
            let [decides, watches] = self.hooks(name, interceptor);
            table.insert(decides).insert(watches);
        }
        if self.mode == EnforcementMode::Enforce {
            table.require(required());
        }
    }

    fn hooks(&self, name: &str, interceptor: &Arc<dyn Interceptor>) -> [Hook; 2] {
        let mode = match self.mode {
            EnforcementMode::Enforce => Mode::Enforce,
            EnforcementMode::EvaluateOnly => Mode::Shadow,
        };
        let hook = |id: String, role| {
            let handler = handler(Arc::clone(interceptor));
            Hook::new(id, KIND, handler).role(role).priority(PRIORITY)
        };
        let decides = hook(name.to_owned(), Role::Rewrite).mode(mode).on_failure(Posture::Deny);
        let decides = deciding().fold(decides, Hook::event);
        let watches = hook(watcher(name), Role::Observe).event(Event::SessionEnd);
        [decides, watches]
    }
}

/// The id of the hook of an interceptor that watches the end of sessions.
pub(crate) fn watcher(name: &str) -> String {
    format!("{name}{AT_THE_END}")
}

/// The events at which an interceptor can deny.
fn deciding() -> impl Iterator<Item = Event> {
    let points = InterceptionPoint::ALL.into_iter();
    let points = points.filter(|point| *point != InterceptionPoint::AgentShutdown);
    points.flat_map(|point| point.events().iter().copied())
}

/// Returns what a table of an AGENT-HOOKS host must have guarded: all points at which something can be
/// denied.
#[must_use]
pub fn required() -> Require {
    deciding().fold(Require::default(), Require::event)
}

/// Returns the handler of an interceptor: it makes the context of the step, and a reply of the verdict.
fn handler(interceptor: Arc<dyn Interceptor>) -> BuiltHandler {
    BuiltHandler::async_fn(move |call: Invocation<'_>| -> ReplyFuture<'_> {
        let interceptor = Arc::clone(&interceptor);
        Box::pin(async move { ask(&*interceptor, call).await })
    })
    .once()
    .external()
}

async fn ask(interceptor: &dyn Interceptor, call: Invocation<'_>) -> Reply {
    let invalid = |detail: &str| Reserved::ContextInvalid.failure(detail);
    let Value::Object(envelope) = call.json()? else { return Err(invalid("it is no object")) };
    let context = context_of(envelope).map_err(|error| invalid(&error.to_string()))?;
    let answer = interceptor.intercept(&context).await;
    let answer = answer.map_err(|error| Reserved::InterceptorFailed.failure(&error.0))?;
    match InterceptorVerdict::from_value(&answer) {
        Ok(verdict) => reply(&context, verdict),
        Err(error) => Err(Reserved::VerdictInvalid.failure(&error.0)),
    }
}
