//! The connections of a hook.
//!
//! Each hook has a client of its own, because its TLS settings and its address rules are its own.
//! Connections are kept open between calls, so a call costs one round trip as a rule. HTTP/1.1 only:
//! a hook sends one request at a time per connection, and HTTP/2 would share one connection, with
//! its flow control, among all sessions of the host.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use hookgate_net::{CheckedResolver, ClientSettings, HttpClient, Lookup, Proxy};
use rustls::ClientConfig;

use crate::endpoint::Endpoint;

/// Returns a client that connects only to addresses that the endpoint may have.
pub(crate) fn connect_only_to(
    endpoint: &Endpoint,
    lookup: Arc<dyn Lookup>,
    tls: Option<ClientConfig>,
    proxy: Proxy,
    connect_timeout: Duration,
) -> HttpClient {
    let (checked, proxied) = (endpoint.clone(), proxy.is_named());
    let check = move |host: &str, address: IpAddr| {
        let is_proxy = proxied && !host.eq_ignore_ascii_case(checked.authority.host());
        if is_proxy { Ok(()) } else { checked.check(address) }
    };
    let mut settings = ClientSettings::new(tls, CheckedResolver::new(lookup, check));
    settings.proxy = proxy;
    settings.connect_timeout = Some(connect_timeout);
    HttpClient::new(settings)
}
