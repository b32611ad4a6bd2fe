//! The carrier of requests: async-openai over an HTTP service of our own.
//!
//! **What async-openai is used for**: the type of a client, the path and the method of a chat
//! completion, the assembly of the HTTP request from headers and body, and the reading of a successful
//! body as JSON (`create_byot`, "bring your own types").
//!
//! **What is ours**, because a guard needs it otherwise than a chat application:
//!
//! | part | why |
//! |---|---|
//! | [`RequestConfig`] | the crate's own configuration reads the environment, and panics at a key that fits in no header |
//! | [`BoundedService`] | the crate reads whole bodies, retries, and logs what it cannot read, which may be the judged step |
//! | the body ([`Request::body`]) | servers of open models refuse parameters that the crate's types always send |
//! | the reply ([`Completion`]) | servers leave out fields that the crate's types require |
//! | errors ([`CallError`]) | the crate's errors quote the server, and do not know our failure classes |
//!
//! So async-openai decides nothing here. This file is the only one that knows it, behind
//! [`ModelClient`].

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use async_openai::Client;
use async_openai::config::Config;
use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use bytes::BytesMut;
use futures_util::future::BoxFuture;
use hookgate_contract::{FailureClass, json};
use hookgate_net::{
    BodyEnd, CheckedResolver, Lookup, SystemLookup, client_config, plain_client, read_body,
    system_verifier,
};
use reqwest::header::{AUTHORIZATION, CONTENT_ENCODING, HeaderMap, HeaderValue, RETRY_AFTER};
use rustls::client::danger::ServerCertVerifier;
use secrecy::SecretString;
use serde_json::Value;
use tower_service::Service;

use super::chat::{ModelClient, Request};
use super::error::CallError;
use super::partial_reply::PartialReply;
use crate::answer::completion::Completion;
use crate::network::{Exposed, Network};
use crate::parameter::Parameters;

/// How long a connection may take. The whole is bounded by the deadline of the hook.
const CONNECT: Duration = Duration::from_secs(5);

/// How many bytes of an error's body are read: for the name of the parameter that it is about, and
/// for a decision in it.
const ERROR_BODY: usize = 16 * 1024;

/// How long the body of an error is waited for.
const ERROR_TIME: Duration = Duration::from_secs(1);

/// The connections of all judges.
///
/// There is a client for each network, because the check of addresses belongs to the resolver of a
/// client: a connection that was opened for one network is never reused for another.
pub(crate) struct OpenAi {
    tls: reqwest::Client,
    loopback: reqwest::Client,
    private: reqwest::Client,
}

impl OpenAi {
    /// Makes the clients with the resolver of the system.
    ///
    /// # Errors
    /// Says why TLS or an HTTP client cannot be set up.
    pub(crate) fn new() -> Result<Self, String> {
        Self::with(&(Arc::new(SystemLookup) as Arc<dyn Lookup>))
    }

    /// Makes the clients with another resolver, which finds the addresses of names for plain http.
    pub(crate) fn with(lookup: &Arc<dyn Lookup>) -> Result<Self, String> {
        let plain = |network: Network| {
            let check = move |host: &str, address| network.check(host, address);
            let resolver = CheckedResolver::new(Arc::clone(lookup), check);
            build_client(bounded_client(None)?.dns_resolver(resolver))
        };
        Ok(Self {
            // A machine without certificates can still talk to a server of its own: without a
            // verifier every `https` address fails.
            tls: build_client(bounded_client(system_verifier().ok())?)?,
            loopback: plain(Network::Loopback)?,
            private: plain(Network::Private)?,
        })
    }

    const fn client_for(&self, network: Network) -> &reqwest::Client {
        match network {
            Network::Tls => &self.tls,
            Network::Loopback => &self.loopback,
            Network::Private => &self.private,
        }
    }
}

/// Returns the builder of a client that accepts the servers of this verifier, and none without one.
fn bounded_client(
    verifier: Option<Arc<dyn ServerCertVerifier>>,
) -> Result<reqwest::ClientBuilder, String> {
    let tls = client_config(verifier, None).map_err(|error| error.to_string())?;
    Ok(plain_client(tls).connect_timeout(CONNECT).no_proxy())
}

