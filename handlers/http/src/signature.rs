//! Signs requests, so that a service can tell that they come from this host, unchanged and recent.
//!
//! ```text
//! x-hookgate-timestamp: 1700000000
//! x-hookgate-signature: sha256=<hex of HMAC-SHA256(secret, "1700000000" + "." + body)>
//! ```
//!
//! The timestamp is a part of what is signed, so a service that refuses old timestamps (five
//! minutes is usual) is safe from replays of recorded requests. The scheme is that of most webhook
//! providers; `header = "x-hub-signature-256"` or the like makes existing receivers find it.

use std::time::{SystemTime, UNIX_EPOCH};

use data_encoding::HEXLOWER;
use hmac_sha256::HMAC;
use hookgate_contract::settings::Settings;
use http::header::{HeaderMap, HeaderName, HeaderValue};

use crate::header_names;
use crate::variables::{self, VariableSource, Variables};

/// Signs requests with a shared secret.
pub(crate) struct Signer {
    secret: Vec<u8>,
    header: HeaderName,
}

impl Signer {
    /// Reads `hmac`. Its variable joins the listed ones, so that its value is hidden like theirs.
    pub(crate) fn read(
        settings: &mut Settings<'_>,
        source: &VariableSource,
        variables: &mut Variables,
    ) -> Option<Self> {
        let mut table = settings.table("hmac")?;
        let secret = table.required_text("env").and_then(|name| {
            let value = variables::read_variable(name, source);
            let value = value.map_err(|problem| table.invalid("env", problem)).ok()?;
            variables.push(name, &value);
            Some(value.into_bytes())
        });
        let header = match table.text("header").map(|name| (name, signature_header(name))) {
            None => Some(HeaderName::from_static(header_names::SIGNATURE)),
            Some((_, Some(header))) => Some(header),
            Some((name, None)) => {
                table.invalid("header", format!("`{name}` cannot be the header of a signature"));
                None
            }
        };
        settings.absorb(table.finish());
        Some(Self { secret: secret?, header: header? })
    }

    /// Adds the present time, and the signature of that time and the body.
    pub(crate) fn sign(&self, headers: &mut HeaderMap, body: &[u8]) {
        // Before 1970 there is no better value than 0; the service will refuse the request.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        headers.insert(header_names::TIMESTAMP, HeaderValue::from(now));
        if let Ok(value) = HeaderValue::from_str(&signature(&self.secret, now, body)) {
            headers.insert(self.header.clone(), value);
        }
    }
}

/// Returns the signature of a body at a time, in seconds since 1970.
fn signature(secret: &[u8], timestamp: u64, body: &[u8]) -> String {
    let mut mac = HMAC::new(secret);
    mac.update(timestamp.to_string());
    mac.update(b".");
    mac.update(body);
    format!("sha256={}", HEXLOWER.encode(&mac.finalize()))
}

/// Returns the header of this name, unless the protocol uses it for something else.
fn signature_header(name: &str) -> Option<HeaderName> {
    let header = HeaderName::from_bytes(name.as_bytes()).ok()?;
    let free =
        header == header_names::SIGNATURE || header_names::why_reserved(header.as_str()).is_none();
    free.then_some(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked example of the crate page.
    #[test]
    fn the_signature_is_that_of_other_tools() {
        // printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac it-is-a-secret
        assert_eq!(signature(b"it-is-a-secret", 1_700_000_000, br#"{"a":1}"#), SIGNED);
    }

    const SIGNED: &str = "sha256=d7aa5ef4f68e7e5306c28aafcb017fe001546aa8bc444c47ae5230e11990bb1e";
}
