//! Fetches a pack from a URL: over https, or over http from this machine itself.
//!
//! It is a plain GET without credentials, of at most as many bytes as a config may have, and what comes is kept
//! only if it has the hash that was pinned.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hookgate::config::PackReference;
use hookgate::contract::file;
use hookgate_net::{
    AddressClass, BodyEnd, CheckedResolver, ClientSettings, HttpClient, Proxy, SystemLookup,
    causes, classify, client_config, host_address, read_body, system_verifier,
};
use http::Request;
use url::Url;

use super::cache::{Cache, CacheError};
use super::hash_of;

/// How long it may take.
const DEADLINE: Duration = Duration::from_secs(30);

/// Why a pack was not fetched.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    /// The URL is none, or one that may not be used.
    #[error("{0}")]
    Url(String),
    /// The host may not be asked.
    #[error("`{host}` is {class}: packs come over https, or over http from this machine itself")]
    Address {
        /// The host.
        host: String,
        /// What its address is.
        class: AddressClass,
    },
    /// No answer, or none that can be used.
    #[error("{0}")]
    Answer(String),
    /// It is another pack.
    #[error("it is another one: its hash is sha256:{0}")]
    OtherHash(String),
    /// It cannot be kept.
    #[error(transparent)]
    Cache(#[from] CacheError),
}

/// Tells whether a pack is elsewhere, and not a file.
pub(crate) fn is_url(place: &str) -> bool {
    place.contains("://")
}

/// Fetches a pack, and keeps it. Returns where.
///
/// # Errors
/// It cannot be fetched, is another one, or cannot be kept.
pub(crate) async fn fetch(pack: &PackReference) -> Result<PathBuf, FetchError> {
    let cache = Cache::of_user()?;
    let bytes = get(pack.place()).await?;
    let hash = hash_of(&bytes);
    if hash != pack.hash() {
        return Err(FetchError::OtherHash(hash));
    }
    Ok(cache.keep(&bytes)?)
}

async fn get(place: &str) -> Result<Vec<u8>, FetchError> {
    let url =
        Url::parse(place).map_err(|error| FetchError::Url(format!("it is no URL: {error}")))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(FetchError::Url(format!("packs do not come by `{}`: use https", url.scheme())));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(FetchError::Url(
            "a pack is fetched without credentials: leave name and password out".into(),
        ));
    }
    let is_https = url.scheme() == "https";
    let host = url.host_str().unwrap_or_default().to_owned();
    let address = host_address(&host);
    if let Some(address) = address {
        check(&host, address, is_https)?;
    }
    let tls = if is_https {
        let tls = system_verifier().and_then(|verifier| client_config(verifier, None));
        Some(tls.map_err(|error| FetchError::Answer(error.to_string()))?)
    } else {
        None
    };
    let resolver = CheckedResolver::new(Arc::new(SystemLookup), move |host: &str, address| {
        check(host, address, is_https)
    });
    let mut settings = ClientSettings::new(tls, resolver);
    if is_https {
        settings.proxy = Proxy::of_environment();
    }
    let request = Request::get(url.as_str())
        .body(Bytes::new())
        .map_err(|error| FetchError::Url(format!("it is no URL: {error}")))?;
    let got = tokio::time::timeout(DEADLINE, answer_to(&HttpClient::new(settings), request)).await;
    got.unwrap_or_else(|_| {
        let limit = DEADLINE.as_secs();
        Err(FetchError::Answer(format!("it did not come within {limit} seconds")))
    })
}

/// Sends a request, and returns the body of a good answer.
async fn answer_to(client: &HttpClient, request: Request<Bytes>) -> Result<Vec<u8>, FetchError> {
    let answer = client.send(request).await;
    let mut answer = answer.map_err(|error| FetchError::Answer(in_full(&error)))?;
    let status = answer.status();
    if status.is_redirection() {
        let to = answer.headers().get("location").and_then(|to| to.to_str().ok());
        let to = to.map(|to| format!(" to {to}")).unwrap_or_default();
        return Err(FetchError::Answer(format!(
            "it was moved{to}: no redirect is followed, name that place"
        )));
    }
    if !status.is_success() {
        return Err(FetchError::Answer(format!("the server answered {status}")));
    }
    let mut bytes = Vec::new();
    let limit = usize::try_from(file::LIMIT).unwrap_or(usize::MAX);
    match read_body(answer.body_mut(), limit, |piece| bytes.extend_from_slice(piece)).await {
        BodyEnd::Whole => Ok(bytes),
        BodyEnd::TooLong => Err(FetchError::Answer(format!("it is larger than {limit} bytes"))),
        BodyEnd::BrokenOff(error) => Err(FetchError::Answer(in_full(&*error))),
        _ => Err(FetchError::Answer("the answer is not whole".to_owned())),
    }
}

/// A pack says nothing secret and is known by its hash, so a server of the own network may have it. No other
/// special address is ever asked: those are of machines, not of people who share files.
fn check(host: &str, address: IpAddr, is_https: bool) -> Result<(), FetchError> {
    let class = classify(address);
    let may = match class {
        AddressClass::Loopback => true,
        AddressClass::Public | AddressClass::Private | AddressClass::SharedSpace => is_https,
        _ => false,
    };
    if may { Ok(()) } else { Err(FetchError::Address { host: host.to_owned(), class }) }
}

/// Returns an error with its causes: what went wrong is mostly said by the last one.
fn in_full(error: &(dyn std::error::Error + 'static)) -> String {
    causes(error).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
