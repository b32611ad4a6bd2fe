//! Where there is no daemon: every call judges by itself.

use std::io;
use std::time::Duration;

use hookgate::contract::dialect::HostAnswer;

use super::super::call::Call;

/// Asks nobody.
pub(in super::super) const fn ask(_: &Call, _: &[u8], _: Duration) -> Option<HostAnswer> {
    None
}

/// Starts nothing.
pub(in super::super) const fn start(_: &Call) {}

/// Refuses to serve.
///
/// # Errors
/// Always.
pub(crate) fn serve(_idle: Duration) -> io::Result<()> {
    Err(io::Error::other("there is none on this system yet, only on Linux"))
}
