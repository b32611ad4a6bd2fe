//! Asks policies about one step.

use std::sync::Arc;

use cedar_policy::{Authorizer, Decision, Request, Response};
use hookgate_contract::{
    EffectsFn, Failure, Invocation, Reply, SyncHandler, Verdict, VerdictDecision,
};
use serde_json::Value;

use crate::context::ContextFields;
use crate::error::{evaluation_failure, request_failure};
use crate::policies::Policies;
use crate::uid::UidSource;

/// The effects of one version of a step, which all hooks with policies in Cedar share.
struct SharedEffects(Value);

/// Policies, and how a step becomes a request.
pub(crate) struct CedarHandler {
    pub(crate) policies: Policies,
    pub(crate) principal: UidSource,
    pub(crate) action: UidSource,
    pub(crate) resource: UidSource,
    pub(crate) context: ContextFields,
    /// The reason of a deny that comes from no policy.
    pub(crate) reason: Option<String>,
    pub(crate) effects: Option<Arc<EffectsFn>>,
}

impl SyncHandler for CedarHandler {
    fn handle(&self, invocation: Invocation<'_>) -> Reply {
        let request = self.request(invocation)?;
        let Policies { set, entities, .. } = &self.policies;
        let response = Authorizer::new().is_authorized(&request, set, entities);
        let verdict = self.verdict(invocation, &response)?;
        // A question is about what may happen otherwise: what nothing permits is denied all the same.
        if self.decision(&response) == Some(VerdictDecision::Ask) {
            let without = &self.policies.without_asking;
            let unasked = Authorizer::new().is_authorized(&request, without, entities);
            if unasked.decision() == Decision::Deny {
                return Ok(Verdict::deny(self.default_reason(invocation)));
            }
        }
        Ok(verdict)
    }
}

impl CedarHandler {
    fn request(&self, invocation: Invocation<'_>) -> Result<Request, Failure> {
        let envelope = invocation.envelope;
        let wanted = self.effects.as_ref().filter(|_| self.context.has_effects());
        let effects =
            wanted.map(|effects| envelope.derived(|| SharedEffects(effects(envelope))).0.clone());
        let request = Request::new(
            self.principal.uid(invocation)?,
            self.action.uid(invocation)?,
            self.resource.uid(invocation)?,
            self.context.context(envelope, effects)?,
            self.policies.schema.as_ref(),
        );
        request.map_err(|error| {
            tracing::debug!(target: "hookgate::cedar", hook = invocation.hook, %error);
            request_failure(&error)
        })
    }

    /// Makes the verdict of a response. A policy that could not be evaluated is a failure, whatever the
    /// others say.
    fn verdict(&self, invocation: Invocation<'_>, response: &Response) -> Reply {
        let diagnostics = response.diagnostics();
        let mut ids: Vec<&str> = diagnostics.reason().map(AsRef::as_ref).collect();
        ids.sort_unstable();
        if let Some(error) = diagnostics.errors().next() {
            tracing::debug!(target: "hookgate::cedar", hook = invocation.hook, %error);
            let salvaged = match response.decision() {
                Decision::Deny if !ids.is_empty() => self.decision(response),
                _ => None,
            };
            return Err(evaluation_failure(error).with_salvaged(salvaged));
        }
        if response.decision() == Decision::Allow {
            return Ok(Verdict::allow().note(format!("permitted by `{}`", ids.join("`, `"))));
        }
        let Some(decision) = self.decision(response) else {
            return Ok(Verdict::deny(self.default_reason(invocation)));
        };
        let reason = self.reasons(response, decision);
        let verdict = match decision {
            VerdictDecision::Ask => Verdict::ask(reason),
            VerdictDecision::Halt => Verdict::halt(reason),
            _ => Verdict::deny(reason),
        };
        Ok(verdict.note(format!("forbidden by `{}`", ids.join("`, `"))))
    }

    /// Returns the strictest decision of the policies that forbid; `None` if none does.
    fn decision(&self, response: &Response) -> Option<VerdictDecision> {
        let ids = response.diagnostics().reason();
        ids.filter_map(|id| self.policies.sayings.get(id)).map(|saying| saying.decision).max()
    }

    /// Returns the reasons of the policies with this decision.
    fn reasons(&self, response: &Response, decision: VerdictDecision) -> String {
        let mut reasons: Vec<String> = response
            .diagnostics()
            .reason()
            .filter_map(|id| Some((id, self.policies.sayings.get(id)?)))
            .filter(|(_, saying)| saying.decision == decision)
            .map(|(id, saying)| {
                saying.reason.clone().unwrap_or_else(|| format!("forbidden by the policy `{id}`"))
            })
            .collect();
        reasons.sort_unstable();
        reasons.dedup();
        reasons.join("; ")
    }

    fn default_reason(&self, invocation: Invocation<'_>) -> String {
        self.reason.clone().unwrap_or_else(|| match invocation.tool() {
            Some(call) => format!("no policy permits this call of `{}`", call.tool_name),
            None => "no policy permits this step".to_owned(),
        })
    }
}
