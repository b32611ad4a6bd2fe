//! An engine as a service of steps.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use hookgate::{Gate, HookStep};
use hookgate_session::Session;
use tower_service::Service;

/// Dispatches steps of one session. A step whose future is dropped, by a timeout say, is dropped with it, uncleared.
///
/// ```
/// use std::sync::Arc;
/// use hookgate::{Engine, ToolUse};
/// use hookgate_tower::GateService;
/// use tower::{ServiceBuilder, ServiceExt};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let gate = GateService::new((Arc::new(Engine::without_hooks()), "session-1"));
/// let gate = ServiceBuilder::new().timeout(std::time::Duration::from_secs(1)).service(gate);
/// let step = ToolUse::propose("Bash", "{}")?;
/// assert!(gate.oneshot(step).await?.is_cleared());
/// # Ok::<_, Box<dyn std::error::Error + Send + Sync>>(()) }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct GateService {
    session: Session,
}

impl GateService {
    /// Dispatches steps of a session: of an engine and the id of a session, or of a scope.
    pub fn new(session: impl Into<Session>) -> Self {
        Self { session: session.into() }
    }
}

impl<S: HookStep + 'static> Service<S> for GateService {
    type Response = Gate<S>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Gate<S>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, step: S) -> Self::Future {
        let session = self.session.clone();
        Box::pin(async move { Ok(session.dispatch(step, &session.context()).await) })
    }
}
