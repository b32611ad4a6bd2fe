//! Grants for whatever does no more than a pattern of effects says.

use std::path::Path;
use std::time::Duration;

use hookgate::approval::ApprovalRequest;
use hookgate::contract::{Envelope, StepId};
use hookgate::envelope::Incoming;
use hookgate_effects::conditions::AtMost;
use serde_json::{Value, json};

use super::grants::{Grant, GrantScope};
use super::{ApprovalError, Approvals};

/// The largest step that is looked at.
const MOST_BYTES: usize = 16 << 20;

impl Approvals {
    /// Agrees to every step of the same tool that does no more than `at_most` says and that the same hooks ask about:
    /// `{"runs": ["cargo test"], "writes": ["target/**"]}`, see [`AtMost`]. What cannot be told before a step runs is asked
    /// about each time.
    ///
    /// # Errors
    /// As [`Approvals::grant`]; `at_most` cannot be read, or the question itself is about more than that.
    pub fn grant_within(
        &self,
        request: &ApprovalRequest,
        scope: GrantScope,
        person: &str,
        good_for: Duration,
        at_most: &Value,
    ) -> Result<Grant, ApprovalError> {
        if !is_within(request, at_most).map_err(ApprovalError::Within)? {
            return Err(ApprovalError::NotWithin);
        }
        self.give(request, scope, person, good_for, Some(at_most.to_string()))
    }
}

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
