//! `ask.answer`: what a person has said to a question.

use std::sync::Arc;
use std::time::Instant;

use hookgate::approval::Parked;
use hookgate::contract::Event;
use hookgate::contract::payload::{ConfigChange, PermissionRequest, UserPromptSubmit};
use hookgate::envelope::Header;
use hookgate::{Gate, Outcome, Report, Scope, ToolUse};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::super::caller::Caller;
use super::super::error::{CallError, Code};
use super::super::host::Power;
use super::super::verdict::Judged;
use super::judge::{self, Askable, Found};

/// The answer to a question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskAnswer {
    /// The session of the step.
    session: String,
    /// The `question` of the verdict, unchanged.
    question: Map<String, Value>,
    /// What the person has said.
    answer: Said,
    /// After how many milliseconds the host does not wait any longer.
    #[serde(default)]
    deadline_ms: Option<u64>,
}

/// What a person has said.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Said {
    /// Yes.
    Approve,
    /// Yes, with other values of these fields: it is judged again.
    ApproveWith(Map<String, Value>),
    /// No, and why.
    Reject(String),
}

pub(crate) async fn call(caller: &Arc<Caller>, params: AskAnswer) -> Result<Judged, CallError> {
    let AskAnswer { session, question, answer, deadline_ms } = params;
    judge::within(judge::time(caller, deadline_ms), async {
        let began = Instant::now();
        let host = caller.enforcing_host()?;
        let question = serde_json::to_vec(&question).map_err(|error| refused(error.to_string()))?;
        let parked = Parked::from_json(&question).map_err(|error| refused(error.to_string()))?;
        if !host.events.contains(&parked.request().event) {
            return Err(refused("the host does not fire this event".to_owned()));
        }
        if let Said::ApproveWith(edit) = &answer {
            if !host.can(Power::Patch) {
                return Err(refused("the host takes no step that was changed".to_owned()));
            }
            let checked = parked.request().check_edit(edit);
            checked.map_err(|problem| CallError::new(Code::InvalidParams, problem.to_string()))?;
        }
        let session = caller.session(&session)?;
        let scope = {
            let state = session.state.read().await;
            state.check(&host)?;
            state.scope.clone()
        };
        let Some(mut header) = session.asked.take(&parked.request().id) else {
            return Err(refused("this session has not asked it, or has had its answer".to_owned()));
        };
        header.no_context = !host.can(Power::Context);
        let (scope, event) = (&scope, Event::from_name(&parked.request().event));
        let id = parked.request().id.clone();
        let asked = (parked, &*header, answer);
        let found = match event {
            Some(Event::PreToolUse) => resume::<ToolUse>(scope, asked).await,
            Some(Event::PermissionRequest) => resume::<PermissionRequest>(scope, asked).await,
            Some(Event::UserPromptSubmit) => resume::<UserPromptSubmit>(scope, asked).await,
            Some(Event::ConfigChange) => resume::<ConfigChange>(scope, asked).await,
            _ => Err(refused("nobody is asked at its event".to_owned())),
        };
        let Found { mut report, step, question, .. } = match found {
            Ok(found) => found,
            // It is as open as before, if it was: what was forged or is too late uses no question up.
            Err(error) => {
                session.asked.keep(&id, header);
                return Err(error);
            }
        };
        if let Some(question) = &question {
            session.asked.keep(&question.request().id, header);
        }
        host.tighten(&mut report);
        judge::finish(caller, Judged::new(report, step, question), began)
    })
    .await
}

/// Goes on with a question as the person has said.
async fn resume<S>(
    scope: &Scope,
    (parked, header, said): (Parked, &Header, Said),
) -> Result<Found, CallError>
where
    S: Askable + From<S::Payload>,
    S::Payload: DeserializeOwned,
{
    let mut context = header.context();
    // It is the same step, also if the host had not named it.
    let step_id = parked.request().step_id.clone();
    context.step_id = Some(&step_id);
    // It belongs to the session in which it is answered, or is refused.
    context.session_id = scope.session_id();
    let asked =
        scope.resume_in::<S>(parked, &context).map_err(|error| refused(error.to_string()))?;
    let gate: Gate<S> = match said {
        Said::Approve => asked.approve(scope, &context).await,
        Said::ApproveWith(edit) => asked
            .approve_with(edit, scope, &context)
            .await
            .map_err(|error| refused(error.to_string()))?,
        Said::Reject(reason) => {
            let denied = asked.reject(reason, scope, &context).await;
            let report =
                Report::answered(denied.decision(), S::CONTRACT.name, &context, &scope.table());
            return Ok(Found { report, step: None, question: None, header: None });
        }
    };
    let Some(decision) = gate.decision() else {
        // The hooks that have asked are gone, and the step was judged anew. What is left has no record.
        return Err(refused("no hook asks about it any more, have it judged again".to_owned()));
    };
    let mut report = Report::answered(decision, S::CONTRACT.name, &context, &scope.table());
    report.decision = gate.outcome();
    let mut found = judge::found(gate, report, scope, &context)?;
    let Found { report, step, .. } = &mut found;
    if report.decision == Outcome::Allow {
        let value = |name: &String| step.as_ref().and_then(|step| step.get(name)).cloned();
        let fields =
            report.patched.iter().map(|name| (name.clone(), value(name).unwrap_or_default()));
        report.final_fields = fields.collect();
    }
    Ok(found)
}

fn refused(why: String) -> CallError {
    let message = format!("the question is not answered: {why}; the step does not happen");
    CallError::new(Code::QuestionRefused, message)
}
