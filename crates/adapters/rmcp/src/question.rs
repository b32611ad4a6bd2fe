//! A question of hooks, as a client of MCP is asked and answers.

use std::time::Duration;

use hookgate::approval::Parked;
use hookgate::{Asked, StepContext, ToolUse};
use hookgate_session::Session;
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, InputRequest, InputRequests, InputRequiredResult, InputResponses,
    ProtocolVersion, ServerResult,
};
use rmcp::service::{RequestContext, RoleServer};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::result::refused;

/// What the state of a call begins with if it is ours, and not that of the tool.
const OURS: &str = "hookgate:";
/// The name of our question among those of a call.
const QUESTION: &str = "hookgate";
const FIELD: &str = "approve";

/// The state of a call that waits for its answer.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    parked: Box<Parked>,
    /// What the tool would have got. It is not signed: a tool does not trust what a client hands back to it.
    state: Option<String>,
    responses: Option<InputResponses>,
}

/// Whether a call goes on with a question.
pub(crate) enum Retry {
    No,
    /// With what was asked about, and whether it was approved.
    Answered(Box<Parked>, bool),
    Unreadable,
}

/// Takes question and answer out of a call. What the tool is to get is put in their place.
pub(crate) fn take(params: &mut CallToolRequestParams) -> Retry {
    let Some(state) = params.request_state.as_ref().and_then(|state| state.strip_prefix(OURS))
    else {
        return Retry::No;
    };
    let Ok(State { parked, state, responses }) = serde_json::from_str(state) else {
        return Retry::Unreadable;
    };
    params.request_state = state;
    let answers = std::mem::replace(&mut params.input_responses, responses);
    let answer = answers.and_then(|mut answers| answers.remove(QUESTION));
    let answer = answer.and_then(|answer| serde_json::from_value::<ElicitResult>(answer).ok());
    // A form that was sent back as it came has approved nothing.
    let is_approved = answer.is_some_and(|answer| {
        let field = answer.content.as_ref().and_then(|content| content.get(FIELD));
        answer.action == ElicitationAction::Accept && field == Some(&Value::Bool(true))
    });
    Retry::Answered(parked, is_approved)
}

/// Answers with a question. The parameters of the call hold what the tool is to get, when it is approved.
pub(crate) fn ask(
    asked: Asked<ToolUse>,
    session: &Session,
    context: &StepContext<'_>,
    good_for: Duration,
    params: CallToolRequestParams,
) -> ServerResult {
    let parked = match session.park(asked, context, good_for) {
        Ok(parked) => Box::new(parked),
        Err(problem) => return refused(problem),
    };
    let request = parked.request();
    let message = format!("{}\n\n{}", request.question, request.shown().join("\n"));
    let schema = ElicitationSchema::builder().required_bool(FIELD).build();
    let state = State { parked, state: params.request_state, responses: params.input_responses };
    let (Ok(requested_schema), Ok(state)) = (schema, serde_json::to_string(&state)) else {
        return refused("the question cannot be written, so nobody can answer it");
    };
    let form = ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
    let form = InputRequest::Elicitation(ElicitRequest::new(form));
    let forms = InputRequests::from([(QUESTION.to_owned(), form)]);
    let answer = InputRequiredResult::new(Some(forms), Some(format!("{OURS}{state}")));
    ServerResult::InputRequiredResult(answer)
}

/// Whether the client can have its user answer a form.
pub(crate) fn can_ask(rmcp: &RequestContext<RoleServer>) -> bool {
    let asks = rmcp.client_capabilities().and_then(|can| can.elicitation);
    // A client that names neither form nor url means a form.
    let has_forms = asks.is_some_and(|asks| asks.form.is_some() || asks.url.is_none());
    has_forms && speaks(rmcp, &ProtocolVersion::V_2026_07_28)
}

/// Whether a call is made in this version of the protocol, or a later one.
pub(crate) fn speaks(rmcp: &RequestContext<RoleServer>, oldest: &ProtocolVersion) -> bool {
    // Versions are dates.
    rmcp.protocol_version().is_some_and(|version| version.as_str() >= oldest.as_str())
}
