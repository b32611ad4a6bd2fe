//! A number of seconds, as people write it on a command line.

use std::time::Duration;

/// Reads a number of seconds, which may have a fraction.
///
/// # Errors
/// It is none, or not above 0.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a number of seconds such as 8 or 0.5");
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|_| wrong())?;
    if duration.is_zero() { Err(wrong()) } else { Ok(duration) }
}
