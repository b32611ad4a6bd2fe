//! A service, and the way to it: what `http` hooks and handlers of other crates have in common.
//!
//! The address rules, the trust, the proxy and the headers are those that the [crate](crate)
//! documents. What is posted, and what an answer means, is the matter of the caller.

use std::fmt;
use std::path::PathBuf;

use bytes::Bytes;
use hookgate_contract::{BuiltHandler, Failure, FailureClass};
use hookgate_net::{HttpClient, next_piece};
use hookgate_secrets::Secrets;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use http::{Method, Request, Response};
use hyper::body::Incoming;

use crate::endpoint::Endpoint;
use crate::error::TransportError;
use crate::status::status_failure;

/// A service, with connections that are kept between calls. [`HttpFactory::service`](crate::HttpFactory::service) makes it.
pub struct Service {
    pub(crate) endpoint: Endpoint,
    pub(crate) client: HttpClient,
    pub(crate) headers: HeaderMap,
    pub(crate) secrets: Secrets,
    pub(crate) identity: Option<String>,
    pub(crate) sources: Vec<PathBuf>,
    pub(crate) warnings: Vec<String>,
}

impl Service {
    /// Returns what must not appear in what a handler says: the values of the listed variables.
    #[must_use]
    pub const fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Returns the host and the port, for messages.
    #[must_use]
    pub fn authority(&self) -> String {
        self.endpoint.authority.to_string()
    }

    /// Declares of a handler what the service was made of: its identity, its files, its warnings.
    pub fn declare(&self, built: &mut BuiltHandler) {
        built.identity.clone_from(&self.identity);
        built.sources.extend(self.sources.iter().cloned());
        built.warnings.extend(self.warnings.iter().cloned());
    }

    /// Posts a body, with headers in addition to those of the config and in place of those of the
    /// protocol, such as `accept`.
    ///
    /// # Errors
    /// Of class `spawn` outside a tokio runtime or if a value cannot be sent in a header; else why no
    /// answer arrived.
    ///
    /// # Cancel safety
    /// If the future is dropped, the connection is closed. The service may have got the request.
    pub async fn post(
        &self,
        headers: &[(&'static str, &str)],
        body: Bytes,
    ) -> Result<ServiceAnswer, Failure> {
        if tokio::runtime::Handle::try_current().is_err() {
            let detail = "the dispatch runs outside a tokio runtime, so no service can be called";
            return Err(Failure::new(FailureClass::Spawn, detail));
        }
        let mut all = self.headers.clone();
        for (name, value) in headers {
            all.insert(HeaderName::from_static(name), header_value(value)?);
        }
        let response = self.send(&all, &body).await;
        let response = response.map_err(|error| error.into_failure(&self.endpoint.authority))?;
        Ok(ServiceAnswer { response })
    }

    pub(crate) async fn send(
        &self,
        headers: &HeaderMap,
        body: &Bytes,
    ) -> Result<Response<Incoming>, TransportError> {
        let mut request = Request::new(body.clone());
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.endpoint.uri.clone();
        *request.headers_mut() = headers.clone();
        Ok(self.client.send(request).await?)
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL and the headers may hold secrets.
        f.debug_struct("Service").field("authority", &self.authority()).finish_non_exhaustive()
    }
}

/// The answer of a service, whose body is read piece by piece.
#[derive(Debug)]
pub struct ServiceAnswer {
    response: Response<Incoming>,
}

impl ServiceAnswer {
    /// Returns the status.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// Returns the failure that the status means, with advice; `None` for 2xx.
    #[must_use]
    pub fn status_failure(&self) -> Option<Failure> {
        status_failure(self.response.status())
    }

    /// Returns the value of a header, if it is there and is text.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    /// Returns the next piece of the body; `None` at its end.
    ///
    /// # Errors
    /// Of class `malformed` if the connection ends before the body does.
    ///
    /// # Cancel safety
    /// A piece that was not returned is lost with the future; nothing else is.
    pub async fn next_piece(&mut self) -> Result<Option<Bytes>, Failure> {
        let piece = next_piece(self.response.body_mut()).await;
        piece.map_err(|_| Failure::new(FailureClass::Malformed, "the answer broke off"))
    }
}

pub(crate) fn header_value(text: &str) -> Result<HeaderValue, Failure> {
    HeaderValue::from_bytes(text.as_bytes()).map_err(|_| {
        let detail = "a value cannot be sent in a header: it has a control character";
        Failure::new(FailureClass::Spawn, detail)
    })
}
