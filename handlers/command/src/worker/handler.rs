//! The workers of one hook, as a handler.

use std::time::Duration;

use hookgate_contract::{AsyncHandler, Invocation, Probe, Reply, ReplyFuture};
use hookgate_contract::{ProbeFuture, ProbeResult};
use hookgate_secrets::Secrets;
use humantime::format_duration;

use super::protocol::WorkerProtocol;
use crate::pool::{PoolSettings, ProgramPool};
use crate::run::Spawner;

/// The workers of one hook.
#[derive(Clone)]
pub(crate) struct WorkerHandler(ProgramPool<WorkerProtocol>);

impl WorkerHandler {
    /// Makes a handler that has started no worker yet.
    pub(crate) fn new(spawner: Spawner, settings: PoolSettings, max_output: usize) -> Self {
        Self(ProgramPool::new(spawner, settings, max_output, WorkerProtocol::default()))
    }

    async fn call(&self, invocation: Invocation<'_>, secrets: &Secrets) -> Reply {
        let envelope = invocation.envelope.bytes()?;
        self.0.call(invocation, envelope, secrets).await?
    }

    async fn probe(&self, hook: &str, secrets: &Secrets) -> ProbeResult {
        let time = format_duration(self.0.warm_up(hook, secrets).await?);
        Ok(format!("a worker of {} is ready, in {time}", self.0.program().display()))
    }
}

impl AsyncHandler for WorkerHandler {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let secrets = self.0.secrets();
            match self.call(invocation, &secrets).await {
                Ok(verdict) => Ok(verdict.map_texts(|text| secrets.hide(text))),
                Err(failure) => Err(failure.map_detail(|text| secrets.hide(text))),
            }
        })
    }
}

impl Probe for WorkerHandler {
    fn check<'a>(&'a self, hook: &'a str, _timeout: Duration) -> ProbeFuture<'a> {
        Box::pin(async move {
            let secrets = self.0.secrets();
            let found = self.probe(hook, &secrets).await;
            found.map_err(|failure| failure.map_detail(|text| secrets.hide(text)))
        })
    }
}
