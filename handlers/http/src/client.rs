//! The connections of a hook.

use std::sync::Arc;
use std::time::Duration;

use hookgate_contract::settings::Settings;
use reqwest::{Client, ClientBuilder, Proxy, Url, redirect, retry};
use rustls::ClientConfig;

use crate::endpoint::Endpoint;
use crate::resolve::{Checked, Lookup};

/// How many connections wait for the next request. More come and go as needed.
const IDLE: usize = 32;

/// Which proxy is used.
pub(crate) enum Via {
    Nobody,
    /// What the environment names.
    Environment,
    Named(Box<Proxy>),
}

impl Via {
    /// Reads `proxy`.
    pub(crate) fn read(settings: &mut Settings<'_>) -> Option<Self> {
        let Some(text) = settings.text("proxy") else { return Some(Self::Nobody) };
        if text == "env" {
            return Some(Self::Environment);
        }
        let named = named(text);
        named
            .map_err(|problem| settings.invalid("proxy", problem))
            .ok()
            .map(|proxy| Self::Named(Box::new(proxy)))
    }

    const fn is_somebody(&self) -> bool {
        !matches!(self, Self::Nobody)
    }
}

fn named(text: &str) -> Result<Proxy, &'static str> {
    const WRONG: &str = "it is neither `env` nor a URL such as http://proxy.example.com:3128";
    let url = Url::parse(text).map_err(|_| WRONG)?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(WRONG);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a password does not belong in a config: use `env`, with HTTPS_PROXY set");
    }
    Proxy::all(url).map_err(|_| WRONG)
}

/// A client that goes where the endpoint may go.
pub(crate) fn client(
    endpoint: &Endpoint,
    lookup: Arc<dyn Lookup>,
    tls: ClientConfig,
    via: Via,
    connect_timeout: Duration,
) -> Option<Client> {
    let checked = Checked { lookup, endpoint: endpoint.clone(), proxied: via.is_somebody() };
    let builder = plain(Client::builder())
        .tls_backend_preconfigured(tls)
        .dns_resolver(checked)
        .connect_timeout(connect_timeout)
        .pool_max_idle_per_host(IDLE);
    match via {
        Via::Nobody => builder.no_proxy(),
        Via::Environment => builder,
        Via::Named(proxy) => builder.no_proxy().proxy(*proxy),
    }
    .build()
    .ok()
}

/// Turns off all that a client does by itself. Another crate of the program may have compiled in
/// more of it than this one asked for.
fn plain(builder: ClientBuilder) -> ClientBuilder {
    builder
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .referer(false)
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .no_hickory_dns()
        .http1_only()
        .tcp_nodelay(true)
}
