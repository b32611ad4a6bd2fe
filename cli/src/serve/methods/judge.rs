//! `judge`: a step before it happens, or a result before it is shown.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hookgate::approval::Parked;
use hookgate::contract::payload::{
    AnyPayload as _, ConfigChange, Payload, PermissionRequest, UserPromptSubmit,
};
use hookgate::contract::{Event, EventKind, StepContext};
use hookgate::envelope::{Header, Incoming};
use hookgate::{Asked, Cleared, Gate, HookEngine as _, HookStep, Report, Scope, ToolUse};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::super::caller::Caller;
use super::super::error::{CallError, Code};
use super::super::limits::QUESTION;
use super::super::verdict::Judged;
use super::step::Step;

/// A step that is to be judged.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Judge {
    /// The session: a name of the host.
    pub(super) session: String,
    /// The step: an envelope, as `hookgate run` reads it (`hookgate schema envelope`).
    pub(super) step: Map<String, Value>,
    /// After how many milliseconds the host does not wait any longer; the server may have a shorter limit.
    #[serde(default)]
    pub(super) deadline_ms: Option<u64>,
}

impl Judge {
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "HTTP is not served there"))]
    pub(crate) fn session(&self) -> &str {
        &self.session
    }
}

pub(crate) async fn call(caller: &Arc<Caller>, params: Judge) -> Result<Judged, CallError> {
    let Judge { session, step, deadline_ms } = params;
    let limit = time(caller, deadline_ms);
    within(limit, async {
        let began = Instant::now();
        let Step { host, session, scope, incoming } = Step::read(caller, &session, step).await?;
        if incoming_kind(&incoming) == EventKind::Observe {
            let message = "nothing can stop this event: tell it with `observe`";
            return Err(CallError::new(Code::OnlyObserved, message));
        }
        let Found { mut report, step, question, header } = evaluate(&scope, incoming).await?;
        if let (Some(question), Some(header)) = (&question, header) {
            session.asked.keep(&question.request().id, header);
        }
        host.tighten(&mut report);
        finish(caller, Judged::new(report, step, question), began)
    })
    .await
}

/// Counts and tells a judgement.
///
/// # Errors
/// It is not what its verdict says.
pub(super) fn finish(caller: &Caller, judged: Judged, began: Instant) -> Result<Judged, CallError> {
    if !judged.is_whole() {
        let message = "the step cannot be handed over as it was judged, so it does not happen";
        return Err(CallError::new(Code::Internal, message));
    }
    caller.service.note(&judged, began.elapsed());
    Ok(judged)
}

/// Returns how long a judgement may take.
pub(super) fn time(caller: &Caller, wanted: Option<u64>) -> Duration {
    let longest = caller.service.limits.judgement;
    wanted.map_or(longest, |wanted| Duration::from_millis(wanted).min(longest))
}

/// Waits for a judgement, so long and no longer.
///
/// # Errors
/// Its own, or the time is over: what was at work is stopped.
pub(super) async fn within<T>(
    limit: Duration,
    judgement: impl Future<Output = Result<T, CallError>>,
) -> Result<T, CallError> {
    timeout(limit, judgement).await.unwrap_or_else(|_| {
        let message = format!(
            "the step was not judged within {} ms, so it does not happen",
            limit.as_millis()
        );
        Err(CallError::new(Code::DeadlinePassed, message))
    })
}

pub(super) fn incoming_kind(incoming: &Incoming) -> EventKind {
    incoming.event.contract().kind
}

/// What came of a step.
pub(super) struct Found {
    pub(super) report: Report,
    /// The payload as it was judged.
    pub(super) step: Option<Map<String, Value>>,
    pub(super) question: Option<Box<Parked>>,
    /// What the host has said of a step that is asked about: its hooks are to know it when they judge the step again.
    pub(super) header: Option<Box<Header>>,
}

/// A step that a hook can ask about.
pub(super) trait Askable: HookStep<Asked = Asked<Self>> {
    /// Returns what was cleared.
    fn of_cleared(cleared: &Self::Cleared) -> &Self::Payload;
}

impl Askable for ToolUse {
    fn of_cleared(cleared: &ToolUse<Cleared>) -> &Self::Payload {
        cleared.call()
    }
}

impl Askable for PermissionRequest {
    fn of_cleared(cleared: &Cleared<Self>) -> &Self {
        cleared.payload()
    }
}

impl Askable for UserPromptSubmit {
    fn of_cleared(cleared: &Cleared<Self>) -> &Self {
        cleared.payload()
    }
}

impl Askable for ConfigChange {
    fn of_cleared(cleared: &Cleared<Self>) -> &Self {
        cleared.payload()
    }
}

/// Has the hooks evaluate a step.
async fn evaluate(scope: &Scope, mut incoming: Incoming) -> Result<Found, CallError> {
    match incoming.event {
        Event::PreToolUse => dispatch::<ToolUse>(scope, incoming).await,
        Event::PermissionRequest => dispatch::<PermissionRequest>(scope, incoming).await,
        Event::UserPromptSubmit => dispatch::<UserPromptSubmit>(scope, incoming).await,
        Event::ConfigChange => dispatch::<ConfigChange>(scope, incoming).await,
        _ => {
            let report = scope.evaluate(&mut incoming).await;
            let step = object(incoming.payload.as_payload_mut().to_value());
            Ok(Found { report, step, question: None, header: None })
        }
    }
}

async fn dispatch<S>(scope: &Scope, mut incoming: Incoming) -> Result<Found, CallError>
where
    S: Askable + From<S::Payload>,
    S::Payload: Payload,
{
    let header = std::mem::take(&mut incoming.header);
    let payload = incoming.into_payload::<S::Payload>();
    let payload =
        payload.ok_or_else(|| CallError::new(Code::Internal, "the step is of another type"))?;
    let context = header.context();
    let (gate, report) = scope.dispatch_reported(S::from(payload), &context).await;
    let mut found = found(gate, report, scope, &context)?;
    found.header = found.question.is_some().then(|| Box::new(header));
    Ok(found)
}

/// Takes apart what came of a step that a hook can ask about.
///
/// # Errors
/// The question cannot be kept.
pub(super) fn found<S: Askable>(
    gate: Gate<S>,
    report: Report,
    scope: &Scope,
    context: &StepContext<'_>,
) -> Result<Found, CallError> {
    let (mut step, mut question) = (None, None);
    match gate {
        Gate::Cleared(cleared) => {
            step = object(S::of_cleared(&cleared).to_value());
        }
        Gate::Asked(asked) => {
            let parked = asked.park(scope, context, QUESTION).map_err(|error| {
                CallError::new(
                    Code::QuestionRefused,
                    format!("a person must be asked, and {error}"),
                )
            })?;
            question = Some(Box::new(parked));
        }
        Gate::Answered(_) | Gate::Denied(_) | Gate::Halted(_) => {}
    }
    Ok(Found { report, step, question, header: None })
}

fn object<E>(value: Result<Value, E>) -> Option<Map<String, Value>> {
    match value {
        Ok(Value::Object(fields)) => Some(fields),
        _ => None,
    }
}
