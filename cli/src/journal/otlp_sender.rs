//! Sends the heads of a journal to a collector of OpenTelemetry, over HTTP.

use std::cell::OnceCell;
use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hookgate_net::{
    CheckedResolver, ClientSettings, HttpClient, Proxy, SystemLookup, causes, client_config,
    read_body, system_verifier,
};
use hookgate_store::{Head, HeadPlace, HeadSender, JournalSettings, StoreError};
use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Request, Uri};
use serde_json::Value;
use tokio::runtime::Runtime;
use url::Url;

use super::otlp;

/// How long a collector may take.
const DEADLINE: Duration = Duration::from_secs(2);

/// How much of its answer is read.
const ANSWER: usize = 64 * 1024;

/// Where collectors take logs, if a URL has no path.
const LOGS: &str = "/v1/logs";

/// The variable with headers that a collector asks for, as programs with OpenTelemetry have it: `NAME=VALUE,…`.
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";

/// Sends heads as logs.
pub(super) struct OtlpSender {
    /// Made by the thread that sends, since it must not end where others wait.
    runtime: OnceCell<Runtime>,
    client: HttpClient,
    headers: HeaderMap,
}

impl fmt::Debug for OtlpSender {
    /// The headers may have credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OtlpSender").finish_non_exhaustive()
    }
}

impl OtlpSender {
    /// Makes one for the services of a journal; `None` if there are none.
    ///
    /// # Errors
    /// A URL or a header is none, or TLS cannot be set up.
    pub(super) fn of(settings: &JournalSettings) -> Result<Option<Self>, StoreError> {
        let mut urls = settings.heads.iter().filter_map(|place| match place {
            HeadPlace::Otlp(url) => Some(url),
            _ => None,
        });
        let targets = urls.clone().map(|url| target(url));
        let targets = targets.collect::<Result<Vec<Uri>, String>>().map_err(StoreError::Heads)?;
        if urls.next().is_none() {
            return Ok(None);
        }
        let made = Self::new(targets.iter().any(|uri| uri.scheme_str() == Some("https")));
        made.map(Some).map_err(StoreError::Heads)
    }

    fn new(with_tls: bool) -> Result<Self, String> {
        let tls = with_tls
            .then(|| system_verifier().and_then(|verifier| client_config(verifier, None)))
            .transpose()
            .map_err(|error| error.to_string())?;
        // A collector is where the owner of the journal says, mostly on this machine or in its network.
        let anywhere = |_: &str, _: IpAddr| Ok::<(), Infallible>(());
        let resolver = CheckedResolver::new(Arc::new(SystemLookup), anywhere);
        let mut settings = ClientSettings::new(tls, resolver);
        if with_tls {
            settings.proxy = Proxy::of_environment();
        }
        Ok(Self {
            runtime: OnceCell::new(),
            client: HttpClient::new(settings),
            headers: headers(&std::env::var(HEADERS).unwrap_or_default())?,
        })
    }

    fn runtime(&self) -> io::Result<&Runtime> {
        if let Some(runtime) = self.runtime.get() {
            return Ok(runtime);
        }
        let made = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(self.runtime.get_or_init(|| made))
    }

    async fn post(&self, uri: Uri, body: Vec<u8>) -> Result<(), String> {
        let mut request = Request::post(uri).body(Bytes::from(body)).map_err(|e| e.to_string())?;
        request.headers_mut().extend(self.headers.clone());
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(CONTENT_TYPE, json);
        let mut answer = self.client.send(request).await.map_err(|error| in_full(&error))?;
        if !answer.status().is_success() {
            return Err(format!("it answered {}", answer.status()));
        }
        let mut said = Vec::new();
        read_body(answer.body_mut(), ANSWER, |piece| said.extend_from_slice(piece)).await;
        match refused(&said) {
            None => Ok(()),
            Some(why) => Err(format!("it has refused it: {why}")),
        }
    }
}

