//! The engine in this process, with the interceptors as hooks of its table.

use std::sync::Arc;

use agent_hooks::ctk::async_trait;
use hookgate::table::Limits;
use hookgate::{Engine, HandlerTable};
use hookgate_agent_hooks::{Decide, Interceptors};

use crate::harness::{Wanted, Wiring};

/// Engines as an embedder makes them.
pub(crate) struct InProcess;

impl InProcess {
    pub(crate) const fn strict() -> Self {
        Self
    }
}

/// The interceptors of a vector.
pub(crate) fn interceptors(wanted: &Wanted) -> Interceptors {
    let all = Interceptors::new(wanted.profile).mode(wanted.mode);
    wanted.interceptors.iter().fold(all, |all, (name, script)| all.register(name, script.clone()))
}

#[async_trait]
impl Wiring for InProcess {
    async fn decider(&self, wanted: &Wanted) -> Arc<dyn Decide> {
        let mut table = HandlerTable::builder();
        table.limits(Limits::new().stop_at(wanted.profile.stop_at()));
        interceptors(wanted).install(&mut table);
        Arc::new(Engine::new(table.build().unwrap()))
    }
}
