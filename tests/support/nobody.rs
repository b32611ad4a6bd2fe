//! A port at which nobody listens.

#![allow(dead_code, reason = "each test uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket};

/// A port of the loopback at which nobody listens, for as long as this is kept: it is taken. A port
/// that was only free a moment ago may be that of another test by now.
pub(crate) struct Nobody(TcpSocket);

impl Nobody {
    pub(crate) fn new() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        Self(socket)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.0.local_addr().unwrap()
    }

    pub(crate) fn port(&self) -> u16 {
        self.address().port()
    }

    /// The address of a model that is not there.
    pub(crate) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address())
    }

    /// From now on somebody does.
    pub(crate) fn listen(self) -> TcpListener {
        self.0.listen(16).unwrap()
    }
}
