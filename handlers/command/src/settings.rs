//! The settings of a hook, each group read and checked in one file.
//!
//! All of them are read before a handler is built, and every mistake is noted with its span in the
//! file, so that one run of `check` reports all of them.

mod command_line;
mod doc;
mod environment;
#[cfg(target_os = "linux")]
mod limits;
mod reply_format;
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(not(target_os = "linux"))]
mod unconfined;

pub(crate) use command_line::CommandLine;
pub use doc::SETTINGS;
pub(crate) use environment::Environment;
#[cfg(target_os = "linux")]
pub(crate) use limits::ResourceLimits;
pub(crate) use reply_format::{ReplyFormat, Silence, StdoutFormat};
#[cfg(target_os = "linux")]
pub(crate) use sandbox::{NOT_COVERED, Sandbox};
#[cfg(not(target_os = "linux"))]
pub(crate) use unconfined::{NOT_COVERED, ResourceLimits, Sandbox};
