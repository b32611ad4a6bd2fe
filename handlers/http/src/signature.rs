//! The proof that a request is from somebody who knows the secret, and how old it is.

use std::time::{SystemTime, UNIX_EPOCH};

use hmac_sha256::HMAC;
use hookgate_contract::settings::Settings;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::http::Variable;
use crate::variables::{self, Variables};
use crate::{hex, names};

/// Signs requests.
pub(crate) struct Signer {
    secret: Vec<u8>,
    header: HeaderName,
}

impl Signer {
    /// Reads `hmac`; its variable joins the listed ones.
    pub(crate) fn read(
        settings: &mut Settings<'_>,
        variable: &Variable,
        variables: &mut Variables,
    ) -> Option<Self> {
        let mut table = settings.table("hmac")?;
        let secret = table.required_text("env").and_then(|name| {
            let found = variables::value(name, variable);
            let value = found.map_err(|problem| table.invalid("env", problem)).ok()?;
            variables.push(name, &value);
            Some(value.into_bytes())
        });
        let header = match table.text("header").map(|name| (name, own_header(name))) {
            None => Some(HeaderName::from_static(names::SIGNATURE)),
            Some((_, Some(header))) => Some(header),
            Some((name, None)) => {
                table.invalid("header", format!("`{name}` is no header for a signature"));
                None
            }
        };
        settings.absorb(table.finish());
        Some(Self { secret: secret?, header: header? })
    }

    /// Adds the time and the signature of time and body.
    pub(crate) fn sign(&self, headers: &mut HeaderMap, body: &[u8]) {
        // A clock before 1970 has no better answer; the service will refuse it.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        headers.insert(names::TIMESTAMP, HeaderValue::from(now));
        if let Ok(value) = HeaderValue::from_str(&signature(&self.secret, now, body)) {
            headers.insert(self.header.clone(), value);
        }
    }
}

/// The signature of a body at a time.
fn signature(secret: &[u8], now: u64, body: &[u8]) -> String {
    let mut mac = HMAC::new(secret);
    mac.update(now.to_string());
    mac.update(b".");
    mac.update(body);
    format!("sha256={}", hex::encode(&mac.finalize()))
}

fn own_header(name: &str) -> Option<HeaderName> {
    let header = HeaderName::from_bytes(name.as_bytes()).ok()?;
    let free = header == names::SIGNATURE || names::refuse(header.as_str()).is_none();
    free.then_some(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_that_of_other_tools() {
        // printf '1700000000.{"a":1}' | openssl dgst -sha256 -hmac it-is-a-secret
        assert_eq!(signature(b"it-is-a-secret", 1_700_000_000, br#"{"a":1}"#), SIGNED);
    }

    const SIGNED: &str = "sha256=d7aa5ef4f68e7e5306c28aafcb017fe001546aa8bc444c47ae5230e11990bb1e";
}
