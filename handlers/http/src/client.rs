//! The connections of a hook.
//!
//! Each hook has a client of its own, because its TLS settings and its address rules are its own.
//! Connections are kept open between calls, so a call costs one round trip as a rule. HTTP/1.1 only:
//! a hook sends one request at a time per connection, and HTTP/2 would share one connection, with
//! its flow control, among all sessions of the host.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use hookgate_net::{CheckedResolver, Lookup, plain_client};
use reqwest::Client;
use rustls::ClientConfig;

use crate::endpoint::Endpoint;
use crate::proxy::ProxyChoice;

/// How many idle connections are kept for the next requests. More are opened as needed.
const MAX_IDLE: usize = 32;

/// Returns a client that connects only to addresses that the endpoint may have.
pub(crate) fn connect_only_to(
    endpoint: &Endpoint,
    lookup: Arc<dyn Lookup>,
    tls: ClientConfig,
    proxy: ProxyChoice,
    connect_timeout: Duration,
) -> Option<Client> {
    let (checked, proxied) = (endpoint.clone(), proxy.uses_proxy());
    let check = move |host: &str, address: IpAddr| {
        let is_proxy = proxied && !host.eq_ignore_ascii_case(checked.authority.host());
        if is_proxy { Ok(()) } else { checked.check(address) }
    };
    let builder = plain_client(tls)
        .dns_resolver(CheckedResolver::new(lookup, check))
        .connect_timeout(connect_timeout)
        .pool_max_idle_per_host(MAX_IDLE)
        .http1_only();
    match proxy {
        ProxyChoice::Direct => builder.no_proxy(),
        ProxyChoice::Environment => builder,
        ProxyChoice::Named(proxy) => builder.no_proxy().proxy(*proxy),
    }
    .build()
    .ok()
}
