//! The settings of worker mode.

use std::time::Duration;

use hookgate_contract::settings::Settings;

/// Keys that mean nothing in plain mode.
const KEYS: &[&str] = &["workers", "queue", "max_calls", "startup", "idempotent"];

/// The settings of worker mode.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    /// How many processes there are at most.
    pub(crate) workers: usize,
    /// How many calls may wait for one.
    pub(crate) queue: usize,
    /// After how many calls a process is replaced.
    pub(crate) max_calls: u64,
    /// How long a process may take until it is ready. A call does not wait longer than its
    /// deadline; the process may go on.
    pub(crate) startup: Duration,
    /// Whether a call may be made again when the worker died in it.
    pub(crate) idempotent: bool,
}

impl Terms {
    /// Reads them in worker mode. In any other mode they make no sense.
    pub(crate) fn read(settings: &mut Settings<'_>, worker: bool) -> Option<Self> {
        let terms = Self {
            workers: count(settings, "workers").unwrap_or(1),
            queue: count(settings, "queue").unwrap_or(64),
            max_calls: count(settings, "max_calls").unwrap_or(10_000) as u64,
            startup: settings.duration("startup").unwrap_or(Duration::from_secs(10)),
            idempotent: settings.flag("idempotent").unwrap_or_default(),
        };
        if worker {
            return Some(terms);
        }
        for key in KEYS {
            if settings.entries().iter().any(|entry| entry.key == *key) {
                settings.invalid(key, "it goes with `mode = \"worker\"`");
            }
        }
        None
    }
}

fn count(settings: &mut Settings<'_>, key: &'static str) -> Option<usize> {
    let number = settings.integer(key)?;
    match usize::try_from(number) {
        Ok(number) if (1..=1_000_000_000).contains(&number) => Some(number),
        _ => {
            settings.invalid(key, "must be 1 or more");
            None
        }
    }
}
