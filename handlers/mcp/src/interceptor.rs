//! An interceptor that answers: `interceptor/invoke`, as the proposal SEP-2624 has it.
//!
//! A validator allows or denies, a mutator replaces the payload. Which of the two a name is, and for
//! which operations it is there, the server says itself (`interceptors/list`), and that is checked
//! before it is invoked for the first time: a guard for other operations would answer nothing useful.

mod descriptor;
mod operation;
mod result;

use std::time::SystemTime;

use hookgate_contract::{Failure, FailureClass, Invocation, Reply};
use hookgate_secrets::Secrets;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::message::Request;
use crate::server::Server;
use descriptor::{Descriptor, Type};
use operation::Operation;

/// An interceptor of a server.
#[derive(Debug)]
pub(crate) struct Interceptor {
    name: String,
    config: Option<Value>,
    /// What the server says of it, once it was asked.
    descriptor: OnceCell<Descriptor>,
}

impl Interceptor {
    /// Makes an interceptor of a name, with the configuration that each call carries.
    pub(crate) const fn new(name: String, config: Option<Value>) -> Self {
        Self { name, config, descriptor: OnceCell::const_new() }
    }

    /// Invokes it for a step.
    ///
    /// # Errors
    /// The failure of the server or of its answer; of class `illegal` if the interceptor is not there for
    /// this operation.
    pub(crate) async fn ask<'a>(
        &self,
        server: &Server,
        invocation: Invocation<'a>,
        secrets: &'a Secrets,
    ) -> Reply {
        // What leaves the process is no larger than any envelope may be.
        invocation.envelope.bytes()?;
        let descriptor =
            self.descriptor.get_or_try_init(|| self.describe(server, invocation, secrets)).await?;
        let operation = Operation::of(invocation)?;
        if !descriptor.handles(&operation.event, operation.phase) {
            let detail = format!(
                "the interceptor `{}` is not there for `{}` in the phase {}, but for {}",
                self.name,
                operation.event,
                operation.phase,
                descriptor.hooks()
            );
            return Err(Failure::new(FailureClass::Illegal, detail));
        }
        let result =
            server.request(&self.request(&operation, invocation), invocation, secrets).await?;
        let verdict = match descriptor.kind {
            Type::Validation => result::of_validator(&result)?,
            Type::Mutation => result::of_mutator(&result, &operation)?,
        };
        Ok(if descriptor.is_audit { result::only_noted(verdict) } else { verdict })
    }

    /// Asks the server what it says of the interceptor.
    ///
    /// # Errors
    /// Of class `malformed` if it is not there.
    async fn describe<'a>(
        &self,
        server: &Server,
        invocation: Invocation<'a>,
        secrets: &'a Secrets,
    ) -> Result<Descriptor, Failure> {
        let list = server.list("interceptors/list", "interceptors", invocation, secrets).await?;
        Descriptor::find(&list, &self.name)
    }

    /// Checks that the server has the interceptor.
    pub(crate) async fn check<'a>(
        &self,
        server: &Server,
        invocation: Invocation<'a>,
        secrets: &'a Secrets,
    ) -> Result<(), Failure> {
        self.describe(server, invocation, secrets).await.map(|_| ())
    }

    fn request(&self, operation: &Operation, invocation: Invocation<'_>) -> Request {
        let context = json!({
            "sessionId": invocation.context().session_id,
            "traceId": invocation.envelope.step_id(),
            "timestamp": humantime::format_rfc3339_millis(SystemTime::now()).to_string(),
        });
        let mut params = json!({
            "name": self.name,
            "event": operation.event,
            "phase": operation.phase,
            "payload": operation.payload,
            "context": context,
        });
        if let (Some(config), Some(params)) = (&self.config, params.as_object_mut()) {
            params.insert("config".into(), config.clone());
        }
        Request::new("interceptor/invoke", params)
    }
}
