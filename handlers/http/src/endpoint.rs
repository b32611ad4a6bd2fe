//! The place that a hook asks, and what its address may be.

use std::net::IpAddr;

use hookgate_contract::settings::Settings;
use reqwest::Url;

use crate::address::{Sort, sort};

/// A URL and the addresses that its host may have.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) url: Url,
    place: Place,
    loopback: bool,
    private: bool,
}

/// A host and a port.
#[derive(Clone, PartialEq, Eq)]
struct Place {
    host: String,
    port: u16,
}

/// An address that a hook may not reach.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{}", self.is(), self.help())]
pub(crate) struct Blocked {
    host: String,
    port: u16,
    address: IpAddr,
    /// None for a public address, where plain http may not go.
    sort: Option<Sort>,
}

impl Blocked {
    fn is(&self) -> String {
        let Self { host, address, sort, .. } = self;
        let sort = sort.map_or_else(|| "a public address".to_owned(), |sort| sort.to_string());
        if is_literal(host) {
            format!("`{host}` is {sort}")
        } else {
            format!("`{host}` resolves to {address}, which is {sort}")
        }
    }

    fn help(&self) -> String {
        let Self { host, port, .. } = self;
        let Some(sort) = self.sort else {
            return ": plain http shows the step to everybody on the way, use https".to_owned();
        };
        sort.opt_in().map_or_else(
            || ": no hook may go there".to_owned(),
            |key| format!(": if it is meant, write {key} = [\"{host}:{port}\"]"),
        )
    }
}

impl Endpoint {
    /// Reads `url`, `allow_loopback` and `allow_private`.
    pub(crate) fn read(settings: &mut Settings<'_>) -> Option<Self> {
        let url = settings.required_text("url");
        let loopback = places(settings, "allow_loopback");
        let private = places(settings, "allow_private");
        let found = parse(url?).and_then(|(url, place)| {
            let loopback = loopback.contains(&place);
            let private = private.contains(&place);
            Self { url, place, loopback, private }.checked()
        });
        found.map_err(|problem| settings.invalid("url", problem)).ok()
    }

    /// What can be known before anything is resolved.
    fn checked(self) -> Result<Self, String> {
        if let Some(address) = literal(&self.place.host) {
            self.check(address).map_err(|blocked| blocked.to_string())?;
        }
        if self.url.scheme() == "http" && !self.loopback && !self.private {
            let Place { host, port } = &self.place;
            return Err(format!(
                "plain http shows the step to everybody on the way: use https, or name \
                 `{host}:{port}` in allow_loopback or allow_private"
            ));
        }
        Ok(self)
    }

    /// Tells whether the host may have this address.
    pub(crate) fn check(&self, address: IpAddr) -> Result<(), Blocked> {
        match sort(address) {
            None if self.url.scheme() == "https" => Ok(()),
            Some(Sort::Loopback) if self.loopback => Ok(()),
            Some(Sort::Private | Sort::Shared) if self.private => Ok(()),
            sort => {
                let Place { host, port } = self.place.clone();
                Err(Blocked { host, port, address, sort })
            }
        }
    }

    /// The host as it stands in the URL.
    pub(crate) fn host(&self) -> &str {
        &self.place.host
    }

    /// `host:port`, for messages: a path or a query may hold a secret.
    pub(crate) fn name(&self) -> String {
        format!("{}:{}", self.place.host, self.place.port)
    }
}

fn parse(text: &str) -> Result<(Url, Place), String> {
    let url = Url::parse(text).map_err(|error| format!("it is no URL: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("`{}` is no scheme of a hook: use https", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a name or password in a URL shows up in logs: use `headers`".to_owned());
    }
    if url.fragment().is_some() {
        return Err("what follows `#` is not sent: leave it out".to_owned());
    }
    let place = place(&url).ok_or("it names no host")?;
    Ok((url, place))
}

fn place(url: &Url) -> Option<Place> {
    let host = url.host_str().filter(|host| !host.is_empty())?.to_owned();
    Some(Place { host, port: url.port_or_known_default()? })
}

/// Reads a list of `host:port`.
fn places(settings: &mut Settings<'_>, key: &'static str) -> Vec<Place> {
    let mut places = Vec::new();
    for text in settings.list(key).unwrap_or_default() {
        match opted(text) {
            Some(place) => places.push(place),
            None => settings.invalid(key, format!("`{text}` is not `host:port`")),
        }
    }
    places
}

fn opted(text: &str) -> Option<Place> {
    let (host, port) = text.rsplit_once(':')?;
    let port = port.bytes().all(|byte| byte.is_ascii_digit()).then(|| port.parse().ok())??;
    // The same spelling of an address as in the URL, whatever was written.
    let url = Url::parse(&format!("http://{host}/")).ok()?;
    let plain = url.username().is_empty() && url.password().is_none() && url.port().is_none();
    let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let host = url.host_str()?.to_owned();
    (plain && bare && !host.is_empty()).then_some(Place { host, port })
}

fn is_literal(host: &str) -> bool {
    literal(host).is_some()
}

/// The address that a host is written as. The URL has turned all other spellings into this one.
fn literal(host: &str) -> Option<IpAddr> {
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.parse().ok()
}
