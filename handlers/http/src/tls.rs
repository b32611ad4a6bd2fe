//! Whom a hook trusts, and who it says it is.

use std::path::Path;
use std::sync::Arc;

use hmac_sha256::Hash;
use hookgate_contract::settings::Settings;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};
use rustls_platform_verifier::Verifier;

use crate::pin::{self, Pinned, Pins};

/// The TLS settings of a hook.
pub(crate) struct Tls {
    authorities: Option<Vec<u8>>,
    client: Option<Client>,
    pins: Pins,
}

/// The settings that name files.
pub(crate) const FILES: [&str; 3] = ["ca_file", "client_cert", "client_key"];

/// A certificate of ours and its key, as PEM.
struct Client {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Tls {
    /// Reads `ca_file`, `client_cert`, `client_key` and `pin`.
    pub(crate) fn read(settings: &mut Settings<'_>, base: &Path, https: bool) -> Option<Self> {
        let given = |settings: &Settings<'_>, key: &str| {
            settings.entries().iter().any(|entry| entry.key == key)
        };
        let keys = ["ca_file", "client_cert", "client_key", "pin"];
        let present = keys.map(|key| given(settings, key));
        let authorities = file(settings, "ca_file", base);
        let certificate = file(settings, "client_cert", base);
        let key = file(settings, "client_key", base);
        let pins = pin::read(settings);
        if !https && let Some((key, _)) = keys.iter().zip(present).find(|(_, present)| *present) {
            settings.invalid(key, "it is for https, and the url is plain http");
            return None;
        }
        let [has_authorities, has_certificate, has_key, _] = present;
        if has_certificate != has_key {
            settings.missing(if has_key { "client_cert" } else { "client_key" });
            return None;
        }
        if has_authorities && authorities.is_none() {
            return None;
        }
        let client = match (has_certificate, certificate, key) {
            (true, Some(certificate), Some(key)) => Some(Client { certificate, key }),
            (true, ..) => return None,
            (false, ..) => None,
        };
        Some(Self { authorities, client, pins })
    }

    /// A hash of the files, which may change while their names do not.
    pub(crate) fn identity(&self) -> [u8; 32] {
        let mut hash = Hash::new();
        let client = self.client.as_ref();
        let certificate = client.map(|client| &client.certificate);
        let key = client.map(|client| &client.key);
        for part in [self.authorities.as_ref(), certificate, key] {
            let part = part.map(Vec::as_slice).unwrap_or_default();
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        hash.finalize()
    }

    /// The configuration of rustls; notes in the settings why there is none.
    pub(crate) fn config(self, settings: &mut Settings<'_>, https: bool) -> Option<ClientConfig> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let Some(builder) = builder(&provider) else {
            settings.invalid("url", "TLS cannot be set up");
            return None;
        };
        let verifier = match self.authorities {
            _ if !https => None,
            Some(pem) => match of_file(&pem, &provider) {
                Ok(verifier) => Some(verifier),
                Err(problem) => {
                    settings.invalid("ca_file", problem);
                    return None;
                }
            },
            None => match Verifier::new(provider) {
                Ok(verifier) => Some(Arc::new(verifier) as Arc<dyn ServerCertVerifier>),
                Err(error) => {
                    let problem = format!("the system trusts nobody ({error}): name a `ca_file`");
                    settings.invalid("url", problem);
                    return None;
                }
            },
        };
        let builder = match verifier {
            // Named dangerous because it can be handed a verifier that trusts all; these do not.
            Some(inner) => {
                builder.dangerous().with_custom_certificate_verifier(Pinned::on(inner, self.pins))
            }
            None => builder.with_root_certificates(RootCertStore::empty()),
        };
        let Some(client) = self.client else { return Some(builder.with_no_client_auth()) };
        let (chain, key) = client.parsed(settings)?;
        builder
            .with_client_auth_cert(chain, key)
            .map_err(|error| settings.invalid("client_key", error.to_string()))
            .ok()
    }
}

impl Client {
    fn parsed(
        &self,
        settings: &mut Settings<'_>,
    ) -> Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)> {
        let chain = certificates(&self.certificate);
        if chain.is_none() {
            settings.invalid("client_cert", "it is no PEM file with certificates");
        }
        // An error of the parser could show a part of the key.
        let key = PrivateKeyDer::from_pem_slice(&self.key);
        if key.is_err() {
            settings.invalid("client_key", "it is no PEM file with a private key");
        }
        Some((chain?, key.ok()?))
    }
}

fn builder(provider: &Arc<CryptoProvider>) -> Option<ConfigBuilder<ClientConfig, WantsVerifier>> {
    ClientConfig::builder_with_provider(Arc::clone(provider))
        .with_safe_default_protocol_versions()
        .ok()
}

/// Trusts the authorities in a file, and no others.
fn of_file(
    pem: &[u8],
    provider: &Arc<CryptoProvider>,
) -> Result<Arc<dyn ServerCertVerifier>, String> {
    let found = certificates(pem).ok_or("it is no PEM file with certificates")?;
    let mut roots = RootCertStore::empty();
    for certificate in found {
        roots.add(certificate).map_err(|error| error.to_string())?;
    }
    let verifier =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider))
            .build()
            .map_err(|error| error.to_string())?;
    Ok(verifier)
}

/// The certificates in a file, one at least.
fn certificates(pem: &[u8]) -> Option<Vec<CertificateDer<'static>>> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    found.ok().filter(|found| !found.is_empty())
}

fn file(settings: &mut Settings<'_>, key: &'static str, base: &Path) -> Option<Vec<u8>> {
    let path = base.join(settings.text(key)?);
    hookgate_contract::file::read(&path, hookgate_contract::file::LIMIT)
        .map_err(|error| settings.invalid(key, format!("`{}`: {error}", path.display())))
        .ok()
}
