//! Where a request may go: over TLS anywhere, in clear text only within this machine or its private
//! network.
//!
//! Plain http shows the step and the key to every machine on the way, and lets it answer for the model. A
//! name is therefore checked where it is resolved, at each connection, and not once when the config is
//! loaded: it may lead to another address by then.

use std::fmt;
use std::net::IpAddr;

use hookgate_net::{AddressClass, classify};

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
            Self::Loopback => classify(address) == AddressClass::Loopback,
            Self::Private => matches!(
                classify(address),
                AddressClass::Loopback | AddressClass::Private | AddressClass::SharedSpace
            ),
        }
    }

    /// Checks whether a host may have this address.
    ///
    /// # Errors
    /// Says which address plain http may not go to.
    pub(crate) fn check(self, host: &str, address: IpAddr) -> Result<(), Exposed> {
        if self.has(address) {
            return Ok(());
        }
        Err(Exposed { host: host.to_owned(), address, network: self })
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
