//! The host that has started this process, on stdin and stdout.
//!
//! Where these are pipes or sockets, as a host makes them, they are waited for as such: a thread that reads and writes in
//! between would cost each request more than its judgement.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileTypeExt as _;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{UnixStream, unix::pipe};

use super::connection;
use super::service::Service;

/// Serves the host until stdin ends, or the server does.
///
/// # Errors
/// A stream cannot be used.
pub(crate) async fn stdio(service: Arc<Service>) -> io::Result<()> {
    let (stdin, stdout) = (reader()?, writer()?);
    connection::serve(service, stdin, stdout).await;
    Ok(())
}

fn reader() -> io::Result<Box<dyn AsyncRead + Send + Unpin>> {
    let stdin = io::stdin();
    Ok(match kind(stdin.as_fd())? {
        Kind::Pipe(fd) => Box::new(pipe::Receiver::from_owned_fd(fd)?),
        Kind::Socket(fd) => Box::new(socket(fd)?),
        Kind::Other => Box::new(tokio::io::stdin()),
    })
}

fn writer() -> io::Result<Box<dyn AsyncWrite + Send + Unpin>> {
    let stdout = io::stdout();
    Ok(match kind(stdout.as_fd())? {
        Kind::Pipe(fd) => Box::new(pipe::Sender::from_owned_fd(fd)?),
        Kind::Socket(fd) => Box::new(socket(fd)?),
        Kind::Other => Box::new(tokio::io::stdout()),
    })
}

enum Kind {
    Pipe(OwnedFd),
    Socket(OwnedFd),
    Other,
}

fn kind(fd: impl AsFd) -> io::Result<Kind> {
    let file = std::fs::File::from(fd.as_fd().try_clone_to_owned()?);
    let found = file.metadata()?.file_type();
    let fd = OwnedFd::from(file);
    Ok(if found.is_fifo() {
        Kind::Pipe(fd)
    } else if found.is_socket() {
        Kind::Socket(fd)
    } else {
        Kind::Other
    })
}

fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let stream = std::os::unix::net::UnixStream::from(fd);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}
