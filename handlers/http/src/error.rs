//! Why no answer arrived.
//!
//! The error of the client is a chain of sources, and its own text contains the URL, whose path or
//! query may hold a secret. So the chain is searched for the cause, and the message is built from
//! that cause and from `host:port`.

use std::error::Error;
use std::io;

use hookgate_contract::{Failure, FailureClass};
use hookgate_net::{SendError, UnresolvedName, causes};
use rustls::{AlertDescription as Alert, CertificateError};

use crate::authority::Authority;
use crate::endpoint::BlockedAddress;

/// The cause of a request without an answer.
#[derive(Debug)]
pub(crate) enum TransportError {
    /// The hook may not reach the address.
    Blocked(String),
    /// There is no connection; nothing was sent.
    NotConnected(String),
    /// The service could not be authenticated, or TLS failed otherwise; nothing was sent.
    Tls(String),
    /// The service does not accept the certificate of the client.
    ClientRefused(String),
    /// The answer is not HTTP/1.1, or its headers are too large.
    NotHttp,
    /// The connection ended before the answer; the request may have been processed.
    BrokenOff(String),
}

impl TransportError {
    fn from_tls(error: &rustls::Error) -> Self {
        match error {
            rustls::Error::AlertReceived(alert) if rejects_client(alert) => Self::ClientRefused(
                format!("the service refused the client certificate: {alert:?}"),
            ),
            rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer) => Self::Tls(
                "TLS: its certificate is not signed by a trusted authority (UnknownIssuer): name \
                 the authority in `ca_file`"
                    .to_owned(),
            ),
            rustls::Error::General(text) => Self::Tls(format!("TLS: {text}")),
            other => Self::Tls(format!("TLS: {other}")),
        }
    }

    /// Whether the request can be repeated because it was certainly not sent.
    pub(crate) const fn was_never_sent(&self) -> bool {
        matches!(self, Self::NotConnected(_))
    }

    /// Returns the failure of a hook that calls this service.
    pub(crate) fn into_failure(self, service: &Authority) -> Failure {
        let (class, text) = match self {
            // The text names the host, and what to write in the config.
            Self::Blocked(text) => return Failure::new(FailureClass::Untrusted, text),
            Self::NotConnected(text) | Self::Tls(text) => (FailureClass::Unreachable, text),
            Self::ClientRefused(text) => (FailureClass::Auth, text),
            Self::NotHttp => (
                FailureClass::Malformed,
                "the answer is not HTTP/1.1, or its headers are too large".to_owned(),
            ),
            Self::BrokenOff(text) => {
                (FailureClass::Unreachable, format!("no answer arrived: {text}"))
            }
        };
        Failure::new(class, format!("`{service}`: {text}"))
    }
}

impl From<SendError> for TransportError {
    fn from(error: SendError) -> Self {
        let causes = Causes::find(&error);
        if let Some(blocked) = causes.blocked {
            return Self::Blocked(blocked);
        }
        if let Some(unresolved) = causes.unresolved {
            return Self::NotConnected(unresolved);
        }
        if let Some(tls) = causes.tls {
            return Self::from_tls(tls);
        }
        match error {
            SendError::ConnectTimeout(late) => Self::NotConnected(late.to_string()),
            SendError::Connect(_) => {
                let cause = causes.io.unwrap_or_else(|| "no connection".to_owned());
                Self::NotConnected(format!("no connection: {cause}"))
            }
            _ if causes.parse => Self::NotHttp,
            _ => {
                Self::BrokenOff(causes.io.unwrap_or_else(|| "the connection was closed".to_owned()))
            }
        }
    }
}

/// The causes that were found along the sources of an error.
#[derive(Default)]
struct Causes<'a> {
    blocked: Option<String>,
    unresolved: Option<String>,
    tls: Option<&'a rustls::Error>,
    io: Option<String>,
    parse: bool,
}

impl<'a> Causes<'a> {
    fn find(error: &'a (dyn Error + 'static)) -> Self {
        let mut found = Self::default();
        for cause in causes(error) {
            found.note(cause);
        }
        found
    }

    fn note(&mut self, error: &'a (dyn Error + 'static)) {
        if let Some(blocked) = error.downcast_ref::<BlockedAddress>() {
            self.blocked = Some(blocked.to_string());
        } else if let Some(unresolved) = error.downcast_ref::<UnresolvedName>() {
            self.unresolved = Some(unresolved.to_string());
        } else if let Some(tls) = error.downcast_ref::<rustls::Error>() {
            self.tls = Some(tls);
        } else if let Some(http) = error.downcast_ref::<hyper::Error>() {
            self.parse |= http.is_parse();
        } else if let Some(io) = error.downcast_ref::<io::Error>() {
            // An I/O error does not return what it wraps as its source.
            match io.get_ref() {
                Some(inner) => self.note(inner),
                None => self.io = Some(io.to_string()),
            }
        }
    }
}

/// Whether a service refuses the certificate of its client with this alert.
const fn rejects_client(alert: &Alert) -> bool {
    matches!(
        alert,
        Alert::AccessDenied
            | Alert::BadCertificate
            | Alert::CertificateExpired
            | Alert::CertificateRequired
            | Alert::CertificateRevoked
            | Alert::CertificateUnknown
            | Alert::DecryptError
            | Alert::UnknownCA
            | Alert::UnsupportedCertificate
    )
}
