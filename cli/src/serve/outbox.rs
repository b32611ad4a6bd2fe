//! Where the lines for a caller are written.

use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Mutex;

/// The stream to a caller. Each line is written as a whole, by whoever has made it: one that the caller does not read
/// keeps its place among the requests at work, and so the caller's next requests are not read.
pub(crate) struct Outbox(Mutex<Box<dyn AsyncWrite + Send + Unpin>>);

impl Outbox {
    pub(super) fn new(stream: impl AsyncWrite + Send + Unpin + 'static) -> Self {
        Self(Mutex::new(Box::new(stream)))
    }

    /// Writes a line.
    ///
    /// # Errors
    /// The caller is gone.
    pub(super) async fn send(&self, line: &[u8]) -> io::Result<()> {
        let mut stream = self.0.lock().await;
        stream.write_all(line).await?;
        stream.flush().await
    }
}
