//! A certificate that must be trusted and have one of a few keys.

use std::sync::Arc;

use hmac_sha256::Hash;
use hookgate_contract::settings::Settings;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{DigitallySignedStruct, Error, SignatureScheme};

use crate::hex;

/// What a pin begins with.
const PREFIX: &str = "sha256:";

/// The SHA-256 of the public keys that a service may have.
pub(crate) type Pins = Vec<[u8; 32]>;

/// Reads `pin`.
pub(crate) fn read(settings: &mut Settings<'_>) -> Pins {
    let mut pins = Pins::new();
    for text in settings.one_or_more("pin").unwrap_or_default() {
        match text.strip_prefix(PREFIX).and_then(hex::decode) {
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

/// Asks another verifier, and then for the key.
#[derive(Debug)]
pub(crate) struct Pinned {
    inner: Arc<dyn ServerCertVerifier>,
    pins: Pins,
}

impl Pinned {
    /// The verifier, with pins if there are any.
    pub(crate) fn on(
        inner: Arc<dyn ServerCertVerifier>,
        pins: Pins,
    ) -> Arc<dyn ServerCertVerifier> {
        if pins.is_empty() { inner } else { Arc::new(Self { inner, pins }) }
    }
}

impl ServerCertVerifier for Pinned {
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
            hex::encode(&hash)
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
