//! Pipes and sockets of a host on Unix, which tokio waits for without a thread.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileTypeExt as _;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{UnixStream, unix::pipe};

pub(super) fn reader() -> io::Result<Box<dyn AsyncRead + Send + Unpin>> {
    let stdin = io::stdin();
    Ok(match kind(stdin.as_fd())? {
        Kind::Pipe(fd) => Box::new(pipe::Receiver::from_owned_fd(fd)?),
        Kind::Socket(fd) => Box::new(socket(fd)?),
        Kind::Other => Box::new(tokio::io::stdin()),
    })
}

pub(super) fn writer() -> io::Result<Box<dyn AsyncWrite + Send + Unpin>> {
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
