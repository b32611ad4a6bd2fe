//! What a program writes, up to a limit.

use std::time::Duration;

use hookgate_contract::{Verdict, VerdictDecision};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

/// How much is read at once.
const CHUNK: usize = 16 * 1024;

/// How much of what is beyond the limit is searched for a decision, and for how long.
const BEYOND: usize = 8 << 20;
const SEARCH: Duration = Duration::from_millis(100);

/// So much of a chunk is searched again with the next: a decision may stand across the border.
const OVERLAP: usize = 256;

/// The beginning of what came out of a pipe. What was read stays here even if the reading is given
/// up.
pub(crate) struct Capture {
    bytes: Vec<u8>,
    limit: usize,
    over: bool,
    /// The strictest decision beyond the limit.
    beyond: Option<VerdictDecision>,
}

/// There was more than the limit.
#[derive(Debug)]
pub(crate) struct Oversized;

impl Capture {
    /// Keeps at most `limit` bytes.
    pub(crate) const fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit, over: false, beyond: None }
    }

    /// Reads to the end, and gives up at the limit. What comes right behind it is searched for a
    /// decision: a long reason must not hide the word after it.
    pub(crate) async fn read(&mut self, mut pipe: impl AsyncRead + Unpin) -> Result<(), Oversized> {
        let mut chunk = vec![0; CHUNK];
        while let Some(read) = next(&mut pipe, &mut chunk).await {
            self.keep(read);
            if self.over {
                self.beyond = beyond(pipe, read.to_vec()).await;
                return Err(Oversized);
            }
        }
        Ok(())
    }

    /// Reads to the end, and forgets what is beyond the limit: a full pipe would stop the program.
    pub(crate) async fn drain(&mut self, mut pipe: impl AsyncRead + Unpin) {
        let mut chunk = vec![0; CHUNK];
        while let Some(read) = next(&mut pipe, &mut chunk).await {
            self.keep(read);
        }
    }

    fn keep(&mut self, read: &[u8]) {
        let room = self.limit - self.bytes.len();
        let (kept, rest) = read.split_at(room.min(read.len()));
        self.bytes.extend_from_slice(kept);
        self.over |= !rest.is_empty();
    }

    /// Whether there was more than the limit.
    pub(crate) const fn is_over(&self) -> bool {
        self.over
    }

    /// What was kept.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes these bytes off the end, if they are there.
    pub(crate) fn strip(&mut self, end: &[u8]) -> bool {
        let rest = self.bytes.strip_suffix(end).map(<[u8]>::len);
        if let Some(rest) = rest {
            self.bytes.truncate(rest);
        }
        rest.is_some()
    }

    /// The strictest ask, deny or halt that was written.
    pub(crate) fn salvage(&self) -> Option<VerdictDecision> {
        Verdict::salvage(&self.bytes).max(self.beyond)
    }

    /// What was kept, as text. Of a text that was cut off, the broken last line is left out.
    pub(crate) fn text(&self) -> String {
        let whole = match self.bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(end) if self.over => self.bytes.get(..end).unwrap_or_default(),
            _ => &self.bytes,
        };
        String::from_utf8_lossy(whole).trim().to_owned()
    }
}

/// The strictest decision in these bytes and in those that come out of a pipe behind them, as far as
/// that is worth the time.
pub(crate) async fn beyond(
    mut pipe: impl AsyncRead + Unpin,
    mut window: Vec<u8>,
) -> Option<VerdictDecision> {
    let mut found = Verdict::salvage_anywhere(&window);
    let search = async {
        let mut chunk = vec![0; CHUNK];
        let mut seen = 0;
        while let Some(read) = next(&mut pipe, &mut chunk).await {
            let old = window.len().saturating_sub(OVERLAP);
            window.drain(..old);
            window.extend_from_slice(read);
            found = found.max(Verdict::salvage_anywhere(&window));
            seen += read.len();
            if seen > BEYOND {
                return;
            }
        }
    };
    let _ = timeout(SEARCH, search).await;
    found
}

/// The next bytes; none at the end. A pipe that cannot be read has ended.
async fn next<'a>(pipe: &mut (impl AsyncRead + Unpin), chunk: &'a mut [u8]) -> Option<&'a [u8]> {
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
        assert_eq!(capture.text(), "one\ntwo");
        capture.keep(b"three\n");
        assert_eq!((capture.bytes(), capture.text().as_str()), (&b"one\ntwo\nth"[..], "one\ntwo"));
    }

    #[tokio::test]
    async fn a_decision_behind_the_limit_is_found() {
        for place in [0, 5, 90, 10_000, CHUNK - 20, CHUNK - 8, 3 * CHUNK - 9, 200_000] {
            let text = format!("{}{}", "x".repeat(place), r#""decision":"deny","#);
            let mut capture = Capture::new(100);
            let text = format!("{text}{}", " ".repeat(CHUNK));
            let read = capture.read(text.as_bytes()).await;
            assert!(read.is_err());
            assert_eq!(capture.salvage(), Some(VerdictDecision::Deny), "{place}");
        }
    }
}
