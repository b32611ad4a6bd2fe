//! Lines of bytes that come in, each of a bounded length.

use std::io;

use memchr::memchr;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

use crate::input::lines::LINE_LIMIT;

/// What a read brought.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line, without its end.
    Whole(Vec<u8>),
    /// One that was too long, and was passed over.
    TooLong,
    /// The last bytes, behind which the end of the line is missing: a request that was cut off.
    CutOff,
}

/// The lines of a stream.
pub(super) struct Lines<R> {
    reader: BufReader<R>,
    /// The beginning of a line whose end has not come yet.
    begun: Vec<u8>,
    is_too_long: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader: BufReader::with_capacity(1 << 16, reader),
            begun: Vec::new(),
            is_too_long: false,
        }
    }

    /// Reads the next line; `None` at the end.
    ///
    /// # Cancel safety
    /// Nothing that was read is lost.
    ///
    /// # Errors
    /// The stream takes no more.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let read = self.reader.fill_buf().await?;
            if read.is_empty() {
                let is_cut = !self.begun.is_empty() || self.is_too_long;
                (self.begun, self.is_too_long) = (Vec::new(), false);
                return Ok(is_cut.then_some(Line::CutOff));
            }
            let end = memchr(b'\n', read);
            let part = read.get(..end.unwrap_or(read.len())).unwrap_or_default();
            let used = part.len() + usize::from(end.is_some());
            if (self.begun.len() + part.len()) as u64 > LINE_LIMIT {
                self.is_too_long = true;
                self.begun = Vec::new();
            } else if !self.is_too_long {
                self.begun.extend_from_slice(part);
            }
            self.reader.consume(used);
            if end.is_none() {
                continue;
            }
            if std::mem::take(&mut self.is_too_long) {
                return Ok(Some(Line::TooLong));
            }
            return Ok(Some(Line::Whole(std::mem::take(&mut self.begun))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_line_that_is_too_long_is_passed_over_and_a_cut_one_is_none() {
        let mut text = b"one\n".to_vec();
        text.extend(vec![b'x'; LINE_LIMIT as usize + 1]);
        text.extend(b"\ntwo\nthr");
        let mut lines = Lines::new(text.as_slice());
        let mut next = async || lines.next().await.unwrap();
        assert_eq!(next().await, Some(Line::Whole(b"one".to_vec())));
        assert_eq!(next().await, Some(Line::TooLong));
        assert_eq!(next().await, Some(Line::Whole(b"two".to_vec())));
        assert_eq!(next().await, Some(Line::CutOff));
        assert_eq!(next().await, None);
    }
}
