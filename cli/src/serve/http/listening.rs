//! The address that is listened to, and its connections.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::super::http_error::HttpError;
use super::super::http_settings::HttpSettings;
use super::super::own_file::OwnFile;
use super::super::service::Service;
use super::access::Access;
use super::callers::Callers;
use super::opa::Opa;
use super::routes::router;
use super::shared::Shared;
use super::{tls, token};

/// How long the beginning of a request may take, and a connection be open on which none comes.
const HEADER_TIME: Duration = Duration::from_secs(30);

/// How many connections there may be for each caller that there may be.
const CONNECTIONS: usize = 4;

/// An address that is listened to.
pub(crate) struct HttpListening {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<TlsAcceptor>,
    access: Arc<Access>,
    /// The file of a token that was drawn.
    token: Option<OwnFile>,
    shared: Arc<Shared>,
}

/// Listens on an address. Nothing is answered yet.
///
/// # Errors
/// The address is open to others without TLS, a file is not as it must be, or a guard would not be enforced.
pub(crate) async fn listen_http(
    settings: HttpSettings,
    service: &Arc<Service>,
) -> Result<HttpListening, HttpError> {
    let HttpSettings { address, tls, token_file, idle, opa } = settings;
    if tls.is_none() && !address.ip().is_loopback() {
        return Err(HttpError::OpenAddress(address));
    }
    let tls = tls.map(|(certificate, key)| tls::read(&certificate, &key)).transpose()?;
    let (tls, certificate) = tls.unzip();
    let opa = opa.map(|accepted| Opa::new(service, accepted, idle).map_err(HttpError::Opa));
    let opa = opa.transpose()?;
    let unreachable = |error| HttpError::Address(address, error);
    let listener = TcpListener::bind(address).await.map_err(unreachable)?;
    let address = listener.local_addr().map_err(unreachable)?;
    let (read, token) = match token_file {
        Some(path) => (token::read(&path)?, None),
        None => {
            let (read, file) = token::draw(address)?;
            (read, Some(file))
        }
    };
    let access = Arc::new(Access { token: read, certificate });
    let shared = Arc::new(Shared {
        service: Arc::clone(service),
        callers: Callers::new(Arc::clone(service), idle),
        unnamed: Semaphore::new(service.limits.in_flight),
        opa,
    });
    Ok(HttpListening { listener, address, tls: tls.map(TlsAcceptor::from), access, token, shared })
}

impl HttpListening {
    /// Returns the URL that it is reached by.
    pub(crate) fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.address)
    }

    /// Returns the file of the token, if it was drawn.
    pub(crate) fn token_file(&self) -> Option<&Path> {
        self.token.as_ref().map(OwnFile::path)
    }

    /// Answers requests, until the server ends and all are answered.
    pub(crate) async fn serve(self) {
        let Self { listener, tls, access, shared, token, .. } = self;
        let service = &shared.service;
        let router = router(&shared, access);
        let places = Arc::new(Semaphore::new(service.limits.callers.saturating_mul(CONNECTIONS)));
        let mut ended = service.ended();
        let mut connections = JoinSet::new();
        let idle = async {
            let opa = async {
                if let Some(opa) = &shared.opa {
                    opa.end_idle().await;
                }
            };
            tokio::join!(shared.callers.end_idle(), opa);
        };
        let accepting = async {
            loop {
                let accepted = tokio::select! {
                    biased;
                    _ = ended.wait_for(|ended| *ended) => break,
                    accepted = listener.accept() => accepted,
                };
                while connections.try_join_next().is_some() {}
                let stream = match accepted {
                    Ok((stream, _)) => stream,
                    // Too many open files: some are closed before the next look.
                    Err(_) => {
                        tokio::time::sleep(Duration::from_millis(20)).await;
                        continue;
                    }
                };
                // One more is closed unread.
                let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
                let (tls, router, service) = (tls.clone(), router.clone(), Arc::clone(service));
                connections.spawn(async move {
                    connection(stream, tls, router, service).await;
                    drop(place);
                });
            }
        };
        tokio::select! {
            () = idle => {}
            () = accepting => {}
        }
        // Nobody waits in vain for what is not answered any more.
        drop(listener);
        while connections.join_next().await.is_some() {}
        shared.callers.end_all().await;
        drop(token);
    }
}

async fn connection(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    router: Router,
    service: Arc<Service>,
) {
    // An answer is small, and is waited for.
    let _ = stream.set_nodelay(true);
    let Some(tls) = tls else { return requests(stream, router, service).await };
    let mut ended = service.ended();
    let stream = tokio::select! {
        stream = timeout(HEADER_TIME, tls.accept(stream)) => stream,
        _ = ended.wait_for(|ended| *ended) => return,
    };
    if let Ok(Ok(stream)) = stream {
        requests(stream, router, service).await;
    }
}

async fn requests(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    router: Router,
    service: Arc<Service>,
) {
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    tokio::pin!(connection);
    let mut ended = service.ended();
    tokio::select! {
        // What is wrong with it, its host is told by its end.
        _ = connection.as_mut() => return,
        _ = ended.wait_for(|ended| *ended) => {}
    }
    // What has begun is answered, to a host that reads it.
    connection.as_mut().graceful_shutdown();
    let _ = timeout(service.limits.close, connection).await;
}
