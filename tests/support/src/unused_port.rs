//! A port at which nothing listens.

use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket};

/// A port of the loopback at which nothing listens. It stays bound as long as this value lives: a
/// port that was free a moment ago may belong to another test by now.
pub struct UnusedPort(TcpSocket);

impl Default for UnusedPort {
    fn default() -> Self {
        Self::new()
    }
}

impl UnusedPort {
    /// Binds a free port.
    pub fn new() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        Self(socket)
    }

    /// Returns the address.
    pub fn address(&self) -> SocketAddr {
        self.0.local_addr().unwrap()
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.address().port()
    }

    /// Returns the base URL of a model server at the port.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address())
    }

    /// Starts to listen at the port.
    pub fn listen(self) -> TcpListener {
        self.0.listen(16).unwrap()
    }
}
