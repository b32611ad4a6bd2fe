//! How a name becomes addresses: each is checked, and what was checked is connected to.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::endpoint::Endpoint;

/// The addresses of a name, later.
pub type LookupFuture = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Something that knows the addresses of names.
///
/// Whatever it answers is checked before anything is connected.
pub trait Lookup: Send + Sync {
    /// The addresses of a name.
    fn lookup(&self, name: &str) -> LookupFuture;
}

/// The resolver of the system. It cannot be told to stop: where a hook is given up while it looks,
/// a thread of the runtime stays with it until it has an answer.
pub(crate) struct System;

impl Lookup for System {
    fn lookup(&self, name: &str) -> LookupFuture {
        let name = name.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// A name without an address.
#[derive(Debug, thiserror::Error)]
#[error("`{host}` has no address{cause}")]
pub(crate) struct Unresolved {
    host: String,
    cause: String,
}

/// Lets through the addresses that the endpoint may have.
pub(crate) struct Checked {
    pub(crate) lookup: Arc<dyn Lookup>,
    pub(crate) endpoint: Endpoint,
    /// Whether the host of a proxy is to be found too. That is what the operator named, and the
    /// rules are not for it.
    pub(crate) proxied: bool,
}

impl Resolve for Checked {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_owned();
        let lookup = self.lookup.lookup(&host);
        let of_proxy = self.proxied && !host.eq_ignore_ascii_case(self.endpoint.host());
        let endpoint = (!of_proxy).then(|| self.endpoint.clone());
        Box::pin(async move {
            let found = lookup
                .await
                .map_err(|error| Unresolved { host: host.clone(), cause: format!(": {error}") })?;
            let mut allowed = Vec::with_capacity(found.len());
            let mut blocked = None;
            for address in found {
                match endpoint.as_ref().map_or(Ok(()), |endpoint| endpoint.check(address)) {
                    // Port 0 is replaced by that of the URL.
                    Ok(()) => allowed.push(SocketAddr::new(address, 0)),
                    Err(problem) => blocked = blocked.or(Some(problem)),
                }
            }
            match (allowed.is_empty(), blocked) {
                (false, _) => Ok(Box::new(allowed.into_iter()) as Addrs),
                (true, Some(blocked)) => Err(blocked.into()),
                (true, None) => Err(Unresolved { host, cause: String::new() }.into()),
            }
        })
    }
}
