//! Where HTTP is not served: nobody has looked yet at how a token is kept there.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use super::http_error::HttpError;
use super::http_settings::HttpSettings;
use super::service::Service;

/// There is none.
pub(crate) struct HttpListening(Infallible);

/// Refuses to listen.
///
/// # Errors
/// Always.
pub(crate) async fn listen_http(
    _: HttpSettings,
    _: &Arc<Service>,
) -> Result<HttpListening, HttpError> {
    let message = "HTTP is served on Linux only yet: use `--stdio`";
    Err(HttpError::System(message.to_owned()))
}

impl HttpListening {
    pub(crate) fn url(&self) -> String {
        match self.0 {}
    }

    pub(crate) const fn token_file(&self) -> Option<&Path> {
        match self.0 {}
    }

    pub(crate) async fn serve(self) {
        match self.0 {}
    }
}
