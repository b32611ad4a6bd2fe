//! Sends a chat completion to a server that has the API of OpenAI.
//!
//! The request is a POST to `/chat/completions`, with the key as a bearer token; what it asks for is in
//! [`Request::body`], and what is made of the answer in [`Completion`]. A guard needs three things otherwise
//! than a chat application, so it is not left to a client library: no more than a bounded part of an
//! answer is read, no error quotes what a server sent, which may be the judged step, and the connections
//! are those of [`hookgate_net`], whose TLS is not that of the host's own requests.

use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::future::BoxFuture;
use hookgate_contract::{FailureClass, json};
use hookgate_net::{
    BodyEnd, CheckedResolver, ClientSettings, HttpClient, Lookup, SendError, SystemLookup,
    TlsError, causes, client_config, read_body, system_verifier,
};
use http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER,
};
use http::{Method, Response, Uri};
use hyper::body::Incoming;
use serde_json::Value;
use url::Url;

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
    tls: HttpClient,
    loopback: HttpClient,
    private: HttpClient,
}

impl OpenAi {
    /// Makes the clients with the resolver of the system.
    ///
    /// # Errors
    /// Says why TLS cannot be set up.
    pub(crate) fn new() -> Result<Self, TlsError> {
        Self::with(&(Arc::new(SystemLookup) as Arc<dyn Lookup>))
    }

    /// Makes the clients with another resolver.
    ///
    /// # Errors
    /// Says why TLS cannot be set up.
    pub(crate) fn with(lookup: &Arc<dyn Lookup>) -> Result<Self, TlsError> {
        // A machine without certificates can still talk to a server of its own: without TLS
        // every `https` address fails.
        let tls = match system_verifier() {
            Ok(verifier) => Some(client_config(verifier, None)?),
            Err(TlsError::NoSystemTrust(_) | TlsError::NoProvider) => None,
            Err(error) => return Err(error),
        };
        let client = |network: Network, tls| {
            let check = move |host: &str, address| network.check(host, address);
            let resolver = CheckedResolver::new(Arc::clone(lookup), check);
            let mut settings = ClientSettings::new(tls, resolver);
            settings.connect_timeout = Some(CONNECT);
            HttpClient::new(settings)
        };
        Ok(Self {
            tls: client(Network::Tls, tls),
            loopback: client(Network::Loopback, None),
            private: client(Network::Private, None),
        })
    }

    const fn client_for(&self, network: Network) -> &HttpClient {
        match network {
            Network::Tls => &self.tls,
            Network::Loopback => &self.loopback,
            Network::Private => &self.private,
        }
    }
}

impl ModelClient for OpenAi {
    fn complete<'a>(
        &'a self,
        request: Request<'a>,
    ) -> BoxFuture<'a, Result<Completion, CallError>> {
        Box::pin(async move {
            let part = request.partial.clone();
            let client = self.client_for(request.endpoint.network);
            let completion = ask(client, &request, &part).await;
            completion.map_err(|error| error.with_salvaged(part.salvaged()))
        })
    }
}

/// Sends one request and reads the reply up to its limit.
async fn ask(
    client: &HttpClient,
    request: &Request<'_>,
    part: &PartialReply,
) -> Result<Completion, CallError> {
    let sent = client.send(http_request(request)?).await;
    let mut response = sent.map_err(|error| unreachable(&error))?;
    if !response.status().is_success() {
        return Err(refusal(&mut response, part).await);
    }
    let encoded = response.headers().contains_key(CONTENT_ENCODING);
    let body = read(&mut response, request.max_reply, part).await?;
    let malformed = |detail| CallError::new(FailureClass::Malformed, detail);
    if encoded {
        return Err(malformed("the server's answer is compressed, which was not requested"));
    }
    if body.is_empty() {
        return Err(malformed("the server's answer is empty"));
    }
    let body = json::parse_with(&body, json::Integers::Exact)
        .map_err(|_| malformed("the server's answer is not one JSON object with every key once"))?;
    Ok(Completion::read(&body)?)
}

/// Makes the HTTP request, with the key of the server.
///
/// # Errors
/// A call error of class `auth` if there is no key, or if it has a character that no header can
/// hold, such as a line end in its middle.
fn http_request(request: &Request<'_>) -> Result<http::Request<Bytes>, CallError> {
    let address = format!("{}/chat/completions", request.endpoint.base_url);
    // By the parser that has checked the address: two parsers may see two hosts in one text.
    let uri = Url::parse(&address).ok().and_then(|url| url.as_str().parse::<Uri>().ok());
    let uri = uri.ok_or_else(|| {
        let detail = "the address of the server cannot be used";
        CallError::new(FailureClass::Unreachable, detail)
    })?;
    let mut made = http::Request::new(Bytes::from(request.body().to_string()));
    *made.method_mut() = Method::POST;
    *made.uri_mut() = uri;
    let headers = made.headers_mut();
    let json = HeaderValue::from_static("application/json");
    headers.insert(CONTENT_TYPE, json.clone());
    headers.insert(ACCEPT, json);
    if let Some(key) = request.endpoint.key()? {
        let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| {
            CallError::new(FailureClass::Auth, "the key has characters that no header can hold")
        })?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    Ok(made)
}

/// Returns the error of an answer that is no success. What its body says is a part of it only as far as
/// it is the name of a parameter; but it may hold an answer, too, which `part` gets.
async fn refusal(response: &mut Response<Incoming>, part: &PartialReply) -> CallError {
    let mut error = error_of_status(response.status().as_u16(), response.headers());
    let body = tokio::time::timeout(ERROR_TIME, read(response, ERROR_BODY, part)).await;
    if error.is_refusal()
        && let Ok(Ok(body)) = body
    {
        let name = parameter_name(&body);
        error.about = Parameters::of_error(name.as_deref(), &String::from_utf8_lossy(&body));
        let about_form = name.as_ref().is_none_or(|name| name.starts_with(FORM_OF_ANSWER));
        error.about_other = !about_form || !error.about.is_empty();
        if let Some(name) = name {
            error.detail.push_str(&format!(", about `{name}`"));
        }
    }
    error
}

/// Reads a body of at most `most` bytes. What arrives is handed to `part` at once, since the rest may
/// never come.
async fn read(
    response: &mut Response<Incoming>,
    most: usize,
    part: &PartialReply,
) -> Result<BytesMut, CallError> {
    let mut body = BytesMut::new();
    let end = read_body(response.body_mut(), most, |piece| {
        part.push(piece);
        body.extend_from_slice(piece);
    });
    match end.await {
        BodyEnd::Whole => Ok(body),
        BodyEnd::BrokenOff(error) => Err(unreachable(&SendError::Broken(error))),
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
fn unreachable(error: &SendError) -> CallError {
    if let Some(exposed) = causes(error).find_map(|cause| cause.downcast_ref::<Exposed>()) {
        return CallError::new(FailureClass::Untrusted, exposed.to_string());
    }
    let what = match error {
        SendError::Connect(_) | SendError::ConnectTimeout(_) => {
            "no connection to the server of the model"
        }
        _ => "the connection to the server of the model broke off",
    };
    CallError::new(FailureClass::Unreachable, what)
}
