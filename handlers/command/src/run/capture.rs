//! What a program writes, up to a limit.
//!
//! A reply is capped (`limits.output`), so that a program cannot fill the memory of the host. But a
//! cap must not weaken a decision either: `{"reason": <a megabyte>, "decision": "deny"}` still means
//! deny. So what comes right after the limit is searched for a decision, for a bounded time, and only
//! the strictest decision found is kept.

use std::time::Duration;

use hookgate_contract::{Verdict, VerdictDecision};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

/// How many bytes are read at once.
const CHUNK: usize = 16 * 1024;

/// How many bytes beyond the limit are searched for a decision.
const MOST_SEARCHED: usize = 8 << 20;

/// How long they are searched.
const SEARCH_TIME: Duration = Duration::from_millis(100);

/// How many bytes of a chunk are searched again with the next one: a decision may cross the border.
const OVERLAP: usize = 256;

/// The beginning of what came out of a pipe. It is kept even if the reading is cancelled.
pub(crate) struct Capture {
    bytes: Vec<u8>,
    limit: usize,
    is_over: bool,
    /// The strictest decision beyond the limit.
    beyond: Option<VerdictDecision>,
}

/// There was more than the limit.
#[derive(Debug)]
pub(super) struct Oversized;

impl Capture {
    /// Makes a capture that keeps at most `limit` bytes.
    pub(super) const fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit, is_over: false, beyond: None }
    }

    /// Reads to the end of the pipe.
    ///
    /// # Errors
    /// At the limit. What follows is searched for a decision first.
    ///
    /// # Cancel safety
    /// What was read before is kept.
    pub(super) async fn read(&mut self, mut pipe: impl AsyncRead + Unpin) -> Result<(), Oversized> {
        let mut chunk = vec![0; CHUNK];
        while let Some(read) = next_bytes(&mut pipe, &mut chunk).await {
            self.keep(read);
            if self.is_over {
                self.beyond = find_decision_beyond(pipe, read.to_vec()).await;
                return Err(Oversized);
            }
        }
        Ok(())
    }

    /// Reads to the end of the pipe and drops what is beyond the limit. It does not stop there: a full
    /// pipe would stop the program.
    pub(super) async fn drain(&mut self, mut pipe: impl AsyncRead + Unpin) {
        let mut chunk = vec![0; CHUNK];
        while let Some(read) = next_bytes(&mut pipe, &mut chunk).await {
            self.keep(read);
        }
    }

    fn keep(&mut self, read: &[u8]) {
        let room = self.limit - self.bytes.len();
        let (kept, rest) = read.split_at(room.min(read.len()));
        self.bytes.extend_from_slice(kept);
        self.is_over |= !rest.is_empty();
    }

    /// Returns whether there was more than the limit.
    pub(super) const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the bytes that were kept.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Removes an ending, if the bytes have it; returns whether they had.
    pub(super) fn strip_suffix(&mut self, suffix: &[u8]) -> bool {
        let rest = self.bytes.strip_suffix(suffix).map(<[u8]>::len);
        if let Some(rest) = rest {
            self.bytes.truncate(rest);
        }
        rest.is_some()
    }

    /// Returns the strictest ask, deny or halt that was written.
    pub(crate) fn salvage(&self) -> Option<VerdictDecision> {
        Verdict::salvage(&self.bytes).max(self.beyond)
    }

    /// Returns the bytes as text. Of a text that was cut off, the incomplete last line is left out, so
    /// that no piece of a secret is quoted that cannot be recognised any more.
    pub(crate) fn lossy_text(&self) -> String {
        let whole = match self.bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(end) if self.is_over => self.bytes.get(..end).unwrap_or_default(),
            _ => &self.bytes,
        };
        String::from_utf8_lossy(whole).trim().to_owned()
    }
}

/// Returns the strictest decision in `window` and in the bytes that follow it in a pipe, as far as
/// 8 MiB and 100 ms go.
pub(crate) async fn find_decision_beyond(
    mut pipe: impl AsyncRead + Unpin,
    mut window: Vec<u8>,
) -> Option<VerdictDecision> {
    let mut found = Verdict::salvage_anywhere(&window);
    let search = async {
        let mut chunk = vec![0; CHUNK];
        let mut searched = 0;
        while let Some(read) = next_bytes(&mut pipe, &mut chunk).await {
            let old = window.len().saturating_sub(OVERLAP);
            window.drain(..old);
            window.extend_from_slice(read);
            found = found.max(Verdict::salvage_anywhere(&window));
            searched += read.len();
            if searched > MOST_SEARCHED {
                return;
            }
        }
    };
    let _ = timeout(SEARCH_TIME, search).await;
    found
}

/// Reads the next bytes; returns `None` at the end. A pipe that cannot be read has ended.
async fn next_bytes<'a>(
    pipe: &mut (impl AsyncRead + Unpin),
    chunk: &'a mut [u8],
) -> Option<&'a [u8]> {
    let count = pipe.read(chunk).await.ok().filter(|count| *count > 0)?;
    chunk.get(..count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_was_cut_off_ends_with_a_whole_line() {
        let mut capture = Capture::new(10);
        capture.keep(b"one\ntwo\n");
        assert_eq!(capture.lossy_text(), "one\ntwo");
        capture.keep(b"three\n");
        assert_eq!(
            (capture.bytes(), capture.lossy_text().as_str()),
            (&b"one\ntwo\nth"[..], "one\ntwo")
        );
    }

    #[tokio::test]
    async fn a_decision_behind_the_limit_is_found() {
        for before in [0, 5, 90, 10_000, CHUNK - 20, CHUNK - 8, 3 * CHUNK - 9, 200_000] {
            let text = format!("{}{}", "x".repeat(before), r#""decision":"deny","#);
            let mut capture = Capture::new(100);
            let text = format!("{text}{}", " ".repeat(CHUNK));
            let read = capture.read(text.as_bytes()).await;
            assert!(read.is_err());
            assert_eq!(capture.salvage(), Some(VerdictDecision::Deny), "{before}");
        }
    }
}
