//! Resolves names to addresses that were checked.
//!
//! A check of the URL alone is worth little: `policy.example.com` may resolve to 127.0.0.1, and may
//! resolve to another address a second later. So the check is a part of the resolver that the
//! client itself uses. It runs each time a connection is made, and the connection goes to one of
//! the addresses that passed.

#[cfg(test)]
mod tests;

use std::error::Error;
use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper_util::client::legacy::connect::dns::Name;
use tower_service::Service;

use crate::error::BoxError;

/// The future of a [`Lookup`].
pub type LookupFuture = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Finds the addresses of a name.
///
/// Implement it to resolve names in another way than the system does: a service registry, a fixed
/// table, a test. What it answers is checked like any other address, so it cannot widen what a
/// handler may reach.
///
/// ```
/// use hookgate_net::{Lookup, LookupFuture};
///
/// struct Registry;
///
/// impl Lookup for Registry {
///     fn lookup(&self, name: &str) -> LookupFuture {
///         let known = name == "policy.internal";
///         Box::pin(async move {
///             if known { Ok(vec![[10, 0, 0, 7].into()]) } else { Ok(Vec::new()) }
///         })
///     }
/// }
/// ```
pub trait Lookup: Send + Sync {
    /// Returns the addresses of a name; an empty list if it has none.
    ///
    /// # Errors
    /// The future fails if the answer is not known, because a server did not reply for example.
    fn lookup(&self, name: &str) -> LookupFuture;
}

/// Resolves names with the resolver of the system (`getaddrinfo`).
///
/// # Cancel safety
/// The call of the system cannot be interrupted: if the future is dropped, a blocking thread of the
/// runtime stays busy until the system answers, and its answer is thrown away.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemLookup;

impl Lookup for SystemLookup {
    fn lookup(&self, name: &str) -> LookupFuture {
        let name = name.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// The error for a name without an address.
#[derive(Debug, thiserror::Error)]
#[error("`{host}` has no address{cause}")]
pub struct UnresolvedName {
    host: String,
    /// `: ` and the error of the lookup, or empty.
    cause: String,
}

/// Whether a host may have an address.
type Check = dyn Fn(&str, IpAddr) -> Result<(), BoxError> + Send + Sync;

/// The resolver of a client, which lets through only the addresses that pass a check.
///
/// The check gets the host as the URL has it and one address. If a name has several addresses,
/// those that fail are left out; if none is left, the error of the first that failed is returned.
/// A client does not resolve a host that is written as an address, so check that one
/// when the URL is read, with [`host_address`](crate::host_address).
///
/// ```
/// use std::sync::Arc;
///
/// use hookgate_net::{AddressClass, CheckedResolver, SystemLookup, classify};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let public_only = |host: &str, address| match classify(address) {
///     AddressClass::Public => Ok(()),
///     class => Err(std::io::Error::other(format!("`{host}` is {class}"))),
/// };
/// let resolver = CheckedResolver::new(Arc::new(SystemLookup), public_only);
/// let refused = resolver.resolve("localhost").await.unwrap_err();
/// assert_eq!(refused.to_string(), "`localhost` is a loopback address");
/// # }
/// ```
#[derive(Clone)]
pub struct CheckedResolver {
    lookup: Arc<dyn Lookup>,
    check: Arc<Check>,
}

impl fmt::Debug for CheckedResolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckedResolver").finish_non_exhaustive()
    }
}

impl CheckedResolver {
    /// Creates a resolver that uses `lookup` and keeps the addresses that pass `check`.
    pub fn new<C, E>(lookup: Arc<dyn Lookup>, check: C) -> Self
    where
        C: Fn(&str, IpAddr) -> Result<(), E> + Send + Sync + 'static,
        E: Error + Send + Sync + 'static,
    {
        let check = move |host: &str, address| check(host, address).map_err(BoxError::from);
        Self { lookup, check: Arc::new(check) }
    }

    /// Returns the addresses of a name that pass the check: one or more.
    ///
    /// # Errors
    /// [`UnresolvedName`] if the name has none; else what the check said of the first.
    pub async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, BoxError> {
        let unresolved = |cause| UnresolvedName { host: host.to_owned(), cause };
        let found = self.lookup.lookup(host).await;
        let found = found.map_err(|error| unresolved(format!(": {error}")))?;
        let mut allowed = Vec::with_capacity(found.len());
        let mut refused = None;
        for address in found {
            match (self.check)(host, address) {
                Ok(()) => allowed.push(address),
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        if allowed.is_empty() {
            return Err(refused.unwrap_or_else(|| unresolved(String::new()).into()));
        }
        Ok(allowed)
    }
}

impl Service<Name> for CheckedResolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        let resolver = self.clone();
        Box::pin(async move {
            let allowed = resolver.resolve(name.as_str()).await?;
            // Port 0 is replaced by that of the URL.
            let with_port = allowed.into_iter().map(|address| SocketAddr::new(address, 0));
            Ok(with_port.collect::<Vec<_>>().into_iter())
        })
    }
}
