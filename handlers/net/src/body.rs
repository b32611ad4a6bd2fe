//! Reads the body of an answer up to a limit.
//!
//! `reqwest` can collect a body, but not with a bound, and it returns nothing of a body that broke
//! off. A handler needs both: an answer that is too long must not fill the memory, and what arrived
//! of a broken one may already say "deny", which then counts.

#[cfg(test)]
mod tests;

use reqwest::Response;

/// How the body of an answer ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum BodyEnd {
    /// All of it was read.
    Whole,
    /// It is longer than the limit; the rest was not read.
    TooLong,
    /// The connection ended before the body did.
    BrokenOff(reqwest::Error),
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
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let mut response = reqwest::Response::from(http::Response::new("a long answer"));
/// let mut read = Vec::new();
/// let end = read_body(&mut response, 6, |piece| read.extend_from_slice(piece)).await;
/// assert!(matches!(end, BodyEnd::TooLong));
/// assert_eq!(read, b"a long");
/// # }
/// ```
pub async fn read_body(
    response: &mut Response,
    limit: usize,
    mut take: impl FnMut(&[u8]) + Send,
) -> BodyEnd {
    let mut room = limit;
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => {
                take(chunk.get(..room).unwrap_or(&chunk));
                match room.checked_sub(chunk.len()) {
                    Some(rest) => room = rest,
                    None => return BodyEnd::TooLong,
                }
            }
            Ok(None) => return BodyEnd::Whole,
            Err(error) => return BodyEnd::BrokenOff(error),
        }
    }
}
