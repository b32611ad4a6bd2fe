//! What is told while files are followed.

use std::fmt;

use super::LOOK_EVERY;
use crate::reload::{ReloadError, ReloadFailure, Reloaded};

/// Something that whoever follows files wants to know. `Display` writes it for a log.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum WatchEvent {
    /// Another table is in force, or what had failed is mended. It is also the answer to
    /// [`reload_now`](super::Watching::reload_now) where nothing has changed.
    Reloaded(Reloaded),
    /// What is on disk is not in force, for a reason that is new; the last good table stays. It is also the answer to
    /// [`reload_now`](super::Watching::reload_now) where nothing is mended.
    Failed(ReloadError),
    /// What is on disk is still not in force: a reminder, every ten seconds.
    StillBroken(ReloadFailure),
    /// Changes are found late, because the system will not announce them; the text is why.
    Polling(String),
    /// The file system does not answer, so nobody knows what is on disk: said after two seconds, and then every ten.
    Slow,
    /// So many events were lost, the oldest ones that nobody had read. [`status`](super::Watching::status) says how
    /// it stands.
    Missed(u64),
    /// The files are not followed any more, though nobody has stopped it; the text is why. The table in force stays.
    Ended(String),
}

impl fmt::Display for WatchEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reloaded(reloaded) => write!(f, "reloaded: {reloaded}"),
            Self::Failed(error) => write!(f, "not reloaded, the table in force stays: {error}"),
            Self::StillBroken(failure) => write!(f, "still not reloaded: {failure}"),
            Self::Polling(why) => write!(
                f,
                "{why}; changes are found by looking every {} ms (is fs.inotify.max_user_watches too low?)",
                LOOK_EVERY.as_millis()
            ),
            Self::Slow => {
                f.write_str("the config has not been read yet: the file system does not answer")
            }
            Self::Missed(events) => {
                write!(f, "{events} events about the config were lost, since nobody has read them")
            }
            Self::Ended(why) => write!(f, "the config is not followed any more: {why}"),
        }
    }
}
