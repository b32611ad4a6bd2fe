//! Which requests go to a proxy.

use std::sync::Arc;

use http::Uri;
use hyper_util::client::proxy::matcher::{Intercept, Matcher};

/// The proxy of a client: none, unless one is named.
#[derive(Debug, Clone, Default)]
pub struct Proxy(Option<Arc<Matcher>>);

impl Proxy {
    /// Connections go to the servers themselves, whatever the environment names.
    pub const NONE: Self = Self(None);

    /// All requests go to the proxy at this URL, of the scheme `http` or `https`.
    ///
    /// ```
    /// let proxy = hookgate_net::Proxy::at("http://proxy.example.com:3128");
    /// assert!(proxy.is_named());
    /// ```
    #[must_use]
    pub fn at(url: &str) -> Self {
        Self(Some(Arc::new(Matcher::builder().all(url.to_owned()).build())))
    }

    /// Requests go where the environment says at this moment: `HTTPS_PROXY`, `HTTP_PROXY`,
    /// `ALL_PROXY` and `NO_PROXY`, in capitals or not.
    #[must_use]
    pub fn of_environment() -> Self {
        Self(Some(Arc::new(Matcher::from_env())))
    }

    /// Whether requests may go to a proxy.
    #[must_use]
    pub const fn is_named(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn of(&self, to: &Uri) -> Option<Intercept> {
        self.0.as_ref()?.intercept(to)
    }
}
