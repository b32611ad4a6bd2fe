//! Asks a server about one step.

use std::sync::Arc;
use std::time::Duration;

use hookgate_contract::payload::Stop;
use hookgate_contract::{
    AsyncHandler, Envelope, Invocation, Probe, ProbeFuture, ProbeResult, Reply, ReplyFuture,
    StepContext, StepId,
};
use hookgate_secrets::Secrets;
use humantime::format_duration;

use crate::interceptor::Interceptor;
use crate::server::Server;
use crate::tool::Tool;

/// A server, and what of it is asked.
#[derive(Debug)]
pub(crate) struct McpHandler {
    pub(crate) server: Server,
    pub(crate) asked: Asked,
}

/// What of a server is asked.
#[derive(Debug)]
pub(crate) enum Asked {
    Tool(Tool),
    Interceptor(Interceptor),
}

/// A handler that is its own probe.
#[derive(Debug, Clone)]
pub(crate) struct SharedHandler(pub(crate) Arc<McpHandler>);

impl McpHandler {
    async fn ask(&self, invocation: Invocation<'_>, secrets: &Secrets) -> Reply {
        match &self.asked {
            Asked::Tool(tool) => tool.ask(&self.server, invocation, secrets).await,
            Asked::Interceptor(named) => named.ask(&self.server, invocation, secrets).await,
        }
    }

    /// Makes the handshake, and looks whether the server has what is asked. No step is evaluated.
    async fn probe(&self, hook: &str, secrets: &Secrets) -> ProbeResult {
        let time = format_duration(self.server.warm_up(hook, secrets).await?);
        // The lists are asked for as if for a step, which the requests say nothing about.
        let (step, context) = (Stop::default(), StepContext::new(""));
        let id = StepId::new(Some(""), String::new);
        let envelope = Envelope::new(&step, &context, &id, 0, 0);
        let invocation = Invocation::new(hook, &envelope);
        let what = match &self.asked {
            Asked::Tool(tool) => {
                tool.check(&self.server, invocation, secrets).await?;
                "the tool"
            }
            Asked::Interceptor(named) => {
                named.check(&self.server, invocation, secrets).await?;
                "the interceptor"
            }
        };
        Ok(format!("{} is ready, in {time}, and has {what}", self.server.name()))
    }
}

impl AsyncHandler for SharedHandler {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let secrets = self.0.server.secrets();
            match self.0.ask(invocation, &secrets).await {
                Ok(verdict) => Ok(verdict.map_texts(|text| secrets.hide(text))),
                Err(failure) => Err(failure.map_detail(|text| secrets.hide(text))),
            }
        })
    }
}

impl Probe for SharedHandler {
    fn check<'a>(&'a self, hook: &'a str, _timeout: Duration) -> ProbeFuture<'a> {
        Box::pin(async move {
            let secrets = self.0.server.secrets();
            let found = self.0.probe(hook, &secrets).await;
            found.map_err(|failure| failure.map_detail(|text| secrets.hide(text)))
        })
    }
}
