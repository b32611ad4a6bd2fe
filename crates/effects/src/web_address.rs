//! The host and port of a URL, as a browser or an HTTP client would find them.
//!
//! `https://docs.rs@evil.example/` is a page of `evil.example`; `https:\\evil.example` too.

use crate::word::Word;

/// What a URL, or a host alone, leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WebAddress {
    /// A host. Its word is not known if clients disagree about how it is written.
    Host { host: Word, port: Option<u16> },
    /// A file of this machine: `file:///etc/passwd`.
    File(String),
    /// Nothing: the data is in the URL itself.
    Nothing,
    /// It cannot be read.
    Unreadable,
}

/// Reads a URL, or a host with or without a port.
pub(crate) fn read_address(text: &str) -> WebAddress {
    // URL readers drop these characters wherever they are.
    let text: String = text.trim_matches(|c| c <= ' ').replace(['\t', '\n', '\r'], "");
    let Some((scheme, rest)) = split_scheme(&text) else {
        return read_authority(text.trim_start_matches("//"), None, true);
    };
    match scheme.as_str() {
        "http" | "ws" => special(rest, 80),
        "https" | "wss" => special(rest, 443),
        "ftp" => special(rest, 21),
        "data" | "about" | "blob" | "javascript" => WebAddress::Nothing,
        "file" => read_file(rest),
        _ => match rest.strip_prefix("//") {
            Some(rest) => read_authority(rest, None, false),
            None => WebAddress::Unreadable,
        },
    }
}

/// Finds the addresses in a text for people.
pub(crate) fn addresses_in(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at);
        let from = before.bytes().rev().take_while(u8::is_ascii_alphanumeric).count();
        let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`');
        let length = after.find(ends).unwrap_or(after.len());
        let whole = rest.get(at - from..at + length).unwrap_or_default();
        if from > 0 {
            found.push(whole.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']']));
        }
        rest = after.get(length.max(3)..).unwrap_or_default();
    }
    found
}

/// Splits `https:` off. A host with a port, such as `localhost:8080`, has no scheme.
fn split_scheme(text: &str) -> Option<(String, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let port = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_port = !port.is_empty() && port.chars().all(|c| c.is_ascii_digit());
    (is_scheme && !is_port).then(|| (scheme.to_ascii_lowercase(), rest))
}

/// Reads what follows `http:`: any number of slashes, in either direction.
fn special(rest: &str, port: u16) -> WebAddress {
    read_authority(rest.trim_start_matches(['/', '\\']), Some(port), true)
}

fn read_file(rest: &str) -> WebAddress {
    let path = rest.strip_prefix("//").unwrap_or(rest);
    let path = path.get(path.find('/').unwrap_or(path.len())..).unwrap_or_default();
    let path = path.split(['?', '#']).next().unwrap_or_default();
    match percent_decoded(path) {
        Some(path) if !path.is_empty() => WebAddress::File(path),
        _ => WebAddress::Unreadable,
    }
}

/// Reads `user:password@host:port` and drops what follows it.
fn read_authority(rest: &str, default: Option<u16>, special: bool) -> WebAddress {
    let ends = |c: char| matches!(c, '/' | '?' | '#') || (special && c == '\\');
    let authority = rest.split(ends).next().unwrap_or_default();
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    let (host, port) = match place.strip_prefix('[') {
        Some(address) => match address.split_once(']') {
            Some((host, "")) => (host, ""),
            Some((host, port)) => (host, port.strip_prefix(':').unwrap_or("?")),
            None => return WebAddress::Unreadable,
        },
        None => place.split_once(':').unwrap_or((place, "")),
    };
    let port = match port {
        "" => default,
        text => match text.parse() {
            Ok(port) => Some(port),
            Err(_) => return WebAddress::Unreadable,
        },
    };
    match percent_decoded(host) {
        Some(decoded) if is_host(&decoded) => {
            let host = decoded.to_ascii_lowercase();
            WebAddress::Host { host: Word::text(host.strip_suffix('.').unwrap_or(&host)), port }
        }
        // Full-width letters and the like become others on the way; which ones differs.
        Some(decoded) if !decoded.is_ascii() => {
            WebAddress::Host { host: Word::unknown(decoded, false), port }
        }
        _ => WebAddress::Unreadable,
    }
}

fn is_host(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | ':'))
}

/// Resolves `%2e` and its like; `None` if that is no text.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if let (b'%', [high, low, after @ ..]) = (*first, after)
            && let (Some(high), Some(low)) = (hex(*high), hex(*low))
        {
            bytes.push(high * 16 + low);
            rest = after;
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok()
}

fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> Option<(String, Option<u16>)> {
        match read_address(text) {
            WebAddress::Host { host, port } => Some((host.known()?.into_owned(), port)),
            _ => None,
        }
    }

    #[test]
    fn hosts_of_addresses() {
        let is = |text, name: &str, port| {
            assert_eq!(host(text), Some((name.to_owned(), port)), "{text}");
        };
        is("https://docs.rs/x", "docs.rs", Some(443));
        is("HTTP://Docs.RS.:8080/x", "docs.rs", Some(8080));
        is("https://docs.rs@evil.com/", "evil.com", Some(443));
        is("https://docs.rs:443@evil.com:1/", "evil.com", Some(1));
        is("https://a@b@evil.com", "evil.com", Some(443));
        is("https:\\\\evil.com\\@docs.rs", "evil.com", Some(443));
        is("https:/evil.com", "evil.com", Some(443));
        is("https:evil.com/docs.rs", "evil.com", Some(443));
        is("https://evil.com#@docs.rs", "evil.com", Some(443));
        is("https://evil.com?@docs.rs", "evil.com", Some(443));
        is(" ht\ntps://evil%2ecom", "evil.com", Some(443));
        is("http://[::1]:80/", "::1", Some(80));
        is("docs.rs", "docs.rs", None);
        is("docs.rs/path", "docs.rs", None);
        is("localhost:8080/x", "localhost", Some(8080));
        is("//evil.com/x", "evil.com", None);
        is("ssh://git@host.example/x", "host.example", None);
    }

    #[test]
    fn what_is_no_host() {
        assert_eq!(read_address("file:///etc/passwd"), WebAddress::File("/etc/passwd".into()));
        assert_eq!(read_address("file:/etc/%70asswd"), WebAddress::File("/etc/passwd".into()));
        assert_eq!(read_address("data:text/plain,x"), WebAddress::Nothing);
        for text in ["", "http://", "https://a b/", "https://x:99999/", "http://[::1", "mailto:a"] {
            assert_eq!(read_address(text), WebAddress::Unreadable, "{text}");
        }
        let WebAddress::Host { host, .. } = read_address("https://ｄocs.rs/") else { panic!() };
        assert!(host.has_unknown());
    }

    #[test]
    fn addresses_in_a_text() {
        let text = "Look at https://a.example/x, and (http://b.example). Not a://, nor ://c.";
        assert_eq!(addresses_in(text), ["https://a.example/x", "http://b.example", "a://"]);
    }
}
