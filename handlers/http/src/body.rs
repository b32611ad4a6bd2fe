//! The two bodies of a call: the envelope that is sent, and the answer that comes back.
//!
//! The envelope is serialized once per step and shared by all hooks that want it; a request borrows
//! it by reference count, so a large step is not copied for each hook.
//!
//! The answer is read piece by piece into a buffer that outlives the read. That matters if the call
//! is given up (deadline, cancellation) or the connection breaks: a `deny` that has already arrived
//! is then *salvaged* from the unfinished body, and the failure of the hook counts as no less.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hookgate_contract::{Invocation, Verdict, VerdictDecision};
use hookgate_net::{BodyEnd, read_body};
use http::Response;
use hyper::body::Incoming;

/// The bytes of an envelope, which other hooks may be sending at the same time.
struct SharedEnvelope(Arc<Vec<u8>>);

impl AsRef<[u8]> for SharedEnvelope {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Returns the bytes of an envelope as the body of a request, without copying them.
pub(crate) fn request_body(envelope: &Arc<Vec<u8>>) -> Bytes {
    Bytes::from_owner(SharedEnvelope(Arc::clone(envelope)))
}

/// How long the body of an error answer is read. It is not a verdict, but may hold one.
const ERROR_BODY_TIME: Duration = Duration::from_secs(1);

/// The body of an answer, as far as it has arrived.
pub(crate) struct AnswerBody<'a> {
    pub(crate) bytes: Vec<u8>,
    /// How it ended; `None` while it is being read.
    pub(crate) end: Option<BodyEnd>,
    invocation: Invocation<'a>,
}

impl<'a> AnswerBody<'a> {
    /// Reads the body of an answer, up to `limit` bytes.
    ///
    /// # Cancel safety
    /// If the future is dropped, the decision in what has arrived is left with the invocation.
    pub(crate) async fn read(
        response: &mut Response<Incoming>,
        limit: usize,
        invocation: Invocation<'a>,
    ) -> Self {
        let mut body = Self { bytes: Vec::new(), end: None, invocation };
        body.fill(response, limit).await;
        body
    }

    /// Reads the body of an answer that is refused already, only for the decision in it.
    ///
    /// However the body ends, and whether it ends within a second or not, what arrived is used.
    pub(crate) async fn salvage(
        response: &mut Response<Incoming>,
        limit: usize,
        invocation: Invocation<'a>,
    ) -> Option<VerdictDecision> {
        let mut body = Self { bytes: Vec::new(), end: None, invocation };
        let _ = tokio::time::timeout(ERROR_BODY_TIME, body.fill(response, limit)).await;
        body.salvaged()
    }

    async fn fill(&mut self, response: &mut Response<Incoming>, limit: usize) {
        let bytes = &mut self.bytes;
        self.end = Some(
            read_body(response.body_mut(), limit, |piece| bytes.extend_from_slice(piece)).await,
        );
    }

    /// Returns the ask, deny or halt in what arrived.
    pub(crate) fn salvaged(&self) -> Option<VerdictDecision> {
        Verdict::salvage(&self.bytes)
    }
}

impl Drop for AnswerBody<'_> {
    fn drop(&mut self) {
        // The call was given up midway: the engine asks the invocation for what had arrived.
        if self.end.is_none() {
            self.invocation.keep_salvaged(self.salvaged());
        }
    }
}
