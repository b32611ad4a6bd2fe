//! Calls the service about one step.
//!
//! A call is: take the shared bytes of the envelope, add the headers of this call, sign, POST, read
//! the answer. The handler keeps no state between calls but its open connections.

use std::time::Duration;

use bytes::Bytes;
use data_encoding::HEXLOWER;
use hookgate_contract::dialect::ScriptAgent;
use hookgate_contract::template::ValueTemplate;
use hookgate_contract::{
    AsyncHandler, Failure, FailureClass, Invocation, Reply, ReplyFuture, Resource, Verdict,
};
use http::header::HeaderMap;

use crate::answer::{self, ExpectedAnswer};
use crate::body;
use crate::header_names;
use crate::service::{Service, header_value};
use crate::signature::Signer;
use crate::status::status_failure;

/// The delay before a second attempt: a service that restarts listens again after some of it.
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// A service, and how it is called.
pub(crate) struct HttpHandler {
    pub(crate) service: Service,
    pub(crate) signer: Option<Signer>,
    /// The agent in whose form the service reads and answers.
    pub(crate) agent: Option<ScriptAgent>,
    /// What is sent in place of the envelope.
    pub(crate) body: Option<ValueTemplate>,
    pub(crate) options: CallOptions,
}

/// The settings of a call.
#[derive(Clone, Copy)]
pub(crate) struct CallOptions {
    /// Whether a request carries an id that its answer must repeat.
    pub(crate) request_id: bool,
    /// Whether a request that was never sent is sent again.
    pub(crate) idempotent: bool,
    /// Whether status 204 is a failure.
    pub(crate) silence_fails: bool,
    /// How many bytes an answer may have.
    pub(crate) output_limit: usize,
}

impl AsyncHandler for HttpHandler {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            match self.call(invocation).await {
                Ok(verdict) => Ok(verdict.map_texts(|text| self.service.secrets.hide(text))),
                Err(failure) => Err(failure.map_detail(|text| self.service.secrets.hide(text))),
            }
        })
    }
}

impl HttpHandler {
    async fn call(&self, invocation: Invocation<'_>) -> Reply {
        if tokio::runtime::Handle::try_current().is_err() {
            let detail = "the dispatch runs outside a tokio runtime, so no service can be called";
            return Err(Failure::new(FailureClass::Spawn, detail));
        }
        let asked = match &self.agent {
            None => None,
            Some(agent) => Some(agent.call(&invocation)?),
        };
        let body = match (&asked, &self.body) {
            (Some(asked), _) => Bytes::from(asked.bytes()),
            (None, Some(template)) => Bytes::from(template.render(invocation)?.to_string()),
            (None, None) => body::request_body(invocation.envelope.bytes()?),
        };
        let request_id = if self.options.request_id { Some(random_id()?) } else { None };
        let headers = self.headers(invocation, &body, request_id.as_deref())?;
        // Until the answer was read.
        let _place = invocation.place(Resource::Request).await?;
        let response = match self.service.send(&headers, &body).await {
            Err(error) if self.options.idempotent && error.was_never_sent() => {
                tokio::time::sleep(RETRY_DELAY).await;
                self.service.send(&headers, &body).await
            }
            sent => sent,
        };
        let response =
            response.map_err(|error| error.into_failure(&self.service.endpoint.authority))?;
        let status = response.status().as_u16();
        tracing::debug!(target: "hookgate::http", hook = invocation.hook, status);
        // A service that is told in its own form about what was decided answers in its own form.
        if self.body.is_some() && invocation.envelope.decision().is_some() {
            return match status_failure(response.status()) {
                Some(failure) => Err(failure),
                None => Ok(Verdict::none()),
            };
        }
        let expected = ExpectedAnswer {
            limit: self.options.output_limit,
            request_id: request_id.as_deref(),
            silence_fails: self.options.silence_fails,
            asked: asked.as_ref(),
            invocation,
        };
        answer::read_reply(response, expected).await
    }

    fn headers(
        &self,
        invocation: Invocation<'_>,
        body: &[u8],
        request_id: Option<&str>,
    ) -> Result<HeaderMap, Failure> {
        let mut headers = self.service.headers.clone();
        headers.insert(header_names::HOOK, header_value(invocation.hook)?);
        headers.insert(header_names::EVENT, header_value(invocation.payload().event_name())?);
        // One of the config stays where there is no run: a service may want it for its own reasons.
        if let Some(key) = invocation.idempotency_key() {
            headers.insert(header_names::IDEMPOTENCY_KEY, header_value(key)?);
        }
        if let Some(request_id) = request_id {
            headers.insert(header_names::REQUEST_ID, header_value(request_id)?);
        }
        if let Some(signer) = &self.signer {
            signer.sign(&mut headers, body);
        }
        Ok(headers)
    }
}

/// Returns 128 random bits in hexadecimal digits.
fn random_id() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Failure::new(FailureClass::Spawn, format!("the system has no random numbers: {error}"))
    })?;
    Ok(HEXLOWER.encode(&bytes))
}
