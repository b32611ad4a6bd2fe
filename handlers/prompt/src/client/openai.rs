//! The client: async-openai over a service of our own, which bounds what is read.

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
use serde_json::{Value, json};
use tower_service::Service;

use crate::heard::Part;
use crate::model::{CallError, Completion, Format, ModelClient, Request};
use crate::network::{Exposed, Network};

/// How long a connection may take. The whole is bounded by the deadline of the hook.
const CONNECT: Duration = Duration::from_secs(5);

/// How many bytes of an error's body are read, for the name of the parameter that it is about and
/// for a decision in it.
const ERROR_BODY: usize = 16 * 1024;

/// How long the body of an error is waited for.
const ERROR_TIME: Duration = Duration::from_secs(1);

/// The connections of all judges.
pub(crate) struct OpenAi {
    tls: reqwest::Client,
    loopback: reqwest::Client,
    private: reqwest::Client,
}

impl OpenAi {
    pub(crate) fn new() -> Result<Self, String> {
        Self::with(&(Arc::new(SystemLookup) as Arc<dyn Lookup>))
    }

    /// Creates clients that find the addresses of names for plain http with this lookup.
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

    const fn of(&self, network: Network) -> &reqwest::Client {
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
            let endpoint = Endpoint::new(&request)?;
            let http = self.of(request.target.network);
            let (most, part) = (request.most, request.part.clone());
            let service = Bounded { http: http.clone(), most, part: part.clone() };
            let client = Client::build(http.clone(), endpoint).with_http_service(service);
            let answer: Result<Value, OpenAIError> =
                client.chat().create_byot(body_of(&request)).await;
            let read = answer.map_err(told).and_then(|body| Completion::read(&body));
            read.map_err(|error| error.with_salvaged(part.salvaged()))
        })
    }
}

fn body_of(request: &Request<'_>) -> Value {
    let sampling = request.sampling;
    let mut body = json!({
        "model": request.target.model,
        "messages": [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.user},
        ],
        "stream": false,
    });
    let tokens = u64::from(sampling.max_tokens).saturating_mul(u64::from(request.rules));
    // OpenAI has renamed the parameter, and its newer models refuse the old name; other servers
    // know no other.
    let openai = request.target.base_url.starts_with("https://api.openai.com");
    let mut set = |name: &str, value: Value| {
        if let Some(body) = body.as_object_mut() {
            body.insert(name.to_owned(), value);
        }
    };
    set(if openai { "max_completion_tokens" } else { "max_tokens" }, tokens.into());
    if let Some(temperature) = sampling.temperature {
        set("temperature", temperature.into());
    }
    if let Some(seed) = sampling.seed {
        set("seed", seed.saturating_add(i64::from(request.sample)).into());
    }
    match request.format {
        Format::Schema => set(
            "response_format",
            json!({
                "type": "json_schema",
                "json_schema": {"name": "judgement", "strict": true, "schema": request.schema},
            }),
        ),
        Format::JsonObject => set("response_format", json!({"type": "json_object"})),
        Format::Text => {}
    }
    body
}

/// Our own error, if it is one; what the crate itself says may hold what a server sent.
fn told(error: OpenAIError) -> CallError {
    match error {
        OpenAIError::Boxed(inner) => inner.downcast::<Carried>().map_or_else(
            |_| CallError::new(FailureClass::Unreachable, "the request failed"),
            |carried| carried.0,
        ),
        OpenAIError::Reqwest(error) => unreachable(&error),
        OpenAIError::JSONDeserialize(..) => {
            CallError::new(FailureClass::Malformed, "the server's answer is no JSON")
        }
        _ => CallError::new(FailureClass::Malformed, "the request could not be made"),
    }
}

/// What the crate wants to know of an endpoint. Its own type reads the environment and panics at a
/// key that fits in no header.
struct Endpoint {
    base: String,
    headers: HeaderMap,
    // The crate wants to see a key here; the header is made by us.
    key: SecretString,
}

impl Endpoint {
    fn new(request: &Request<'_>) -> Result<Self, CallError> {
        let mut headers = HeaderMap::new();
        if let Some(key) = request.target.key()? {
            let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| {
                CallError::new(FailureClass::Auth, "the key has characters that no header can hold")
            })?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        Ok(Self {
            base: request.target.base_url.clone(),
            headers,
            key: SecretString::from(String::new()),
        })
    }
}

impl Config for Endpoint {
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

/// Sends one request and reads the answer as far as it may go. async-openai itself reads whole
/// bodies, retries, and logs what it cannot read; here it only ever sees a success that is JSON.
#[derive(Clone)]
struct Bounded {
    http: reqwest::Client,
    most: usize,
    part: Part,
}

impl Service<HttpRequestFactory> for Bounded {
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
                let mut error = refused(status, response.headers());
                // Its server may have put an answer there all the same.
                let body = read(&mut response, ERROR_BODY, &this.part);
                let body = tokio::time::timeout(ERROR_TIME, body).await;
                if error.refuses_format()
                    && let Ok(Ok(body)) = body
                    && let Some(name) = parameter(&body)
                {
                    error.detail.push_str(&format!(", about `{name}`"));
                }
                return Err(carried(error));
            }
            let encoded = response.headers().contains_key(CONTENT_ENCODING);
            let body = read(&mut response, this.most, &this.part).await.map_err(carried)?;
            // Read to the last number and character: what the crate cannot read it logs. Of two
            // equal keys it would take one.
            let detail = if encoded {
                Some("the server's answer is compressed, which nobody asked for")
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

async fn read(
    response: &mut reqwest::Response,
    most: usize,
    part: &Part,
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

/// The name of the parameter that an error is about: a word, and so nothing of the question.
fn parameter(body: &[u8]) -> Option<String> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let name = body.pointer("/error/param")?.as_str()?;
    let plain = |c: char| c.is_ascii_lowercase() || matches!(c, '_' | '.');
    (name.len() <= 40 && name.chars().all(plain)).then(|| name.to_owned())
}

fn refused(status: u16, headers: &HeaderMap) -> CallError {
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
    CallError { class, detail, status: Some(status), retry_after, salvaged: None }
}

/// Says at which point it broke, without the address: it may hold a key.
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

/// Whether it was not asked because of where the server is.
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
