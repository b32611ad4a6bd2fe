//! The certificate of a server.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use hookgate_net::{read_certificates, read_private_key};
use rustls::ServerConfig;
use rustls::client::verify_server_name;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::server::ParsedCertificate;

use super::super::http_error::HttpError;

/// The certificate that a server shows, to which names belong.
pub(super) struct Certificate(CertificateDer<'static>);

impl Certificate {
    /// Tells whether it is for a host.
    pub(super) fn is_for(&self, host: &str) -> bool {
        let Ok(name) = ServerName::try_from(host.trim_start_matches('[').trim_end_matches(']'))
        else {
            return false;
        };
        ParsedCertificate::try_from(&self.0)
            .is_ok_and(|parsed| verify_server_name(&parsed, &name).is_ok())
    }
}

/// Reads a certificate with those that connect it with an authority, and its key.
///
/// # Errors
/// They cannot be read, or do not belong together.
pub(super) fn read(
    certificate: &Path,
    key: &Path,
) -> Result<(Arc<ServerConfig>, Certificate), HttpError> {
    let wrong = |path: &Path, why: &dyn ToString| HttpError::Tls {
        path: path.to_owned(),
        why: why.to_string(),
    };
    let bytes = fs::read(certificate).map_err(|error| wrong(certificate, &error))?;
    let chain = read_certificates(&bytes).map_err(|error| wrong(certificate, &error))?;
    let bytes = fs::read(key).map_err(|error| wrong(key, &error))?;
    let private = read_private_key(&bytes).map_err(|error| wrong(key, &error))?;
    let leaf = chain.first().cloned().ok_or_else(|| wrong(certificate, &"it is empty"))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private))
        .map_err(|error| wrong(key, &error))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok((Arc::new(config), Certificate(leaf)))
}
