//! A port at which nobody listens.

use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket};

/// A port of the loopback at which nobody listens, for as long as this is kept: it is taken. A port
/// that was only free a moment ago may be that of another test by now.
pub struct UnusedPort(TcpSocket);

impl Default for UnusedPort {
    fn default() -> Self {
        Self::new()
    }
}

impl UnusedPort {
    pub fn new() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        Self(socket)
    }

    pub fn address(&self) -> SocketAddr {
        self.0.local_addr().unwrap()
    }

    pub fn port(&self) -> u16 {
        self.address().port()
    }

    /// The address of a model that is not there.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address())
    }

    /// From now on somebody does.
    pub fn listen(self) -> TcpListener {
        self.0.listen(16).unwrap()
    }
}
