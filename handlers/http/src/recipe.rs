//! How a service is asked about a step.

use std::time::Duration;

use bytes::Bytes;
use hookgate_contract::{AsyncHandler, Failure, FailureClass, Invocation, Reply, ReplyFuture};
use hookgate_secrets::Secrets;
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, Response};

use crate::answer::{self, Expected};
use crate::endpoint::Endpoint;
use crate::fault::Fault;
use crate::signature::Signer;
use crate::{body, hex, names};

/// How long a second attempt is put off: a service that restarts is back after some of it.
const PAUSE: Duration = Duration::from_millis(50);

/// A service and how it is asked.
pub(crate) struct Recipe {
    pub(crate) endpoint: Endpoint,
    pub(crate) client: Client,
    pub(crate) headers: HeaderMap,
    pub(crate) signer: Option<Signer>,
    pub(crate) secrets: Secrets,
    pub(crate) connect_timeout: Duration,
    pub(crate) request_id: bool,
    pub(crate) idempotent: bool,
    pub(crate) must_speak: bool,
    pub(crate) most: usize,
}

impl AsyncHandler for Recipe {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            match self.ask(invocation).await {
                Ok(verdict) => Ok(verdict.map_texts(|text| self.secrets.hide(text))),
                Err(failure) => Err(failure.map_detail(|text| self.secrets.hide(text))),
            }
        })
    }
}

impl Recipe {
    async fn ask(&self, invocation: Invocation<'_>) -> Reply {
        if tokio::runtime::Handle::try_current().is_err() {
            let detail = "the dispatch runs outside a tokio runtime, so no service can be asked";
            return Err(Failure::new(FailureClass::Spawn, detail));
        }
        let body = body::of_envelope(invocation.envelope.bytes()?);
        let request_id = if self.request_id { Some(number()?) } else { None };
        let headers = self.headers(invocation, &body, request_id.as_deref())?;
        let response = match self.send(&headers, &body).await {
            Err(fault) if self.idempotent && fault.was_never_sent() => {
                tokio::time::sleep(PAUSE).await;
                self.send(&headers, &body).await
            }
            sent => sent,
        };
        let response = response.map_err(|fault| fault.failure(&self.endpoint.name()))?;
        let expected = Expected {
            most: self.most,
            request_id: request_id.as_deref(),
            must_speak: self.must_speak,
            invocation,
        };
        answer::reply(response, expected).await
    }

    async fn send(&self, headers: &HeaderMap, body: &Bytes) -> Result<Response, Fault> {
        self.client
            .post(self.endpoint.url.clone())
            .headers(headers.clone())
            .body(body.clone())
            .send()
            .await
            .map_err(|error| Fault::of(&error, self.connect_timeout))
    }

    fn headers(
        &self,
        invocation: Invocation<'_>,
        body: &[u8],
        request_id: Option<&str>,
    ) -> Result<HeaderMap, Failure> {
        let mut headers = self.headers.clone();
        headers.insert(names::HOOK, text(invocation.hook)?);
        headers.insert(names::EVENT, text(invocation.payload().event_name())?);
        if let Some(request_id) = request_id {
            headers.insert(names::REQUEST_ID, text(request_id)?);
        }
        if let Some(signer) = &self.signer {
            signer.sign(&mut headers, body);
        }
        Ok(headers)
    }
}

fn text(text: &str) -> Result<HeaderValue, Failure> {
    HeaderValue::from_bytes(text.as_bytes()).map_err(|_| {
        let detail = "the id of the hook cannot stand in a header: it has a control character";
        Failure::new(FailureClass::Spawn, detail)
    })
}

/// A number that nobody can guess.
fn number() -> Result<String, Failure> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Failure::new(FailureClass::Spawn, format!("the system has no random numbers: {error}"))
    })?;
    Ok(hex::encode(&bytes))
}
