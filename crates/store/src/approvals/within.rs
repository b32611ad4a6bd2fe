//! Whether the step of a question does no more than a pattern of effects says.

use std::path::Path;

use hookgate::approval::ApprovalRequest;
use hookgate::contract::{Envelope, StepId};
use hookgate::envelope::Incoming;
use hookgate_effects::conditions::AtMost;
use serde_json::{Value, json};

/// The largest step that is looked at.
const MOST_BYTES: usize = 16 << 20;

/// Returns whether the step of a question surely does no more than that.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn is_within(request: &ApprovalRequest, at_most: &Value) -> Result<bool, String> {
    let folder = request.cwd.as_deref().unwrap_or_default();
    let at_most = AtMost::read(at_most, Path::new(folder), std::env::var("HOME").ok());
    let at_most = at_most
        .map_err(|wrong| wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    let mut envelope = request.step.clone();
    envelope.insert("hook_event_name".to_owned(), json!(request.event));
    envelope.insert("session_id".to_owned(), json!(request.session_id));
    envelope.insert("cwd".to_owned(), json!(request.cwd));
    let step = Incoming::from_object(envelope).map_err(|error| error.to_string())?;
    let context = step.header.context();
    let id = StepId::new(Some(&request.step_id), String::new);
    Ok(at_most.covers(&Envelope::new(&*step.payload, &context, &id, 0, MOST_BYTES)))
}
