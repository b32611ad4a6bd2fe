//! Sends the requests of hooks of type `http`.

use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use hookgate_net::{
    AddressClass, BodyEnd, CheckedResolver, ClientSettings, HttpClient as Client, SystemLookup,
    causes, classify, client_config, host_address, read_body, system_verifier,
};
use url::Url;

use super::run::{RawRun, Request, RunEnd};

/// How many bytes of an answer are kept.
const MOST_BODY: usize = 10 * 1024 * 1024;

/// An HTTP client. It is built for the first request; copies share it.
///
/// It follows no redirect. It goes to public, private and loopback addresses, which hooks of agents use,
/// and refuses the rest: the services at which clouds hand out credentials are there.
#[derive(Debug, Clone, Default)]
pub struct HttpClient(Arc<OnceLock<Client>>);

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
        let client = self.0.get_or_init(client);
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", request.url);
        // The parser of URLs gives the address its usual spelling, which the check needs.
        let url = Url::parse(&request.url).map_err(|error| wrong(&error))?;
        if let Some(address) = url.host_str().and_then(host_address) {
            check(address).map_err(|error| error.to_string())?;
        }
        let mut builder = http::Request::post(url.as_str());
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        let request =
            builder.body(Bytes::from(request.body.clone())).map_err(|error| wrong(&error))?;
        let mut response = client.send(request).await.map_err(|error| explain(&error))?;
        let status = response.status().as_u16();
        let mut body = Vec::new();
        let end =
            read_body(response.body_mut(), MOST_BODY, |piece| body.extend_from_slice(piece)).await;
        match end {
            BodyEnd::BrokenOff(error) => Err(explain(&*error)),
            end => Ok(RawRun {
                is_cut: matches!(end, BodyEnd::TooLong),
                ..RawRun::new(RunEnd::Answered(status)).with_stdout(body)
            }),
        }
    }
}

fn client() -> Client {
    // Without the authorities of the system only `https` fails, and says so.
    let tls = system_verifier().and_then(|verifier| client_config(verifier, None));
    let resolver =
        CheckedResolver::new(Arc::new(SystemLookup), |_host: &str, address| check(address));
    Client::new(ClientSettings::new(tls.ok(), resolver))
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
fn explain(error: &(dyn std::error::Error + 'static)) -> String {
    causes(error).last().unwrap_or(error).to_string()
}
