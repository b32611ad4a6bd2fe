//! The settings of a hook, each group read and checked in one file.
//!
//! All of them are read before a handler is built, and every mistake is noted with its span in the
//! file, so that one run of `check` reports all of them.

mod command_line;
mod doc;
mod environment;
mod limits;
mod reply_format;
mod sandbox;

pub(crate) use command_line::CommandLine;
pub use doc::SETTINGS;
pub(crate) use environment::Environment;
pub(crate) use limits::ResourceLimits;
pub(crate) use reply_format::{ReplyFormat, Silence, StdoutFormat};
pub(crate) use sandbox::{NOT_COVERED, Sandbox};
