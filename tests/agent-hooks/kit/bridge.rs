//! The scripts of the kit, as interceptors and approvers of ours.

use std::sync::Arc;

use agent_hooks::{ApprovalRequest as TheirRequest, verdict_from_wire};
use hookgate_agent_hooks::{
    AgentContext, ApprovalRequest, ApprovalResolver, IdentityProvider, Interception, Interceptor,
    Resolution,
};
use serde_json::{Value, json};

/// An interceptor of the kit.
#[derive(Clone)]
pub(crate) struct Scripted(pub(crate) Arc<dyn agent_hooks::Interceptor>);

impl Interceptor for Scripted {
    fn intercept<'a>(&'a self, context: &'a AgentContext) -> Interception<'a> {
        Box::pin(async move {
            let verdict = self.0.intercept(context.members()).await;
            Ok(serde_json::to_value(verdict).unwrap())
        })
    }
}

/// An approver of the kit.
#[derive(Clone)]
pub(crate) struct Approver(pub(crate) Arc<dyn agent_hooks::ApprovalResolver>);

impl ApprovalResolver for Approver {
    fn resolve<'a>(&'a self, request: &'a ApprovalRequest) -> Resolution<'a> {
        Box::pin(async move {
            let verdict = serde_json::to_value(&request.verdict).unwrap();
            let verdict = verdict_from_wire(&verdict).unwrap();
            let point = request.interception_point.name().parse().unwrap();
            let theirs = TheirRequest {
                context_identity: request.context_identity.clone(),
                interception_point: point,
                verdict: &verdict,
                context: request.context.members(),
            };
            let resolution = self.0.resolve(theirs).await;
            let mut answer = json!({
                "outcome": resolution.outcome,
                "context_identity": resolution.context_identity,
            });
            if let Some(verdict) = resolution.verdict {
                answer["verdict"] = serde_json::to_value(verdict).unwrap();
            }
            Ok(answer)
        })
    }
}

/// The identities that a vector wants.
pub(crate) fn identity(theirs: agent_hooks::IdentityProvider) -> IdentityProvider {
    match theirs {
        agent_hooks::IdentityProvider::JcsSha256 => IdentityProvider::JcsSha256,
        agent_hooks::IdentityProvider::Null => IdentityProvider::Unbound,
        agent_hooks::IdentityProvider::Custom { name, f } => {
            IdentityProvider::named(name, move |context| Some(f(context.members()))).unwrap()
        }
    }
}

/// Leaves out of a context what a vector lists.
pub(crate) fn redacted(context: AgentContext, paths: &[String]) -> AgentContext {
    paths.iter().fold(context, |context, path| {
        let path = hookgate_agent_hooks::TargetPath::parse(path).unwrap();
        context.clone().transform(&path, Value::from("[redacted]")).unwrap_or(context)
    })
}