impl HeadSender for OtlpSender {
    fn send(&self, url: &str, head: &Head) -> io::Result<()> {
        let uri = target(url).map_err(io::Error::other)?;
        let body = otlp::together(vec![otlp::head(head)]).to_string().into_bytes();
        let sent = self
            .runtime()?
            .block_on(async { tokio::time::timeout(DEADLINE, self.post(uri, body)).await });
        let limit = DEADLINE.as_secs();
        let sent = sent.unwrap_or_else(|_| Err(format!("no answer within {limit} seconds")));
        sent.map_err(io::Error::other)
    }
}

/// Returns where logs go of the URL of a collector.
fn target(url: &str) -> Result<Uri, String> {
    let wrong = |why: String| format!("`{url}` is no URL of a collector: {why}");
    let mut parsed = Url::parse(url).map_err(|error| wrong(error.to_string()))?;
    if !parsed.username().is_empty() || parsed.password().is_some() {
        return Err(wrong(format!("credentials go into the variable {HEADERS}")));
    }
    if parsed.path() == "/" {
        parsed.set_path(LOGS);
    }
    parsed.set_fragment(None);
    parsed.as_str().parse().map_err(|error: http::uri::InvalidUri| wrong(error.to_string()))
}

/// Reads `NAME=VALUE,…`.
fn headers(text: &str) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for one in text.split(',').map(str::trim).filter(|one| !one.is_empty()) {
        // It may hold a credential, so it is not quoted.
        let wrong = || format!("the variable {HEADERS} has no NAME=VALUE at one of its commas");
        let (name, value) = one.split_once('=').ok_or_else(wrong)?;
        let name = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| wrong())?;
        let mut value =
            HeaderValue::from_str(&value.trim().replace("%20", " ")).map_err(|_| wrong())?;
        value.set_sensitive(true);
        headers.append(name, value);
    }
    Ok(headers)
}

/// Returns why a collector has left out the log, if it says so.
fn refused(answer: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    let partial = answer.get("partialSuccess")?;
    let count = partial.get("rejectedLogRecords")?;
    let is_none = count.as_u64() == Some(0) || count.as_str() == Some("0");
    let why = partial.get("errorMessage").and_then(Value::as_str).unwrap_or("it does not say why");
    (!is_none).then(|| why.to_owned())
}

/// Returns an error with its causes: what went wrong is mostly said by the last one.
fn in_full(error: &(dyn std::error::Error + 'static)) -> String {
    causes(error).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_go_to_the_usual_path_unless_the_url_has_another() {
        let to = |url: &str| target(url).map(|uri| uri.to_string());
        assert_eq!(to("http://h:4318").unwrap(), "http://h:4318/v1/logs");
        assert_eq!(to("http://h:4318/").unwrap(), "http://h:4318/v1/logs");
        assert_eq!(to("https://h/otlp/v1/logs?a=b").unwrap(), "https://h/otlp/v1/logs?a=b");
        assert!(to("https://u:p@h/").unwrap_err().contains(HEADERS));
        assert!(to("http://").is_err());
    }

    #[test]
    fn headers_are_read_and_never_shown() {
        let read = headers(" authorization=Bearer%20abc , x-scope=1").unwrap();
        assert_eq!(
            (&read["authorization"], &read["x-scope"]),
            (&"Bearer abc".parse().unwrap(), &"1".parse().unwrap())
        );
        let wrong = headers("authorization").unwrap_err();
        assert!(wrong.contains(HEADERS) && !wrong.contains("authorization"), "{wrong}");
        assert!(!format!("{read:?}").contains("abc"));
    }

    #[test]
    fn a_log_that_was_left_out_is_refused() {
        assert_eq!(refused(b"{}"), None);
        assert_eq!(refused(br#"{"partialSuccess":{"rejectedLogRecords":"0"}}"#), None);
        let text = br#"{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"full"}}"#;
        assert_eq!(refused(text).as_deref(), Some("full"));
    }
}
