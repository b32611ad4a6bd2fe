//! What is sent, without a copy, and what comes back, up to a limit.

use std::sync::Arc;

use bytes::Bytes;
use hookgate_contract::{Failure, FailureClass, Verdict, Word};
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

/// Reads the body of an answer. Of one that is too long or breaks off, the decision that stands in
/// what came is kept: damage to a verdict never makes it weaker.
pub(crate) async fn read(mut response: Response, most: usize) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => {
                let room = most - body.len();
                body.extend_from_slice(chunk.get(..room.min(chunk.len())).unwrap_or_default());
                if chunk.len() > room {
                    let detail =
                        format!("the answer has more than {most} bytes: raise limits.output");
                    return Err(
                        Failure::new(FailureClass::Oversize, detail).standing(standing(&body))
                    );
                }
            }
            Ok(None) => return Ok(body),
            Err(_) => {
                let detail = format!("the answer broke off after {} bytes", body.len());
                return Err(Failure::new(FailureClass::Malformed, detail).standing(standing(&body)));
            }
        }
    }
}

/// The ask, deny or halt in the beginning of an answer.
fn standing(body: &[u8]) -> Option<Word> {
    match Verdict::parse(body) {
        Ok(verdict) => verdict.parts()?.decision.filter(|word| *word > Word::Allow),
        Err(failure) => failure.stands,
    }
}
