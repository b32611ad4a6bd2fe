//! Reads the body of an answer up to a limit.
//!
//! `http-body-util` can collect a body, and with a bound, but it returns nothing of a body that broke
//! off. A handler needs both: an answer that is too long must not fill the memory, and what arrived
//! of a broken one may already say "deny", which then counts.

#[cfg(test)]
mod tests;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::Body;

use crate::error::BoxError;

/// How the body of an answer ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum BodyEnd {
    /// All of it was read.
    Whole,
    /// It is longer than the limit; the rest was not read.
    TooLong,
    /// The connection ended before the body did.
    BrokenOff(BoxError),
}

/// Returns the next piece of a body; `None` at its end.
///
/// # Errors
/// The connection ended before the body did.
///
/// # Cancel safety
/// A piece that was not returned is lost with the future; nothing else is.
pub async fn next_piece<B>(body: &mut B) -> Result<Option<Bytes>, BoxError>
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin,
{
    while let Some(frame) = body.frame().await {
        // What is no piece is a trailer, in which no handler has an answer.
        if let Ok(piece) = frame.map_err(Into::into)?.into_data() {
            return Ok(Some(piece));
        }
    }
    Ok(None)
}

/// Reads a body and hands each piece to `take` as it arrives, up to `limit` bytes in all.
///
/// The pieces are handed out while the body is still being read, so that a caller whose future is
/// dropped midway has kept what came. Of the piece that crosses the limit, `take` gets the part
/// that still fits.
///
/// # Cancel safety
/// Dropping the future loses nothing that was handed out. The connection is closed then, and not
/// used again.
///
/// ```
/// use hookgate_net::{BodyEnd, read_body};
/// use http_body_util::Full;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let mut body = Full::from("a long answer");
/// let mut read = Vec::new();
/// let end = read_body(&mut body, 6, |piece| read.extend_from_slice(piece)).await;
/// assert!(matches!(end, BodyEnd::TooLong));
/// assert_eq!(read, b"a long");
/// # }
/// ```
pub async fn read_body<B>(body: &mut B, limit: usize, mut take: impl FnMut(&[u8]) + Send) -> BodyEnd
where
    B: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin,
{
    let mut room = limit;
    loop {
        match next_piece(body).await {
            Ok(Some(piece)) => {
                take(piece.get(..room).unwrap_or(&piece));
                match room.checked_sub(piece.len()) {
                    Some(rest) => room = rest,
                    None => return BodyEnd::TooLong,
                }
            }
            Ok(None) => return BodyEnd::Whole,
            Err(error) => return BodyEnd::BrokenOff(error),
        }
    }
}