fn build_client(builder: reqwest::ClientBuilder) -> Result<reqwest::Client, String> {
    builder.build().map_err(|error| format!("no HTTP client can be made: {error}"))
}

impl ModelClient for OpenAi {
    fn complete<'a>(
        &'a self,
        request: Request<'a>,
    ) -> BoxFuture<'a, Result<Completion, CallError>> {
        Box::pin(async move {
            let config = RequestConfig::new(&request)?;
            let http = self.client_for(request.endpoint.network);
            let (most, part) = (request.max_reply, request.partial.clone());
            let service = BoundedService { http: http.clone(), most, part: part.clone() };
            let client = Client::build(http.clone(), config).with_http_service(service);
            let reply: Result<Value, OpenAIError> = client.chat().create_byot(request.body()).await;
            let completion = reply.map_err(own_error).and_then(|body| Ok(Completion::read(&body)?));
            completion.map_err(|error| error.with_salvaged(part.salvaged()))
        })
    }
}

/// Returns our own error, if it is one. The text of the crate's errors is dropped, since it may quote
/// what a server sent.
fn own_error(error: OpenAIError) -> CallError {
    match error {
        OpenAIError::Boxed(inner) => inner.downcast::<Carried>().map_or_else(
            |_| CallError::new(FailureClass::Unreachable, "the request failed"),
            |carried| carried.0,
        ),
        OpenAIError::Reqwest(error) => unreachable(&error),
        OpenAIError::JSONDeserialize(..) => {
            CallError::new(FailureClass::Malformed, "the server's answer is not JSON")
        }
        _ => CallError::new(FailureClass::Malformed, "the request could not be made"),
    }
}

/// What async-openai wants to know for one request.
struct RequestConfig {
    base: String,
    headers: HeaderMap,
    // The crate wants a key here. It is empty: the header is made below.
    key: SecretString,
}

impl RequestConfig {
    /// Reads the key of the server and makes the header from it.
    ///
    /// # Errors
    /// A call error of class `auth` if there is no key, or if it has a character that no header can
    /// hold, such as a line end in its middle.
    fn new(request: &Request<'_>) -> Result<Self, CallError> {
        let mut headers = HeaderMap::new();
        if let Some(key) = request.endpoint.key()? {
            let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| {
                CallError::new(FailureClass::Auth, "the key has characters that no header can hold")
            })?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        Ok(Self {
            base: request.endpoint.base_url.clone(),
            headers,
            key: SecretString::from(String::new()),
        })
    }
}

impl Config for RequestConfig {
    fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    fn query(&self) -> Vec<(&str, &str)> {
        Vec::new()
    }

    fn api_base(&self) -> &str {
        &self.base
    }

    fn api_key(&self) -> &SecretString {
        &self.key
    }
}

/// Sends one request and reads the reply up to its limit. async-openai only ever sees a success that
/// is strict JSON.
#[derive(Clone)]
struct BoundedService {
    http: reqwest::Client,
    most: usize,
    part: PartialReply,
}

impl Service<HttpRequestFactory> for BoundedService {
    type Response = reqwest::Response;
    type Error = OpenAIError;
    type Future = Pin<Box<dyn Future<Output = Result<reqwest::Response, OpenAIError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), OpenAIError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: HttpRequestFactory) -> Self::Future {
        let this = self.clone();
        Box::pin(async move {
            let request = request.build().await?;
            let sent = this.http.execute(request).await;
            let mut response = sent.map_err(|error| carried(unreachable(&error)))?;
            let status = response.status().as_u16();
            if !response.status().is_success() {
                let mut error = error_of_status(status, response.headers());
                // The body of an error may hold an answer, too.
                let body = read(&mut response, ERROR_BODY, &this.part);
                let body = tokio::time::timeout(ERROR_TIME, body).await;
                if error.is_refusal()
                    && let Ok(Ok(body)) = body
                {
                    let name = parameter_name(&body);
                    error.about =
                        Parameters::of_error(name.as_deref(), &String::from_utf8_lossy(&body));
                    let about_form =
                        name.as_ref().is_none_or(|name| name.starts_with(FORM_OF_ANSWER));
                    error.about_other = !about_form || !error.about.is_empty();
                    if let Some(name) = name {
                        error.detail.push_str(&format!(", about `{name}`"));
                    }
                }
                return Err(carried(error));
            }
            let encoded = response.headers().contains_key(CONTENT_ENCODING);
            let body = read(&mut response, this.most, &this.part).await.map_err(carried)?;
            // The body is parsed here first: the crate logs what it cannot read, and takes one of
            // two equal keys.
            let detail = if encoded {
                Some("the server's answer is compressed, which was not requested")
            } else if body.is_empty() {
                Some("the server's answer is empty")
            } else if json::parse_with(&body, json::Integers::Exact).is_err() {
                Some("the server's answer is not one JSON object with every key once")
            } else {
                None
            };
            if let Some(detail) = detail {
                return Err(carried(CallError::new(FailureClass::Malformed, detail)));
            }
            Ok(http::Response::new(body.freeze()).into())
        })
    }
}

