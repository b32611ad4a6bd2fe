//! Why a server cannot be reached by HTTP.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use super::error::CallError;

/// Why a server cannot be reached by HTTP. None of the messages shows a token or a key.
#[derive(Debug, thiserror::Error)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "HTTP is not served there"))]
pub(crate) enum HttpError {
    /// The address is open to others, and nothing is encrypted.
    #[error(
        "`{0}` is reached from other machines: give `--tls-cert` and `--tls-key`, or listen on 127.0.0.1"
    )]
    OpenAddress(SocketAddr),
    /// Nothing can be listened to there.
    #[error("cannot listen on `{0}`: {1}")]
    Address(SocketAddr, io::Error),
    /// A token that is not one.
    #[error("the token file `{}` {why}", path.display())]
    Token {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A certificate or a key that cannot be used.
    #[error("`{}` cannot be used for TLS: {why}", path.display())]
    Tls {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// No random number can be drawn, or the system does not have what it takes.
    #[error("{0}")]
    System(String),
    /// Who asks as OPA is asked would not enforce what is in force.
    #[error("{0}")]
    Opa(CallError),
}
