//! What a program writes, up to a limit.

use tokio::io::{AsyncRead, AsyncReadExt};

/// How much is read at once.
const CHUNK: usize = 16 * 1024;

/// The beginning of what came out of a pipe. What was read stays here even if the reading is given
/// up.
pub(crate) struct Capture {
    bytes: Vec<u8>,
    limit: usize,
    over: bool,
}

/// There was more than the limit.
#[derive(Debug)]
pub(crate) struct Oversized;

impl Capture {
    /// Keeps at most `limit` bytes.
    pub(crate) const fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit, over: false }
    }

    /// Reads to the end, and gives up at the limit.
    pub(crate) async fn read(&mut self, mut pipe: impl AsyncRead + Unpin) -> Result<(), Oversized> {
        let mut chunk = vec![0; CHUNK];
        while let Some(read) = next(&mut pipe, &mut chunk).await {
            self.keep(read);
            if self.over {
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

    /// What was kept.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
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
}
