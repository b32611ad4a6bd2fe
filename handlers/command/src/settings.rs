//! The settings of a hook, each group read and checked in one file.
//!
//! All of them are read before a handler is built, and every mistake is noted with its place in the
//! file, so that one run of `check` reports all of them.

mod command_line;
mod environment;
mod limits;
mod reply_format;
mod sandbox;

use std::ops::RangeInclusive;

use hookgate_contract::settings::Settings;

pub(crate) use command_line::CommandLine;
pub(crate) use environment::Environment;
pub(crate) use limits::ResourceLimits;
pub(crate) use reply_format::{ReplyFormat, Silence, StdoutFormat};
pub(crate) use sandbox::{NOT_COVERED, Sandbox};

/// Returns whether a key is given, whatever its value.
pub(crate) fn has_key(settings: &Settings<'_>, key: &str) -> bool {
    settings.entries().iter().any(|entry| entry.key == key)
}

/// Reads a number that counts something, and notes an error if it is out of range.
pub(crate) fn read_count(
    settings: &mut Settings<'_>,
    key: &'static str,
    range: RangeInclusive<u64>,
) -> Option<u64> {
    let number = settings.integer(key)?;
    let count = u64::try_from(number).ok().filter(|count| range.contains(count));
    if count.is_none() {
        settings.invalid(key, format!("must be {} or more", range.start()));
    }
    count
}
