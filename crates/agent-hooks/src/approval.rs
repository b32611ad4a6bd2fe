//! An approver can lift a deny that says so, for the very content that it was shown.

use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use futures_util::FutureExt;
use serde_json::Value;

use crate::context::AgentContext;
use crate::identity::IdentityProvider;
use crate::point::InterceptionPoint;
use crate::reserved::Reserved;
use crate::verdict::InterceptorVerdict;

/// What an approver decides about.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The identity of the context as it is shown here; `None` if contexts have none.
    pub context_identity: Option<String>,
    /// The point.
    pub interception_point: InterceptionPoint,
    /// The deny that may be lifted.
    pub verdict: InterceptorVerdict,
    /// The context, as the host shows it.
    pub context: AgentContext,
}

/// An approver that did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ResolverFailed(pub String);

/// The future of an approver's answer: a resolution as JSON.
pub type Resolution<'a> = Pin<Box<dyn Future<Output = Result<Value, ResolverFailed>> + Send + 'a>>;

/// Decides whether a deny is lifted: a person, behind a form or a chat.
pub trait ApprovalResolver: Send + Sync {
    /// Answers `{"outcome": "approve" | "reject" | "unresolved", "context_identity": …, "verdict": …}`
    /// with the identity of the request. It must end by itself: a host does not know how long a person
    /// may take.
    fn resolve<'a>(&'a self, request: &'a ApprovalRequest) -> Resolution<'a>;
}

type Redactor = Arc<dyn Fn(AgentContext) -> AgentContext + Send + Sync>;

/// Who approves, and what is left out of what they are shown.
#[derive(Clone, Default)]
pub(crate) struct Approvals {
    resolver: Option<Arc<dyn ApprovalResolver>>,
    redactor: Option<Redactor>,
}

impl fmt::Debug for Approvals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approvals")
            .field("resolver", &self.resolver.is_some())
            .field("redactor", &self.redactor.is_some())
            .finish()
    }
}

/// What came of asking an approver.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Consultation {
    /// There is none: the deny stands.
    Nobody,
    /// They agree. The verdict allows or changes.
    Approved(InterceptorVerdict),
    /// They do not, or what they said does not hold. The verdict denies.
    Refused(InterceptorVerdict),
}

impl Approvals {
    pub(crate) fn resolver(&mut self, resolver: impl ApprovalResolver + 'static) {
        self.resolver = Some(Arc::new(resolver));
    }

    pub(crate) fn redactor(
        &mut self,
        redactor: impl Fn(AgentContext) -> AgentContext + Send + Sync + 'static,
    ) {
        self.redactor = Some(Arc::new(redactor));
    }

    /// Asks the approver about a context. The identity that must be echoed is that of what is shown.
    pub(crate) async fn consult(
        &self,
        context: &AgentContext,
        verdict: &InterceptorVerdict,
        identity: &IdentityProvider,
    ) -> Consultation {
        let Some(resolver) = &self.resolver else { return Consultation::Nobody };
        let refused = |reason| Consultation::Refused(InterceptorVerdict::reserved(reason, None));
        let shown = match &self.redactor {
            None => Ok(context.clone()),
            Some(redactor) => {
                std::panic::catch_unwind(AssertUnwindSafe(|| redactor(context.clone())))
            }
        };
        let Ok(shown) = shown else { return refused(Reserved::ApprovalResolverFailed) };
        let Ok(identity) = identity.identity(&shown) else {
            return refused(Reserved::ContextInvalid);
        };
        let request = ApprovalRequest {
            context_identity: identity,
            interception_point: context.point(),
            verdict: verdict.clone(),
            context: shown,
        };
        let answer = AssertUnwindSafe(async { resolver.resolve(&request).await }).catch_unwind();
        match answer.await {
            Ok(Ok(resolution)) => checked(&request, &resolution).unwrap_or_else(refused),
            Ok(Err(_)) | Err(_) => refused(Reserved::ApprovalResolverFailed),
        }
    }
}

/// Checks a resolution, in the order of the standard: that it is about what was shown, its form, its
/// verdict, and that both say the same.
fn checked(request: &ApprovalRequest, resolution: &Value) -> Result<Consultation, Reserved> {
    let echo = Value::from(request.context_identity.clone());
    if resolution.is_object() && resolution.get("context_identity") != Some(&echo) {
        return Err(Reserved::ApprovalIdentityMismatch);
    }
    let outcome = resolution.get("outcome").and_then(Value::as_str);
    let verdict = resolution.get("verdict");
    let (approves, verdict) = match (outcome, verdict) {
        (Some("unresolved"), None) => return Err(Reserved::ApprovalUnresolved),
        (Some("approve"), Some(verdict)) => (true, verdict),
        (Some("reject"), Some(verdict)) => (false, verdict),
        _ => return Err(Reserved::ApprovalResolverFailed),
    };
    let verdict = InterceptorVerdict::from_value(verdict).map_err(|_| Reserved::VerdictInvalid)?;
    match (approves, verdict.permits()) {
        (true, true) => Ok(Consultation::Approved(verdict)),
        (false, false) => Ok(Consultation::Refused(verdict)),
        _ => Err(Reserved::VerdictInvalid),
    }
}
