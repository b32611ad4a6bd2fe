//! A host: an agent's loop hands each context to it, and acts on what comes back.

mod settle;

use std::fmt;

use serde_json::{Map, Value};

use crate::approval::{ApprovalResolver, Approvals};
use crate::composition::Combined;
use crate::context::AgentContext;
use crate::decide::Decide;
use crate::emission::Emission;
use crate::identity::IdentityProvider;
use crate::interceptor::Interceptors;
use crate::profile::{Composition, EnforcementMode, Profile};
use crate::record::InterceptionRecord;
use crate::reserved::Reserved;
use crate::verdict::InterceptorVerdict;
use settle::Settled;

/// Hands contexts to an engine, and says what it decided in the words of the standard.
///
/// ```
/// use hookgate::table::Limits;
/// use hookgate::{Engine, Event, HandlerTable, Hook, Verdict};
/// use hookgate_agent_hooks::{Host, Profile};
/// use serde_json::json;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// // A guard of hookgate judges the steps of the host as any others.
/// let guard = Hook::sync("no-secrets", |call| {
///     let secret = call.json()?["result_text"].as_str().is_some_and(|text| text.contains("secret"));
///     Ok(if secret { Verdict::deny("it tells a secret") } else { Verdict::none() })
/// });
/// let table = HandlerTable::builder()
///     .limits(Limits::new().stop_at(Profile::FirstDeny.stop_at()))
///     .insert(guard.event(Event::RunCompleted))
///     .build()?;
/// let host = Host::new(Engine::new(table), &[]);
///
/// let output = |content: &str| json!({
///     "spec": "agent-hooks/0.1", "interception_point": "output",
///     "timestamp": "2026-01-01T00:00:00Z", "sequence": 1,
///     "agent": {"id": "a", "framework": "mine"}, "session": {"id": "s"},
///     "output": {"content": content}, "target": {"content": content},
/// });
/// let emission = host.emit(output("all is well").as_object().unwrap().clone()).await;
/// assert_eq!(emission.permitted().unwrap()["output"]["content"], "all is well");
/// let emission = host.emit(output("the secret is 7").as_object().unwrap().clone()).await;
/// assert!(emission.permitted().is_err());
/// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
/// ```
pub struct Host<D> {
    decider: D,
    names: Vec<String>,
    profile: Profile,
    mode: EnforcementMode,
    identity: IdentityProvider,
    approvals: Approvals,
}

impl<D: Decide> fmt::Debug for Host<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("names", &self.names)
            .field("profile", &self.profile)
            .field("mode", &self.mode)
            .field("identity", &self.identity)
            .field("approvals", &self.approvals)
            .finish_non_exhaustive()
    }
}

impl<D: Decide> Host<D> {
    /// Makes a host of what decides, and of the names of the interceptors that it asks, in order.
    #[must_use]
    pub fn new(decider: D, names: &[&str]) -> Self {
        Self {
            decider,
            names: names.iter().map(|name| (*name).to_owned()).collect(),
            profile: Profile::default(),
            mode: EnforcementMode::default(),
            identity: IdentityProvider::default(),
            approvals: Approvals::default(),
        }
    }

    /// Makes a host of what decides, and of the interceptors that were installed in its table.
    #[must_use]
    pub fn with(decider: D, interceptors: &Interceptors) -> Self {
        Self::new(decider, &interceptors.names())
            .profile(interceptors.profile())
            .mode(interceptors.enforcement())
    }

    /// Sets how verdicts are put together. `limits.stop_at` of the table must be that of the profile.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Sets whether verdicts count.
    #[must_use]
    pub fn mode(mut self, mode: EnforcementMode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets how the identity of a context is made.
    #[must_use]
    pub fn identity(mut self, identity: IdentityProvider) -> Self {
        self.identity = identity;
        self
    }

    /// Sets who may lift a deny. Without anybody it stands.
    #[must_use]
    pub fn resolver(mut self, resolver: impl ApprovalResolver + 'static) -> Self {
        self.approvals.resolver(resolver);
        self
    }

    /// Sets what of a context an approver is not shown.
    #[must_use]
    pub fn redactor(
        mut self,
        redactor: impl Fn(AgentContext) -> AgentContext + Send + Sync + 'static,
    ) -> Self {
        self.approvals.redactor(redactor);
        self
    }

    /// Decides about a context. The agent may act only on the context that
    /// [`Emission::permitted`] returns.
    pub async fn emit(&self, members: Map<String, Value>) -> Emission {
        let only_recorded = self.mode == EnforcementMode::EvaluateOnly;
        let context = match AgentContext::new(members.clone()) {
            Ok(context) => context,
            Err(error) => return self.rejected(members, error.to_string(), only_recorded),
        };
        let identity = match self.identity.identity(&context) {
            Ok(identity) => identity,
            Err(error) => return self.rejected(members, error.to_string(), only_recorded),
        };
        let needed = self.profile.stop_at();
        let settled = match self.decider.stop_at() {
            Some(stop_at) if stop_at != needed => {
                let profile = self.profile;
                Err(format!("{profile} needs `stop_at = \"{needed}\"` in the limits of the table"))
            }
            _ => self.decide(&context).await,
        };
        match settled {
            Ok(settled) => self.recorded(&context, identity, settled),
            // Guards of the host's own count in every mode, and they were not heard.
            Err(why) => self.rejected(members, why, false),
        }
    }

    /// A context that nobody is asked about.
    fn rejected(&self, members: Map<String, Value>, why: String, goes_on: bool) -> Emission {
        let verdict = InterceptorVerdict::reserved(Reserved::ContextInvalid, Some(why));
        let record = self.begin(InterceptionRecord::of(&members, verdict));
        Emission::new(record, members, goes_on, None)
    }

    fn begin(&self, record: InterceptionRecord) -> InterceptionRecord {
        InterceptionRecord {
            mode: self.mode,
            identity_provider: self.identity.name().map(str::to_owned),
            composition: Composition(self.profile),
            interceptors_registered: self.names.len(),
            ..record
        }
    }

    /// The record of a step that was decided about, and what the agent may do.
    fn recorded(
        &self,
        before: &AgentContext,
        identity: Option<String>,
        settled: Settled,
    ) -> Emission {
        let Settled { mut combined, said, context, resolved_by, report, allowed } = settled;
        let mut enforced = identity.clone();
        if &context != before {
            enforced = self.identity.identity(&context).unwrap_or_else(|error| {
                // The chain of identities is broken just where the action was changed.
                if combined.verdict.permits() {
                    let why = Some(error.to_string());
                    let verdict = InterceptorVerdict::reserved(Reserved::ContextInvalid, why);
                    combined = Combined { verdict, decided_by: None };
                }
                None
            });
        }
        if combined.verdict.reason.as_deref() == Some(Reserved::ContextInvalid.name()) {
            enforced = None;
        }
        let only_recorded = self.mode == EnforcementMode::EvaluateOnly
            || !context.point().events().iter().any(|event| event.contract().deny());
        let goes_on = allowed && (only_recorded || combined.verdict.permits());
        let record =
            InterceptionRecord::of_context(&context, combined.verdict).said(&said, &self.names);
        let record = InterceptionRecord {
            input_identity: identity,
            enforced_identity: enforced,
            decided_by: combined.decided_by,
            resolved_by,
            ..self.begin(record)
        };
        Emission::new(record, context.into_members(), goes_on, Some(report))
    }
}
