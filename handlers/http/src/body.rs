//! What is sent, without a copy, and what comes back, up to a limit.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hookgate_contract::{Invocation, Verdict, VerdictDecision};
use reqwest::Response;

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
pub(crate) struct Body<'a> {
    pub(crate) bytes: Vec<u8>,
    pub(crate) end: End,
    invocation: Invocation<'a>,
}

impl Body<'_> {
    /// The ask, deny or halt in what came.
    pub(crate) fn salvaged(&self) -> Option<VerdictDecision> {
        Verdict::salvage(&self.bytes)
    }
}

impl Drop for Body<'_> {
    fn drop(&mut self) {
        // Nobody waits any longer: what came before the rest stands.
        if self.end == End::Pending {
            self.invocation.keep_salvaged(self.salvaged());
        }
    }
}

/// How a body ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// It is still under way.
    Pending,
    /// It is whole.
    Whole,
    /// It has more bytes than it may.
    TooLong,
    /// The connection ended before it did.
    BrokenOff,
}

/// How long is waited for the body of an answer with an error status, which is no verdict.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads the body of an answer to a question, up to so many bytes.
pub(crate) async fn read<'a>(
    response: &mut Response,
    most: usize,
    invocation: Invocation<'a>,
) -> Body<'a> {
    let mut body = Body { bytes: Vec::new(), end: End::Pending, invocation };
    fill(&mut body, response, most).await;
    body
}

/// Reads what comes of a body at once, for what stands in it.
pub(crate) async fn glance(
    response: &mut Response,
    most: usize,
    invocation: Invocation<'_>,
) -> Option<VerdictDecision> {
    let mut body = Body { bytes: Vec::new(), end: End::Pending, invocation };
    // However it ends, and also if it does not.
    let _ = tokio::time::timeout(PATIENCE, fill(&mut body, response, most)).await;
    body.salvaged()
}

async fn fill(body: &mut Body<'_>, response: &mut Response, most: usize) {
    body.end = loop {
        match response.chunk().await {
            Ok(Some(chunk)) => {
                let room = most.saturating_sub(body.bytes.len());
                let fits = chunk.get(..room.min(chunk.len())).unwrap_or_default();
                body.bytes.extend_from_slice(fits);
                if chunk.len() > room {
                    break End::TooLong;
                }
            }
            Ok(None) => break End::Whole,
            Err(_) => break End::BrokenOff,
        }
    };
}
