//! The host that has started this process, on stdin and stdout.
//!
//! Where these are pipes or sockets, as a host makes them, they are waited for as such: a thread that reads and writes in
//! between would cost each request more than its judgement.

use std::io;
use std::sync::Arc;

use super::connection;
use super::service::Service;

#[cfg(unix)]
#[path = "stdio/pipes.rs"]
mod streams;

/// Serves the host until stdin ends, or the server does.
///
/// # Errors
/// A stream cannot be used.
pub(crate) async fn stdio(service: Arc<Service>) -> io::Result<()> {
    let (stdin, stdout) = (streams::reader()?, streams::writer()?);
    connection::serve(service, stdin, stdout).await;
    Ok(())
}

/// Another system has no pipes that tokio can wait for.
#[cfg(not(unix))]
mod streams {
    use std::io;

    use tokio::io::{AsyncRead, AsyncWrite};

    pub(super) fn reader() -> io::Result<impl AsyncRead + Send + Unpin> {
        Ok(tokio::io::stdin())
    }

    pub(super) fn writer() -> io::Result<impl AsyncWrite + Send + Unpin> {
        Ok(tokio::io::stdout())
    }
}
