//! Who a scope is, and where it works.

use std::sync::Arc;

use hookgate_contract::{SessionEnv, StepContext};
use serde_json::{Map, Value};

/// What is the same at every step of a scope.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    session_id: Arc<str>,
    pub(super) agent: Option<(Arc<str>, Arc<str>)>,
    pub(super) cwd: Option<Arc<str>>,
    pub(super) host: Option<Arc<Map<String, Value>>>,
    pub(super) env: Option<SessionEnv>,
    pub(super) no_context: bool,
}

impl Facts {
    pub(super) const fn new(session_id: Arc<str>) -> Self {
        Self { session_id, agent: None, cwd: None, host: None, env: None, no_context: false }
    }

    pub(super) fn session_id(&self) -> &str {
        &self.session_id
    }

    /// Returns whether it is of one agent of the session.
    pub(super) const fn is_of_agent(&self) -> bool {
        self.agent.is_some()
    }

    pub(super) fn context(&self) -> StepContext<'_> {
        let mut context = StepContext::new(&self.session_id);
        if let Some((id, kind)) = &self.agent {
            context = context.agent(id, kind);
        }
        context.cwd = self.cwd.as_deref();
        context.host = self.host.as_deref();
        context.env = self.env.as_ref();
        context.no_context = self.no_context;
        context
    }
}
