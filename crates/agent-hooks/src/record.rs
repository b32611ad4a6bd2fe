//! The record of one emission: what was decided and why, without any content.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::composition::Said;
use crate::context::AgentContext;
use crate::point::InterceptionPoint;
use crate::profile::{Composition, EnforcementMode};
use crate::verdict::{InterceptorVerdict, WireDecision};

/// The record of one emission, as the standard wants it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct InterceptionRecord {
    /// The point. Of a context without one, it is the first.
    pub interception_point: InterceptionPoint,
    /// Whether verdicts count.
    pub mode: EnforcementMode,
    /// The verdict that counts, without values of the target.
    pub verdict: InterceptorVerdict,
    /// The identity of the context before anyone was asked.
    pub input_identity: Option<String>,
    /// The identity of the context with all changes.
    pub enforced_identity: Option<String>,
    /// How identities are made; `None` if contexts have none.
    pub identity_provider: Option<String>,
    /// The session; empty if the context did not say.
    pub session_id: String,
    /// The number of the context in its session; −1 if the context did not say.
    pub sequence: i64,
    /// When, as the context says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// The trace that the step belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Map<String, Value>>,
    /// The interceptor whose verdict it is, or whose deny an approver was asked about.
    pub decided_by: Option<usize>,
    /// How verdicts are put together.
    pub composition: Composition,
    /// What each interceptor said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verdicts: Vec<VerdictSummary>,
    /// Whether some interceptors were not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fold_truncated: Option<bool>,
    /// What came of asking an approver, if one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_by: Option<ResolvedBy>,
    /// How many interceptors there are.
    pub interceptors_registered: usize,
}

/// What one interceptor said, in a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct VerdictSummary {
    /// Its place in the order of registration.
    pub index: usize,
    /// What it decided.
    pub decision: WireDecision,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// What came of asking an approver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResolvedBy {
    /// The deny was lifted.
    Approval,
    /// It was not.
    Rejection,
}

impl InterceptionRecord {
    /// Begins the record of a context that may lack anything.
    pub(crate) fn of(members: &Map<String, Value>, verdict: InterceptorVerdict) -> Self {
        let text = |name: &str| members.get(name).and_then(Value::as_str);
        let point = text("interception_point").and_then(InterceptionPoint::from_name);
        let session = members.get("session").and_then(|session| session.get("id"));
        Self {
            interception_point: point.unwrap_or(InterceptionPoint::AgentStartup),
            mode: EnforcementMode::Enforce,
            verdict: verdict.projected(),
            input_identity: None,
            enforced_identity: None,
            identity_provider: None,
            session_id: session.and_then(Value::as_str).unwrap_or_default().to_owned(),
            sequence: members.get("sequence").and_then(Value::as_i64).unwrap_or(-1),
            timestamp: text("timestamp").map(str::to_owned),
            trace: members.get("trace").and_then(trace_of),
            decided_by: None,
            composition: Composition(crate::profile::Profile::default()),
            verdicts: Vec::new(),
            fold_truncated: None,
            resolved_by: None,
            interceptors_registered: 0,
        }
    }

    /// Begins the record of a context.
    pub(crate) fn of_context(context: &AgentContext, verdict: InterceptorVerdict) -> Self {
        Self::of(context.members(), verdict)
    }

    /// Adds what each interceptor said.
    pub(crate) fn said(mut self, said: &[Said], names: &[String]) -> Self {
        self.fold_truncated = Some(said.len() < names.len());
        self.verdicts = said
            .iter()
            .map(|said| VerdictSummary {
                index: said.index,
                decision: said.verdict.decision,
                reason: said.verdict.reason.clone(),
                name: names.get(said.index).cloned(),
            })
            .collect();
        self
    }
}

/// The two ids of a trace, and nothing else of it.
fn trace_of(trace: &Value) -> Option<Map<String, Value>> {
    let ids = ["trace_id", "span_id"].into_iter();
    let ids = ids
        .filter_map(|id| Some((id.to_owned(), trace.get(id).filter(|id| id.is_string())?.clone())));
    Some(ids.collect()).filter(|ids: &Map<_, _>| !ids.is_empty())
}
