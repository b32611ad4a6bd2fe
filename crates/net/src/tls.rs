//! The TLS configuration of a client.
//!
//! With the feature `ring` it uses *ring*, whatever crypto provider the host process has installed or
//! left out: a handler must not fail, or change its ciphers, because another crate of the program
//! chose a default. Without the feature it uses what the host has installed, and is an error if that
//! is nothing: so a program whose TLS is another one has no second provider in it, which rustls would
//! have to choose from. Verification is never turned off.

use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

/// Why TLS cannot be set up.
///
/// The messages are phrases for a person who reads a config. None of them quotes a key or a
/// certificate: an error of the PEM parser could show a part of the key, so it is left out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The program has no crypto provider.
    #[error(
        "this program has no TLS: turn on the feature `tls-ring` of hookgate, or install a provider \
         of rustls before the engine is built (`CryptoProvider::install_default`)"
    )]
    NoProvider,
    /// The provider has no protocol version that rustls takes.
    #[error("TLS cannot be set up: {0}")]
    Setup(rustls::Error),
    /// The system has no store of trusted certificates, as in a minimal container.
    #[error("the system has no trusted certificates ({0})")]
    NoSystemTrust(rustls::Error),
    /// A file holds no certificate, or one that cannot be read.
    #[error("it is not a PEM file with certificates")]
    NoCertificate,
    /// A file holds no private key, or one that cannot be read.
    #[error("it is not a PEM file with a private key")]
    NoPrivateKey,
    /// A certificate authority cannot be used as one.
    #[error("{0}")]
    Authority(String),
    /// The private key does not belong to the certificate, or is of a kind that cannot sign.
    #[error("{0}")]
    Identity(rustls::Error),
}

/// The certificate that a client shows, and its key.
#[derive(Debug)]
#[non_exhaustive]
pub struct ClientIdentity {
    /// The certificate, then those that connect it with an authority.
    pub chain: Vec<CertificateDer<'static>>,
    /// The key of the first certificate. Its `Debug` output does not show it.
    pub key: PrivateKeyDer<'static>,
}

impl ClientIdentity {
    /// Creates an identity. Whether the key belongs to the certificate is checked by
    /// [`client_config`].
    #[must_use]
    pub const fn new(chain: Vec<CertificateDer<'static>>, key: PrivateKeyDer<'static>) -> Self {
        Self { chain, key }
    }
}

/// Returns the verifier that accepts what the system accepts.
///
/// The verifier reads the store of the system when it is created: that takes a few milliseconds on
/// Linux, so create one per client, not one per request.
///
/// # Errors
/// [`TlsError::NoSystemTrust`] if the system has no store of certificates; [`TlsError::NoProvider`].
pub fn system_verifier() -> Result<Arc<dyn ServerCertVerifier>, TlsError> {
    let verifier = Verifier::new(provider()?).map_err(TlsError::NoSystemTrust)?;
    Ok(Arc::new(verifier))
}

/// Returns a verifier that accepts certificates of the authorities in a PEM file, and no others.
///
/// # Errors
/// [`TlsError::NoCertificate`] if the file holds none; [`TlsError::Authority`] if one of them
/// cannot be an authority; [`TlsError::NoProvider`].
///
/// ```
/// use hookgate_net::{TlsError, authorities_verifier, client_config};
///
/// let key = rcgen::KeyPair::generate()?;
/// let authority = rcgen::CertificateParams::new(Vec::new())?.self_signed(&key)?;
/// let verifier = authorities_verifier(authority.pem().as_bytes())?;
/// let config = client_config(verifier, None)?;
/// # drop(config);
///
/// let empty = authorities_verifier(b"not a certificate").unwrap_err();
/// assert!(matches!(empty, TlsError::NoCertificate));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn authorities_verifier(pem: &[u8]) -> Result<Arc<dyn ServerCertVerifier>, TlsError> {
    let mut roots = RootCertStore::empty();
    for certificate in read_certificates(pem)? {
        roots.add(certificate).map_err(|error| TlsError::Authority(error.to_string()))?;
    }
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider()?)
        .build()
        .map_err(|error| TlsError::Authority(error.to_string()))?;
    Ok(verifier)
}

/// Returns the configuration of a client: TLS 1.2 and 1.3, this verifier, this identity.
///
/// # Errors
/// [`TlsError::Identity`] if the key does not belong to the certificate; [`TlsError::NoProvider`].
pub fn client_config(
    verifier: Arc<dyn ServerCertVerifier>,
    identity: Option<ClientIdentity>,
) -> Result<ClientConfig, TlsError> {
    let builder = ClientConfig::builder_with_provider(provider()?)
        .with_safe_default_protocol_versions()
        .map_err(TlsError::Setup)?
        // rustls calls it dangerous because a verifier could accept everything; those of this
        // crate do not.
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    match identity {
        Some(ClientIdentity { chain, key }) => {
            builder.with_client_auth_cert(chain, key).map_err(TlsError::Identity)
        }
        None => Ok(builder.with_no_client_auth()),
    }
}

/// Reads the certificates of a PEM file, in their order.
///
/// # Errors
/// [`TlsError::NoCertificate`] if there is none, or one is damaged.
pub fn read_certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    found.ok().filter(|found| !found.is_empty()).ok_or(TlsError::NoCertificate)
}

/// Reads the first private key of a PEM file (PKCS#1, PKCS#8 or SEC1).
///
/// # Errors
/// [`TlsError::NoPrivateKey`] if there is none, or it is damaged.
pub fn read_private_key(pem: &[u8]) -> Result<PrivateKeyDer<'static>, TlsError> {
    PrivateKeyDer::from_pem_slice(pem).map_err(|_| TlsError::NoPrivateKey)
}

/// Checks that the program has a crypto provider, without which nothing can be reached over `https`.
///
/// # Errors
/// [`TlsError::NoProvider`]
pub fn require_provider() -> Result<(), TlsError> {
    provider().map(drop)
}

fn provider() -> Result<Arc<CryptoProvider>, TlsError> {
    #[cfg(feature = "ring")]
    return Ok(Arc::new(rustls::crypto::ring::default_provider()));
    #[cfg(not(feature = "ring"))]
    CryptoProvider::get_default().cloned().ok_or(TlsError::NoProvider)
}
