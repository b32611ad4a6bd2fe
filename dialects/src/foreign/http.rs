//! Sends the requests of hooks of type `http`.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use hookgate_net::{
    AddressClass, BodyEnd, CheckedResolver, SystemLookup, classify, client_config, host_address,
    plain_client, read_body, system_verifier,
};
use reqwest::{Client, Url};

use super::run::{RawRun, Request, RunEnd};

/// How many bytes of an answer are kept.
const MOST_BODY: usize = 10 * 1024 * 1024;

/// An HTTP client. It is built for the first request; copies share it.
///
/// It follows no redirect. It goes to public, private and loopback addresses, which hooks of agents use,
/// and refuses the rest: the services at which clouds hand out credentials are there.
#[derive(Debug, Clone, Default)]
pub struct HttpClient(Arc<OnceLock<Result<Client, String>>>);

/// An address to which no hook is sent.
#[derive(Debug, thiserror::Error)]
#[error("{0} is {1}: no hook is sent there")]
struct ForbiddenAddress(IpAddr, AddressClass);

impl HttpClient {
    /// Sends a request and reads the answer. It has no time limit of its own.
    pub(super) async fn send(&self, request: &Request) -> RawRun {
        match self.answer(request).await {
            Ok(run) => run,
            Err(why) => RawRun::new(RunEnd::Unreachable(why)),
        }
    }

    async fn answer(&self, request: &Request) -> Result<RawRun, String> {
        let client = self.0.get_or_init(build).as_ref().map_err(Clone::clone)?;
        let url: Url = request.url.parse().map_err(|error| format!("{}: {error}", request.url))?;
        if let Some(address) = url.host_str().and_then(host_address) {
            check(address).map_err(|error| error.to_string())?;
        }
        let mut builder = client.post(url).body(request.body.clone());
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        let mut response = builder.send().await.map_err(|error| explain(&error))?;
        let status = response.status().as_u16();
        let mut body = Vec::new();
        let end = read_body(&mut response, MOST_BODY, |piece| body.extend_from_slice(piece)).await;
        match end {
            BodyEnd::BrokenOff(error) => Err(explain(&error)),
            end => Ok(RawRun {
                is_cut: matches!(end, BodyEnd::TooLong),
                ..RawRun::new(RunEnd::Answered(status)).with_stdout(body)
            }),
        }
    }
}

fn build() -> Result<Client, String> {
    // Without the authorities of the system only `https` fails, and says so.
    let tls = client_config(system_verifier().ok(), None).map_err(|error| error.to_string())?;
    let resolver =
        CheckedResolver::new(Arc::new(SystemLookup), |_host: &str, address| check(address));
    let client = plain_client(tls).no_proxy().dns_resolver(resolver).build();
    client.map_err(|error| error.to_string())
}

fn check(address: IpAddr) -> Result<(), ForbiddenAddress> {
    match classify(address) {
        AddressClass::Public
        | AddressClass::Loopback
        | AddressClass::Private
        | AddressClass::SharedSpace => Ok(()),
        class => Err(ForbiddenAddress(address, class)),
    }
}

/// Returns the innermost reason of an error: the outer ones only repeat the address.
fn explain(error: &reqwest::Error) -> String {
    let mut reason: &dyn std::error::Error = error;
    while let Some(source) = reason.source() {
        reason = source;
    }
    reason.to_string()
}
