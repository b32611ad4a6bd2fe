//! A step as a caller sends it: the envelope, in a session.

use std::sync::Arc;

use hookgate::Scope;
use hookgate::envelope::Incoming;
use serde_json::{Map, Value};

use super::super::caller::Caller;
use super::super::error::{CallError, Code};
use super::super::host::{Host, Power};
use super::super::sessions::Session;

/// A step that was read, and by which hooks it is judged.
pub(super) struct Step {
    pub(super) host: Arc<Host>,
    pub(super) session: Arc<Session>,
    pub(super) scope: Scope,
    pub(super) incoming: Incoming,
}

impl Step {
    /// Reads a step. Its turn in the session comes in the order in which the steps were sent.
    ///
    /// # Errors
    /// It cannot be read, it is of another session or of an event that the host has not declared, or there are guards
    /// that the host cannot enforce.
    pub(super) async fn read(
        caller: &Caller,
        session: &str,
        envelope: Map<String, Value>,
    ) -> Result<Self, CallError> {
        let host = caller.enforcing_host()?;
        let wrong = |message: String| CallError::new(Code::InvalidStep, message);
        let mut incoming = Incoming::from_object(envelope)
            .map_err(|error| wrong(format!("the step cannot be read: {error}")))?;
        let event = incoming.payload.as_payload_mut().event_name();
        if !host.events.contains(event) {
            let message = format!(
                "the host did not declare `{event}` in `hello`: hooks there were not compared with what it can enforce"
            );
            return Err(CallError::new(Code::UndeclaredEvent, message));
        }
        let of_step = &incoming.header.session_id;
        if !of_step.is_empty() && of_step != session {
            return Err(wrong("`session_id` of the step is not `session`".to_owned()));
        }
        session.clone_into(&mut incoming.header.session_id);
        incoming.header.no_context = !host.can(Power::Context);
        let session = caller.session(session)?;
        let state = session.state.read().await;
        state.check(&host)?;
        let scope = state.scope.clone();
        drop(state);
        Ok(Self { host, session, scope, incoming })
    }
}
