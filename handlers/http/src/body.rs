//! What is sent, without a copy, and what comes back, up to a limit.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Response;
use tokio::time::Instant;

/// An envelope that other hooks may be sending too.
struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// The bytes of an envelope, as those of a request.
pub(crate) fn of_envelope(bytes: &Arc<Vec<u8>>) -> Bytes {
    Bytes::from_owner(Shared(Arc::clone(bytes)))
}

/// What came of a body, and how it ended.
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    pub(crate) end: End,
}

/// How a body ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It is whole.
    Whole,
    /// It has more bytes than it may.
    TooLong,
    /// The connection ended before it did.
    BrokenOff,
    /// It was still under way when the time was over.
    Late,
}

/// How long is waited for the body of an answer with an error status, which is no verdict.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads the body of an answer, up to so many bytes and until a deadline.
pub(crate) async fn read(response: &mut Response, most: usize, until: Option<Instant>) -> Body {
    let mut bytes = Vec::new();
    let end = loop {
        let chunk = match until {
            None => response.chunk().await,
            Some(until) => match tokio::time::timeout_at(until, response.chunk()).await {
                Ok(chunk) => chunk,
                Err(_) => break End::Late,
            },
        };
        match chunk {
            Ok(Some(chunk)) => {
                let room = most.saturating_sub(bytes.len());
                bytes.extend_from_slice(chunk.get(..room.min(chunk.len())).unwrap_or_default());
                if chunk.len() > room {
                    break End::TooLong;
                }
            }
            Ok(None) => break End::Whole,
            Err(_) => break End::BrokenOff,
        }
    };
    Body { bytes, end }
}

/// When to stop reading the body of an answer with an error status.
pub(crate) fn patience(deadline: Option<Instant>) -> Instant {
    let patience = Instant::now() + PATIENCE;
    deadline.map_or(patience, |deadline| deadline.min(patience))
}
