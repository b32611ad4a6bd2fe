//! A client of HTTP/1.1 that does nothing by itself.
//!
//! It stands on hyper and rustls and on no client with more in it. Cargo unifies features: what a handler turned
//! on in such a client, say TLS without a provider, would be turned on for the host's own requests.

use std::time::Duration;

use bytes::Bytes;
use http::header::PROXY_AUTHORIZATION;
use http::{Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::ClientConfig;

use crate::connect::Connector;
use crate::error::SendError;
use crate::proxy::Proxy;
use crate::resolve::CheckedResolver;

/// How a client connects.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ClientSettings {
    /// The TLS of `https`; a client without it speaks plain http only.
    pub tls: Option<ClientConfig>,
    /// Finds and checks the addresses of names.
    pub resolver: CheckedResolver,
    /// The proxy; none from the start.
    pub proxy: Proxy,
    /// How long a connection may take, with its TLS; no bound from the start.
    pub connect_timeout: Option<Duration>,
    /// How many idle connections to one server are kept; 32 from the start.
    pub max_idle: usize,
}

impl ClientSettings {
    /// Returns settings without a proxy and without a bound on the time of connecting.
    #[must_use]
    pub const fn new(tls: Option<ClientConfig>, resolver: CheckedResolver) -> Self {
        Self { tls, resolver, proxy: Proxy::NONE, connect_timeout: None, max_idle: 32 }
    }
}

/// A client with connections that are kept between requests. Copies share them.
///
/// * Redirects are not followed: a step must not go to where an answer points.
/// * A request that was sent is not repeated: whether a second attempt is safe is for the handler to know.
/// * Answers are not decompressed: a small one could become one of any size.
/// * No header is added but `host`, `content-length` and, for a proxy with a password,
///   `proxy-authorization`.
#[derive(Debug, Clone)]
pub struct HttpClient {
    requests: legacy::Client<Connector, Full<Bytes>>,
    proxy: Proxy,
}

impl HttpClient {
    /// Creates a client. It connects at its first request.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use hookgate_net::{CheckedResolver, ClientSettings, HttpClient, SystemLookup};
    ///
    /// let anywhere = |_: &str, _| Ok::<(), std::io::Error>(());
    /// let resolver = CheckedResolver::new(Arc::new(SystemLookup), anywhere);
    /// let plain_http = HttpClient::new(ClientSettings::new(None, resolver));
    /// # drop(plain_http);
    /// ```
    #[must_use]
    pub fn new(settings: ClientSettings) -> Self {
        let ClientSettings { tls, resolver, proxy, connect_timeout, max_idle } = settings;
        let connector = Connector::new(resolver, tls, proxy.clone(), connect_timeout);
        let requests = legacy::Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_max_idle_per_host(max_idle)
            .build(connector);
        Self { requests, proxy }
    }

    /// Sends a request, and returns the answer as soon as its head is there. The whole has no time
    /// limit.
    ///
    /// # Errors
    /// Why no answer arrived. A status is an answer, whichever it is.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    ///
    /// # Cancel safety
    /// If the future is dropped, the connection is closed. The server may have got the request.
    pub async fn send(&self, mut request: Request<Bytes>) -> Result<Response<Incoming>, SendError> {
        // Over TLS the credentials go to the proxy alone, with the request for the tunnel.
        if request.uri().scheme_str() == Some("http")
            && let Some(proxy) = self.proxy.of(request.uri())
            && let Some(credentials) = proxy.basic_auth()
        {
            request.headers_mut().insert(PROXY_AUTHORIZATION, credentials.clone());
        }
        Ok(self.requests.request(request.map(Full::new)).await?)
    }
}
