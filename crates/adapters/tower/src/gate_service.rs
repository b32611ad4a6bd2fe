//! An engine as a service of steps.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hookgate::{Gate, HookEngine, HookStep, StepContext};
use tower_service::Service;

/// Dispatches steps of one session. A step whose future is dropped, by a timeout say, is dropped with it, uncleared.
///
/// ```
/// use hookgate::{Engine, ToolUse};
/// use hookgate_tower::GateService;
/// use tower::{ServiceBuilder, ServiceExt};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let gate = GateService::new(std::sync::Arc::new(Engine::without_hooks()), "session-1");
/// let gate = ServiceBuilder::new().timeout(std::time::Duration::from_secs(1)).service(gate);
/// let step = ToolUse::propose("Bash", "{}")?;
/// assert!(gate.oneshot(step).await?.is_cleared());
/// # Ok::<_, Box<dyn std::error::Error + Send + Sync>>(()) }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct GateService<E> {
    engine: E,
    session: Arc<str>,
}

impl<E: HookEngine> GateService<E> {
    /// Dispatches steps of a session through an engine.
    pub fn new(engine: E, session: impl Into<Arc<str>>) -> Self {
        Self { engine, session: session.into() }
    }
}

impl<E, S> Service<S> for GateService<E>
where
    E: HookEngine + Clone + 'static,
    S: HookStep + 'static,
{
    type Response = Gate<S>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Gate<S>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, step: S) -> Self::Future {
        let Self { engine, session } = self.clone();
        Box::pin(async move { Ok(engine.dispatch(step, &StepContext::new(&session)).await) })
    }
}
