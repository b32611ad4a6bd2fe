//! Pins: the public keys that a service may have.
//!
//! A certificate authority that is trusted can vouch for any server. A pin narrows that down to
//! known keys: the SHA-256 of the SubjectPublicKeyInfo (SPKI) of the certificate of the service.
//! The certificate must be valid *and* its key must be pinned; a pin never makes an invalid
//! certificate acceptable. The key, and not the certificate, is pinned, so a renewal with the same
//! key does not lock the hook out. Name the next key as a second pin before it is used.

use std::sync::Arc;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use hmac_sha256::Hash;
use hookgate_contract::settings::Settings;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{DigitallySignedStruct, Error, SignatureScheme};

/// What a pin begins with.
const PREFIX: &str = "sha256:";

/// The SHA-256 of the public keys that a service may have.
pub(crate) type Pins = Vec<[u8; 32]>;

/// Reads `pin`.
pub(crate) fn read_pins(settings: &mut Settings<'_>) -> Pins {
    let mut pins = Pins::new();
    for text in settings.one_or_more("pin").unwrap_or_default() {
        match parse_pin(text) {
            Some(pin) => pins.push(pin),
            None => settings.invalid(
                "pin",
                "it is not `sha256:` and 64 hex digits: the SHA-256 of the public key (openssl \
                 x509 -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256)",
            ),
        }
    }
    pins
}

fn parse_pin(text: &str) -> Option<[u8; 32]> {
    let digits = text.strip_prefix(PREFIX)?;
    HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok()?.try_into().ok()
}

/// A verifier that also checks the key, after another verifier has accepted the certificate.
#[derive(Debug)]
pub(crate) struct PinnedVerifier {
    inner: Arc<dyn ServerCertVerifier>,
    pins: Pins,
}

impl PinnedVerifier {
    /// Returns a verifier that also checks these pins; `inner` itself if there are none.
    pub(crate) fn wrap(
        inner: Arc<dyn ServerCertVerifier>,
        pins: Pins,
    ) -> Arc<dyn ServerCertVerifier> {
        if pins.is_empty() { inner } else { Arc::new(Self { inner, pins }) }
    }
}

impl ServerCertVerifier for PinnedVerifier {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        chain: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = self.inner.verify_server_cert(leaf, chain, name, ocsp, now)?;
        let key = ParsedCertificate::try_from(leaf)?.subject_public_key_info();
        let hash = Hash::hash(&key);
        if self.pins.contains(&hash) {
            return Ok(verified);
        }
        Err(Error::General(format!(
            "the service has the key {PREFIX}{}, which is not pinned",
            HEXLOWER.encode(&hash)
        )))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls12_signature(message, leaf, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        leaf: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.inner.verify_tls13_signature(message, leaf, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_is_64_hex_digits_in_either_case() {
        let (lower, upper) = ("0123456789abcdef".repeat(2), "0123456789ABCDEF".repeat(2));
        let pin = format!("sha256:{lower}{upper}");
        assert!(parse_pin(&pin).is_some());
        for wrong in ["", "sha256:", "sha256:00", "sha1:00"] {
            assert_eq!(parse_pin(wrong), None, "{wrong}");
        }
        for digits in ["g".repeat(64), "+1".repeat(32), "0".repeat(66), "0".repeat(63)] {
            assert_eq!(parse_pin(&format!("sha256:{digits}")), None, "{digits}");
        }
    }
}
