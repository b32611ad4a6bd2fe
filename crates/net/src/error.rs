//! Why no answer arrived.

use std::error::Error;
use std::time::Duration;

use hyper_util::client::legacy;

/// The error of a part that a client is made of.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// Why no answer arrived.
///
/// What the cause was, such as the error of a check of addresses, of TLS or of the system, is found
/// along [`source`](Error::source). No text has the URL in it, whose path may hold a secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// No connection was made: nothing was sent.
    #[error("there is no connection")]
    Connect(#[source] BoxError),
    /// No connection was made in time: nothing was sent.
    #[error(transparent)]
    ConnectTimeout(ConnectTimeout),
    /// The connection ended before the answer, or what came is not HTTP/1.1. The request may have
    /// been processed.
    #[error("the request got no answer")]
    Broken(#[source] BoxError),
}

/// The error for a connection that took too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no connection within {} ms", self.0.as_millis())]
pub struct ConnectTimeout(pub Duration);

impl From<legacy::Error> for SendError {
    fn from(error: legacy::Error) -> Self {
        if let Some(late) = causes(&error).find_map(|cause| cause.downcast_ref::<ConnectTimeout>())
        {
            return Self::ConnectTimeout(*late);
        }
        if error.is_connect() { Self::Connect(error.into()) } else { Self::Broken(error.into()) }
    }
}

/// Returns an error and what caused it, down to the first cause.
///
/// ```
/// let error = hookgate_net::ConnectTimeout(std::time::Duration::from_secs(1));
/// assert_eq!(hookgate_net::causes(&error).count(), 1);
/// ```
pub fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}
