//! Where no socket is listened to: who has connected could not be told from others.

use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::service::Service;

/// There is none.
pub(crate) struct Listening(Infallible);

/// Refuses to listen.
///
/// # Errors
/// Always.
pub(crate) fn listen(_: Option<&Path>) -> io::Result<Listening> {
    Err(io::Error::other("there is no socket on this system yet, only on Linux: use `--stdio`"))
}

impl Listening {
    pub(crate) const fn path(&self) -> &Path {
        match self.0 {}
    }

    pub(crate) async fn serve(self, _: Arc<Service>) {
        match self.0 {}
    }
}
