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

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

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

/// A resolver for `reqwest` that lets through only the addresses that pass a check.
///
/// The check gets the host as the URL has it and one address. If a name has several addresses,
/// those that fail are left out; if none is left, the error of the first that failed is returned.
/// `reqwest` does not resolve a host that is written as an address, so check that one
/// when the URL is read, with [`host_address`](crate::host_address).
///
/// ```
/// use std::sync::Arc;
///
/// use hookgate_net::{AddressClass, CheckedResolver, SystemLookup, classify};
/// use reqwest::dns::Resolve;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let public_only = |host: &str, address| match classify(address) {
///     AddressClass::Public => Ok(()),
///     class => Err(std::io::Error::other(format!("`{host}` is {class}"))),
/// };
/// let resolver = CheckedResolver::new(Arc::new(SystemLookup), public_only);
/// let refused = resolver.resolve("localhost".parse().unwrap()).await.err().unwrap();
/// assert_eq!(refused.to_string(), "`localhost` is a loopback address");
/// # }
/// ```
pub struct CheckedResolver<C> {
    lookup: Arc<dyn Lookup>,
    check: Arc<C>,
}

impl<C> fmt::Debug for CheckedResolver<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckedResolver").finish_non_exhaustive()
    }
}

impl<C, E> CheckedResolver<C>
where
    C: Fn(&str, IpAddr) -> Result<(), E> + Send + Sync + 'static,
    E: Error + Send + Sync + 'static,
{
    /// Creates a resolver that uses `lookup` and keeps the addresses that pass `check`.
    pub fn new(lookup: Arc<dyn Lookup>, check: C) -> Self {
        Self { lookup, check: Arc::new(check) }
    }
}

impl<C, E> Resolve for CheckedResolver<C>
where
    C: Fn(&str, IpAddr) -> Result<(), E> + Send + Sync + 'static,
    E: Error + Send + Sync + 'static,
{
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_owned();
        let lookup = self.lookup.lookup(&host);
        let check = Arc::clone(&self.check);
        Box::pin(async move {
            let found = lookup.await.map_err(|error| UnresolvedName {
                host: host.clone(),
                cause: format!(": {error}"),
            })?;
            let mut allowed = Vec::with_capacity(found.len());
            let mut refused = None;
            for address in found {
                match check(&host, address) {
                    // Port 0 is replaced by that of the URL.
                    Ok(()) => allowed.push(SocketAddr::new(address, 0)),
                    Err(error) => refused = refused.or(Some(error)),
                }
            }
            match (allowed.is_empty(), refused) {
                (false, _) => Ok(Box::new(allowed.into_iter()) as Addrs),
                (true, Some(error)) => Err(error.into()),
                (true, None) => Err(UnresolvedName { host, cause: String::new() }.into()),
            }
        })
    }
}
