//! How a server is reached by HTTP.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// How a server is reached by HTTP.
#[derive(Debug)]
#[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "HTTP is not served there"))]
pub(crate) struct HttpSettings {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    /// The files of the certificate and of its key. Without them only a loopback address is listened to.
    pub(crate) tls: Option<(PathBuf, PathBuf)>,
    /// The file with the token; without one it is drawn.
    pub(crate) token_file: Option<PathBuf>,
    /// After how long a caller that asks nothing ends, with its sessions.
    pub(crate) idle: Duration,
    /// The guards that who asks as OPA is asked need not enforce; `None` if nobody asks so.
    pub(crate) opa: Option<BTreeSet<String>>,
}
