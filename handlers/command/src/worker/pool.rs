//! The workers of one hook, as a handler.
//!
//! The pool starts no worker when it is built, since a config may have many hooks and use few of them.
//! The first call pays for the start, unless the probe of the hook has had a worker ready before.

use std::sync::Arc;
use std::time::Duration;

use hookgate_contract::{AsyncHandler, Failure, Invocation, Probe, Reply, ReplyFuture};
use hookgate_contract::{ProbeFuture, ProbeResult};
use hookgate_secrets::Secrets;
use humantime::format_duration;
use tokio::time::Instant;

use super::lease::Lease;
use super::settings::WorkerSettings;
use super::state::PoolState;
use crate::run::{Spawner, check_runtime};

/// The workers of one hook. They are started when they are needed, and end when the last clone of the
/// pool is dropped.
#[derive(Clone)]
pub(crate) struct WorkerPool(Arc<PoolState>);

impl WorkerPool {
    /// Makes a pool without a worker.
    pub(crate) fn new(spawner: Spawner, settings: WorkerSettings, max_output: usize) -> Self {
        Self(Arc::new(PoolState::new(spawner, settings, max_output)))
    }

    /// Makes one call with whichever worker is free first.
    async fn call<'a>(&self, invocation: Invocation<'a>, secrets: &'a Secrets) -> Reply {
        let envelope = invocation.envelope.bytes()?;
        self.lease(secrets).await?.call(invocation, envelope).await
    }

    /// Has a worker ready, and keeps it for the first call.
    async fn probe(&self, hook: &str, secrets: &Secrets) -> ProbeResult {
        let mut lease = self.lease(secrets).await?;
        let start = Instant::now();
        lease.take_worker(hook).await?;
        let program = self.0.spawner.command_line.program.display();
        let millis = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        let time = format_duration(Duration::from_millis(millis));
        Ok(format!("a worker of {program} is ready, in {time}"))
    }

    /// Waits for the right to use a worker.
    ///
    /// # Errors
    /// Of class `spawn` outside a runtime, of class `overloaded` if too many calls wait.
    async fn lease<'a>(&self, secrets: &'a Secrets) -> Result<Lease<'a>, Failure> {
        check_runtime()?;
        let permit = self.0.acquire_permit().await?;
        Ok(Lease::new(Arc::clone(&self.0), permit, secrets))
    }
}

impl AsyncHandler for WorkerPool {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let secrets = self.0.spawner.environment.secrets();
            match self.call(invocation, &secrets).await {
                Ok(verdict) => Ok(verdict.map_texts(|text| secrets.hide(text))),
                Err(failure) => Err(failure.map_detail(|text| secrets.hide(text))),
            }
        })
    }
}

impl Probe for WorkerPool {
    fn check<'a>(&'a self, hook: &'a str, _timeout: Duration) -> ProbeFuture<'a> {
        Box::pin(async move {
            let secrets = self.0.spawner.environment.secrets();
            let found = self.probe(hook, &secrets).await;
            found.map_err(|failure| failure.map_detail(|text| secrets.hide(text)))
        })
    }
}
