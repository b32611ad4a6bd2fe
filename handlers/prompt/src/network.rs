//! Where a request may go: over TLS anywhere, in clear text only within this machine or its private
//! network.
//!
//! Plain http shows the step and the key to every machine on the way, and lets it answer for the model. A
//! name is therefore checked where it is resolved, at each connection, and not once when the config is
//! loaded: it may lead to another address by then.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// The network between a judge and its server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Network {
    /// Any network: TLS protects what goes over it.
    Tls,
    /// This machine, over plain http.
    Loopback,
    /// This machine and private addresses, over plain http: `allow_plain_http = true`.
    Private,
}

impl Network {
    /// Tells whether an address belongs to the network.
    pub(crate) fn has(self, address: IpAddr) -> bool {
        match self {
            Self::Tls => true,
            Self::Loopback => address.is_loopback(),
            Self::Private => address.is_loopback() || is_private(address),
        }
    }
}

/// Returns the address that a host is written as, or `None` for a name. The URL parser has turned all
/// other spellings of an address into this one.
pub(crate) fn literal(host: &str) -> Option<IpAddr> {
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.parse().ok()
}

/// Tells whether an address is private, or of the shared network 100.64.0.0/10 that overlays use.
const fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            address.is_private() || matches!(address.octets(), [100, 64..=127, ..])
        }
        IpAddr::V6(address) => matches!(address.segments(), [0xfc00..=0xfdff, ..]),
    }
}

/// A name resolved only to addresses that plain http may not go to.
#[derive(Debug, thiserror::Error)]
#[error("`{host}` resolves to {address}, and plain http goes to {network} only: use https")]
pub(crate) struct Exposed {
    host: String,
    address: IpAddr,
    network: Network,
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tls => "any address",
            Self::Loopback => "loopback addresses",
            Self::Private => "loopback and private addresses",
        })
    }
}

/// Resolves names. A test replaces it.
pub(crate) trait Lookup: Send + Sync {
    fn lookup(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// The resolver of the system.
pub(crate) struct System;

impl Lookup for System {
    fn lookup(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// A resolver that lets through only the addresses of a network.
pub(crate) struct Checked {
    pub(crate) lookup: Arc<dyn Lookup>,
    pub(crate) network: Network,
}

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let (host, network) = (name.as_str().to_owned(), self.network);
        let lookup = self.lookup.lookup(host.clone());
        Box::pin(async move {
            let (near, far): (Vec<IpAddr>, Vec<IpAddr>) =
                lookup.await?.into_iter().partition(|address| network.has(*address));
            match (near.is_empty(), far.first()) {
                (true, Some(&address)) => Err(Exposed { host, address, network }.into()),
                // Port 0 is replaced by that of the URL.
                _ => Ok(Box::new(near.into_iter().map(|ip| SocketAddr::new(ip, 0))) as Addrs),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_stays_in_the_house() {
        let has = |network: Network, text: &str| network.has(text.parse().unwrap());
        for near in ["127.0.0.1", "127.9.9.9", "::1"] {
            assert!(has(Network::Loopback, near) && has(Network::Private, near), "{near}");
        }
        for private in ["10.0.0.1", "172.16.9.9", "192.168.1.1", "100.64.0.1", "fd00::1"] {
            assert!(
                !has(Network::Loopback, private) && has(Network::Private, private),
                "{private}"
            );
        }
        for far in
            ["93.184.215.14", "169.254.169.254", "::ffff:10.0.0.1", "2606:4700::1", "0.0.0.0"]
        {
            assert!(!has(Network::Private, far) && has(Network::Tls, far), "{far}");
        }
    }
}
