//! Makes one connection: directly or over a proxy, in clear text or over TLS, within its time.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use http::uri::Scheme;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use rustls::ClientConfig;
use tower_service::Service;

use crate::error::{BoxError, ConnectTimeout};
use crate::proxy::Proxy;
use crate::resolve::CheckedResolver;

type Connecting = Pin<Box<dyn Future<Output = Result<Stream, BoxError>> + Send>>;

/// Makes the connections of a client.
#[derive(Clone)]
pub(crate) struct Connector {
    hop: Hop,
    proxy: Proxy,
    timeout: Option<Duration>,
}

impl Connector {
    pub(crate) fn new(
        resolver: CheckedResolver,
        tls: Option<ClientConfig>,
        proxy: Proxy,
        timeout: Option<Duration>,
    ) -> Self {
        let mut tcp = HttpConnector::new_with_resolver(resolver);
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        Self { hop: Hop { tcp, tls: tls.map(Arc::new) }, proxy, timeout }
    }

    async fn connect(mut self, to: Uri) -> Result<Stream, BoxError> {
        let Some(proxy) = self.proxy.of(&to) else { return self.hop.call(to).await };
        if to.scheme() != Some(&Scheme::HTTPS) {
            let stream = self.hop.call(proxy.uri().clone()).await?;
            return Ok(Stream { proxied: true, ..stream });
        }
        let tls = self.hop.tls.clone().ok_or(NoTls)?;
        let mut tunnel = Tunnel::new(proxy.uri().clone(), self.hop);
        if let Some(credentials) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(credentials.clone());
        }
        let stream = HttpsConnector::from((tunnel, tls)).call(to).await?;
        Ok(Stream::direct(stream))
    }
}

impl Service<Uri> for Connector {
    type Response = Stream;
    type Error = BoxError;
    type Future = Connecting;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, to: Uri) -> Connecting {
        let this = self.clone();
        Box::pin(async move {
            let Some(limit) = this.timeout else { return this.connect(to).await };
            let connected = tokio::time::timeout(limit, this.connect(to)).await;
            connected.unwrap_or_else(|_| Err(ConnectTimeout(limit).into()))
        })
    }
}

/// The error for an address of `https` that a client for plain http is asked to reach.
#[derive(Debug, thiserror::Error)]
#[error("this client has no TLS, and the address begins with https://")]
struct NoTls;

/// The error for a proxy of the environment that is of another kind, such as `socks5`.
#[derive(Debug, thiserror::Error)]
#[error("the address of the proxy begins neither with http:// nor with https://")]
struct OtherScheme;

/// Makes a connection to the host of an address itself.
#[derive(Clone)]
struct Hop {
    tcp: HttpConnector<CheckedResolver>,
    tls: Option<Arc<ClientConfig>>,
}

impl Service<Uri> for Hop {
    type Response = Stream;
    type Error = BoxError;
    type Future = Connecting;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, to: Uri) -> Connecting {
        let Self { mut tcp, tls } = self.clone();
        Box::pin(async move {
            match (to.scheme_str(), tls) {
                (Some("http"), _) => Ok(Stream::direct(tcp.call(to).await?)),
                (Some("https"), Some(tls)) => {
                    Ok(Stream::direct(HttpsConnector::from((tcp, tls)).call(to).await?))
                }
                (Some("https"), None) => Err(NoTls.into()),
                // The address of a proxy; those of servers are checked when they are read.
                _ => Err(OtherScheme.into()),
            }
        })
    }
}

/// The two directions of a connection.
trait Duplex: Read + Write + Send + Unpin {}

impl<T: Read + Write + Send + Unpin> Duplex for T {}

/// A connection.
pub(crate) struct Stream {
    io: Box<dyn Duplex>,
    /// Whether a proxy reads the requests, which names the server in the first line then.
    proxied: bool,
}

impl Stream {
    fn direct(io: impl Duplex + 'static) -> Self {
        Self { io: Box::new(io), proxied: false }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("proxied", &self.proxied).finish_non_exhaustive()
    }
}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        Connected::new().proxy(self.proxied)
    }
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, buffer)
    }
}

impl Write for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(context, slices)
    }
}