/// Reads a body of at most `most` bytes. What arrives is handed to `part` at once, since the rest may
/// never come.
async fn read(
    response: &mut reqwest::Response,
    most: usize,
    part: &PartialReply,
) -> Result<BytesMut, CallError> {
    let mut body = BytesMut::new();
    let end = read_body(response, most, |piece| {
        part.push(piece);
        body.extend_from_slice(piece);
    });
    match end.await {
        BodyEnd::Whole => Ok(body),
        BodyEnd::BrokenOff(error) => Err(unreachable(&error)),
        _ => {
            let detail = format!("the server's answer has more than {most} bytes");
            Err(CallError::new(FailureClass::Oversize, detail))
        }
    }
}

/// Returns the name of the parameter that an error is about: one word, and so nothing of the question.
fn parameter_name(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let name = body.pointer("/error/param")?.as_str()?;
    let plain = |c: char| c.is_ascii_lowercase() || matches!(c, '_' | '.');
    (name.len() <= 40 && name.chars().all(plain)).then(|| name.to_owned())
}

/// The parameter that asks for the form of the answer.
const FORM_OF_ANSWER: &str = "response_format";

/// Returns the error of a status. The text of the body is not a part of it: it may quote the question.
fn error_of_status(status: u16, headers: &HeaderMap) -> CallError {
    let class = match status {
        401 | 403 => FailureClass::Auth,
        429 => FailureClass::Overloaded,
        _ => FailureClass::HttpStatus,
    };
    let detail = match class {
        FailureClass::Auth => format!("the server refuses the key (status {status})"),
        FailureClass::Overloaded => "the server has too much to do (status 429)".to_owned(),
        _ => format!("the server answered with status {status}"),
    };
    let seconds = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    let retry_after = seconds.map(Duration::from_secs);
    CallError { status: Some(status), retry_after, ..CallError::new(class, detail) }
}

/// Says at which point the connection broke. The address is left out, since it may hold a key.
fn unreachable(error: &reqwest::Error) -> CallError {
    if let Some(exposed) = exposed(error) {
        return CallError::new(FailureClass::Untrusted, exposed);
    }
    let what = if error.is_connect() {
        "no connection to the server of the model"
    } else if error.is_timeout() {
        "the connection to the server of the model took too long"
    } else if error.is_builder() {
        "the address of the server cannot be used"
    } else {
        "the connection to the server of the model broke off"
    };
    CallError::new(FailureClass::Unreachable, what)
}

/// Returns why the server was not asked, if that is because of its address.
fn exposed(error: &reqwest::Error) -> Option<String> {
    let mut next: Option<&(dyn Error + 'static)> = error.source();
    while let Some(cause) = next {
        if let Some(exposed) = cause.downcast_ref::<Exposed>() {
            return Some(exposed.to_string());
        }
        next = cause.source();
    }
    None
}

/// Wraps our error, so that it gets through async-openai unchanged.
fn carried(error: CallError) -> OpenAIError {
    OpenAIError::Boxed(Box::new(Carried(error)))
}

#[derive(Debug)]
struct Carried(CallError);

impl fmt::Display for Carried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.detail)
    }
}

impl Error for Carried {}
