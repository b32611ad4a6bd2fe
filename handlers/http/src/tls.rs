//! The TLS settings of a hook: which servers it accepts, and which certificate it shows.
//!
//! By default the trust store of the system decides. `ca_file` replaces it, for a service with an
//! authority of its own; `pin` narrows it down; `client_cert` and `client_key` let the service see
//! who calls (mutual TLS). There is no setting that turns verification off.

use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use hmac_sha256::Hash;
use hookgate_contract::file;
use hookgate_contract::settings::Settings;
use hookgate_net::{
    ClientIdentity, TlsError, authorities_verifier, client_config, read_certificates,
    read_private_key, system_verifier,
};
use rustls::ClientConfig;

use crate::spki_pin::{PinnedVerifier, Pins, read_pins};

const CA_FILE: &str = "ca_file";
const CLIENT_CERT: &str = "client_cert";
const CLIENT_KEY: &str = "client_key";
const PIN: &str = "pin";

/// The TLS settings of a hook, with the content of the files that they name.
pub(crate) struct TlsSettings {
    authorities: Option<Vec<u8>>,
    client: Option<ClientFiles>,
    pins: Pins,
}

/// A certificate of the client and its key, as PEM.
struct ClientFiles {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl TlsSettings {
    /// Reads `ca_file`, `client_cert`, `client_key` and `pin`.
    pub(crate) fn read(settings: &mut Settings<'_>, base: &Path, https: bool) -> Option<Self> {
        let keys = [CA_FILE, CLIENT_CERT, CLIENT_KEY, PIN];
        let given = keys.map(|key| settings.has(key));
        let authorities = read_file(settings, CA_FILE, base);
        let certificate = read_file(settings, CLIENT_CERT, base);
        let key = read_file(settings, CLIENT_KEY, base);
        let pins = read_pins(settings);
        if !https && let Some((key, _)) = keys.iter().zip(given).find(|(_, given)| *given) {
            settings.invalid(key, "it is for https, and the url is plain http");
            return None;
        }
        let [has_authorities, has_certificate, has_key, _] = given;
        if has_certificate != has_key {
            settings.missing(if has_key { CLIENT_CERT } else { CLIENT_KEY });
            return None;
        }
        if has_authorities && authorities.is_none() {
            return None;
        }
        let client = match (has_certificate, certificate, key) {
            (true, Some(certificate), Some(key)) => Some(ClientFiles { certificate, key }),
            (true, ..) => return None,
            (false, ..) => None,
        };
        Some(Self { authorities, client, pins })
    }

    /// Returns a hash of the files, whose content may change while their names do not.
    pub(crate) fn identity(&self) -> String {
        let mut hash = Hash::new();
        let client = self.client.as_ref();
        let certificate = client.map(|client| &client.certificate);
        let key = client.map(|client| &client.key);
        for part in [self.authorities.as_ref(), certificate, key] {
            let part = part.map(Vec::as_slice).unwrap_or_default();
            // The length keeps two files apart that were cut at another point.
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
        HEXLOWER.encode(&hash.finalize())
    }

    /// Returns the configuration of the client; notes in the settings why there is none.
    pub(crate) fn client_config(self, settings: &mut Settings<'_>) -> Option<ClientConfig> {
        let verifier = match &self.authorities {
            Some(pem) => authorities_verifier(pem)
                .map_err(|error| settings.invalid(CA_FILE, error.to_string()))
                .ok()?,
            None => system_verifier()
                .map_err(|error| settings.invalid("url", setup_problem(&error)))
                .ok()?,
        };
        let verifier = PinnedVerifier::wrap(verifier, self.pins);
        let identity = match &self.client {
            Some(client) => Some(client.parse(settings)?),
            None => None,
        };
        client_config(verifier, identity)
            .map_err(|error| match error {
                TlsError::Identity(_) => settings.invalid(CLIENT_KEY, error.to_string()),
                _ => settings.invalid("url", setup_problem(&error)),
            })
            .ok()
    }
}

/// Returns the files that the settings name. A change of one of them changes the hook.
pub(crate) fn source_files(settings: &mut Settings<'_>, base: &Path) -> Vec<PathBuf> {
    [CA_FILE, CLIENT_CERT, CLIENT_KEY]
        .into_iter()
        .filter_map(|key| settings.text(key))
        .map(|file| base.join(file))
        .collect()
}

fn setup_problem(error: &TlsError) -> String {
    match error {
        TlsError::NoSystemTrust(_) => format!("{error}: name a `ca_file`"),
        _ => error.to_string(),
    }
}

impl ClientFiles {
    fn parse(&self, settings: &mut Settings<'_>) -> Option<ClientIdentity> {
        let mut check = |key, error: TlsError| settings.invalid(key, error.to_string());
        let chain = read_certificates(&self.certificate).map_err(|error| check(CLIENT_CERT, error));
        let key = read_private_key(&self.key).map_err(|error| check(CLIENT_KEY, error));
        Some(ClientIdentity::new(chain.ok()?, key.ok()?))
    }
}

fn read_file(settings: &mut Settings<'_>, key: &'static str, base: &Path) -> Option<Vec<u8>> {
    let path = base.join(settings.text(key)?);
    file::read(&path, file::LIMIT)
        .map_err(|error| settings.invalid(key, format!("`{}`: {error}", path.display())))
        .ok()
}
