//! Why there is no answer.

use std::error::Error;
use std::io;
use std::time::Duration;

use hookgate_contract::{Failure, FailureClass};
use rustls::{AlertDescription as Alert, CertificateError};

use crate::endpoint::Blocked;
use crate::resolve::Unresolved;

/// What stands behind an error of the client. Its own text is not shown: it contains the URL.
pub(crate) enum Fault {
    /// The hook may not go there.
    Blocked(String),
    /// No connection came about; nothing was sent.
    Unconnected(String),
    /// No trust came about.
    Tls(String),
    /// The service does not know us.
    Refused(String),
    /// The answer is not HTTP, or its head has no end.
    Garbled,
    /// The connection ended before the answer.
    BrokenOff(String),
}

impl Fault {
    /// Looks for the cause of an error.
    pub(crate) fn of(error: &reqwest::Error, connect_timeout: Duration) -> Self {
        let causes = Causes::of(error);
        if let Some(blocked) = causes.blocked {
            return Self::Blocked(blocked);
        }
        if let Some(unresolved) = causes.unresolved {
            return Self::Unconnected(unresolved);
        }
        if let Some(tls) = causes.tls {
            return match tls {
                rustls::Error::AlertReceived(alert) if is_about_us(alert) => {
                    Self::Refused(format!("the service refused the client certificate: {alert:?}"))
                }
                rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer) => Self::Tls(
                    "TLS: nobody who is trusted has signed its certificate (UnknownIssuer): name \
                     the authority in `ca_file`"
                        .to_owned(),
                ),
                rustls::Error::General(text) => Self::Tls(format!("TLS: {text}")),
                other => Self::Tls(format!("TLS: {other}")),
            };
        }
        if error.is_connect() {
            return Self::Unconnected(if error.is_timeout() {
                format!("no connection within {} ms", connect_timeout.as_millis())
            } else {
                let cause = causes.io.unwrap_or_else(|| "no connection".to_owned());
                format!("no connection: {cause}")
            });
        }
        if causes.parse {
            return Self::Garbled;
        }
        Self::BrokenOff(causes.io.unwrap_or_else(|| "the connection was closed".to_owned()))
    }

    /// Whether the request can be sent again, because it was never sent.
    pub(crate) const fn was_never_sent(&self) -> bool {
        matches!(self, Self::Unconnected(_))
    }

    /// The failure of a hook that asks `name`.
    pub(crate) fn failure(self, name: &str) -> Failure {
        match self {
            Self::Blocked(text) => Failure::new(FailureClass::Untrusted, text),
            Self::Unconnected(text) | Self::Tls(text) => {
                Failure::new(FailureClass::Unreachable, format!("`{name}`: {text}"))
            }
            Self::Refused(text) => Failure::new(FailureClass::Auth, format!("`{name}`: {text}")),
            Self::Garbled => Failure::new(
                FailureClass::Malformed,
                format!("`{name}`: the answer is not HTTP/1.1, or its headers are too large"),
            ),
            Self::BrokenOff(text) => {
                Failure::new(FailureClass::Unreachable, format!("`{name}`: no answer came: {text}"))
            }
        }
    }
}

/// What was found along the sources of an error.
#[derive(Default)]
struct Causes<'a> {
    blocked: Option<String>,
    unresolved: Option<String>,
    tls: Option<&'a rustls::Error>,
    io: Option<String>,
    parse: bool,
}

impl<'a> Causes<'a> {
    fn of(error: &'a (dyn Error + 'static)) -> Self {
        let mut causes = Self::default();
        let mut next = Some(error);
        while let Some(error) = next {
            causes.look(error);
            next = error.source();
        }
        causes
    }

    fn look(&mut self, error: &'a (dyn Error + 'static)) {
        if let Some(blocked) = error.downcast_ref::<Blocked>() {
            self.blocked = Some(blocked.to_string());
        } else if let Some(unresolved) = error.downcast_ref::<Unresolved>() {
            self.unresolved = Some(unresolved.to_string());
        } else if let Some(tls) = error.downcast_ref::<rustls::Error>() {
            self.tls = Some(tls);
        } else if let Some(http) = error.downcast_ref::<hyper::Error>() {
            self.parse |= http.is_parse();
        } else if let Some(io) = error.downcast_ref::<io::Error>() {
            // What an I/O error wraps is no source of it.
            match io.get_ref() {
                Some(inner) => self.look(inner),
                None => self.io = Some(io.to_string()),
            }
        }
    }
}

/// Alerts with which a service turns down the certificate of its client.
const fn is_about_us(alert: &Alert) -> bool {
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
