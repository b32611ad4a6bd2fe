//! A host and a port.

use std::fmt;
use std::net::IpAddr;

use hookgate_contract::settings::Settings;
use hookgate_net::host_address;
use url::Url;

/// The host and the port of a URL, as `allow_loopback` and `allow_private` name them.
///
/// The host is spelled as the URL parser spells it (lower case, punycode, addresses in their usual
/// form), so two spellings of one host are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Authority {
    host: String,
    port: u16,
}

impl Authority {
    /// Returns the authority of a URL, with the default port of its scheme.
    pub(crate) fn from_url(url: &Url) -> Option<Self> {
        let host = url.host_str().filter(|host| !host.is_empty())?.to_owned();
        Some(Self { host, port: url.port_or_known_default()? })
    }

    /// Parses `host:port`, and nothing else: no scheme, no path, no user.
    fn parse(text: &str) -> Option<Self> {
        let (host, port) = text.rsplit_once(':')?;
        let port = port.bytes().all(|byte| byte.is_ascii_digit()).then(|| port.parse().ok())??;
        // The URL parser gives the host the spelling that it has in a URL.
        let url = Url::parse(&format!("http://{host}/")).ok()?;
        let no_user = url.username().is_empty() && url.password().is_none() && url.port().is_none();
        let no_path = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let host = url.host_str()?.to_owned();
        (no_user && no_path && !host.is_empty()).then_some(Self { host, port })
    }

    /// Reads a list of `host:port`.
    pub(crate) fn read_list(settings: &mut Settings<'_>, key: &'static str) -> Vec<Self> {
        let mut authorities = Vec::new();
        for text in settings.list(key).unwrap_or_default() {
            match Self::parse(text) {
                Some(authority) => authorities.push(authority),
                None => settings.invalid(key, format!("`{text}` is not `host:port`")),
            }
        }
        authorities
    }

    /// Returns the host as the URL spells it.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Returns the address that the host is written as, or `None` if it is a name.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        host_address(&self.host)
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_host_has_one_spelling() {
        let parsed = |text: &str| Authority::parse(text).map(|authority| authority.to_string());
        assert_eq!(parsed("LOCALHOST:80").as_deref(), Some("localhost:80"));
        assert_eq!(parsed("0x7f.1:443").as_deref(), Some("127.0.0.1:443"));
        assert_eq!(parsed("[0::1]:8080").as_deref(), Some("[::1]:8080"));
        for wrong in ["localhost", "localhost:", ":80", "a/b:80", "u@a:80", "a:99999", "a:+1"] {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }
}
