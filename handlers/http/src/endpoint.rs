//! The URL of a hook, and the addresses that its host may have.
//!
//! A config file may come from a repository of other people, so its URL is not trusted to
//! point to a service: it could point to the metadata service of a cloud, to a database that listens
//! on this machine, or to a printer. The rules:
//!
//! * a public address: with `https` only;
//! * a loopback address: if `allow_loopback` names this host and port;
//! * a private or shared address: if `allow_private` names this host and port;
//! * any other special address: never.
//!
//! A host that is written as an address is checked when the config is read; a name is checked when
//! it is resolved, at each connection.

use std::net::IpAddr;

use hookgate_contract::settings::Settings;
use hookgate_net::{AddressClass, classify};
use http::Uri;
use http::uri::Scheme;
use url::Url;

use crate::authority::Authority;

/// A URL and the addresses that its host may have.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) uri: Uri,
    pub(crate) authority: Authority,
    allow_loopback: bool,
    allow_private: bool,
}

/// The error for an address that a hook may not reach.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}", self.finding(), self.advice())]
pub(crate) struct BlockedAddress {
    authority: Authority,
    address: IpAddr,
    class: AddressClass,
}

impl BlockedAddress {
    fn finding(&self) -> String {
        let Self { authority, address, class } = self;
        let host = authority.host();
        match authority.address() {
            Some(_) => format!("`{host}` is {class}"),
            None => format!("`{host}` resolves to {address}, which is {class}"),
        }
    }

    fn advice(&self) -> String {
        // A public address is refused to plain http only.
        if self.class == AddressClass::Public {
            return ": plain http sends the step in clear text, use https".to_owned();
        }
        match opt_in(self.class) {
            Some(key) => format!(": if it is meant, write {key} = [\"{}\"]", self.authority),
            None => ": no hook may go there".to_owned(),
        }
    }
}

/// Returns the setting that lets a hook reach addresses of a class.
const fn opt_in(class: AddressClass) -> Option<&'static str> {
    match class {
        AddressClass::Loopback => Some("allow_loopback"),
        AddressClass::Private | AddressClass::SharedSpace => Some("allow_private"),
        _ => None,
    }
}

impl Endpoint {
    /// Reads `url`, `allow_loopback` and `allow_private`.
    pub(crate) fn read(settings: &mut Settings<'_>) -> Option<Self> {
        let url = settings.required_text("url");
        let loopback = Authority::read_list(settings, "allow_loopback");
        let private = Authority::read_list(settings, "allow_private");
        let checked = parse_url(url?).and_then(|(uri, authority)| {
            let allow_loopback = loopback.contains(&authority);
            let allow_private = private.contains(&authority);
            Self { uri, authority, allow_loopback, allow_private }.check_url()
        });
        checked.map_err(|problem| settings.invalid("url", problem)).ok()
    }

    /// Whether requests are encrypted.
    pub(crate) fn is_https(&self) -> bool {
        self.uri.scheme() == Some(&Scheme::HTTPS)
    }

    /// Checks what can be known before a name is resolved.
    fn check_url(self) -> Result<Self, String> {
        if let Some(address) = self.authority.address() {
            self.check(address).map_err(|blocked| blocked.to_string())?;
        }
        if !self.is_https() && !self.allow_loopback && !self.allow_private {
            return Err(format!(
                "plain http sends the step in clear text: use https, or name `{}` in \
                 allow_loopback or allow_private",
                self.authority
            ));
        }
        Ok(self)
    }

    /// Checks whether the host may have this address.
    ///
    /// # Errors
    /// What the address is, and what to write if it is meant.
    pub(crate) fn check(&self, address: IpAddr) -> Result<(), BlockedAddress> {
        let class = classify(address);
        let allowed = match class {
            AddressClass::Public => self.is_https(),
            AddressClass::Loopback => self.allow_loopback,
            AddressClass::Private | AddressClass::SharedSpace => self.allow_private,
            _ => false,
        };
        if allowed {
            return Ok(());
        }
        Err(BlockedAddress { authority: self.authority.clone(), address, class })
    }
}

fn parse_url(text: &str) -> Result<(Uri, Authority), String> {
    let url = Url::parse(text).map_err(|error| format!("it is not a URL: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("a hook cannot use the scheme `{}`: use https", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a name or password in a URL shows up in logs: use `headers`".to_owned());
    }
    if url.fragment().is_some() {
        return Err("what follows `#` is not sent: leave it out".to_owned());
    }
    let authority = Authority::from_url(&url).ok_or("it names no host")?;
    let uri = url.as_str().parse().map_err(|error| format!("it is not a URL: {error}"))?;
    Ok((uri, authority))
}
