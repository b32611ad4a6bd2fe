//! The settings of a pool: those of worker mode, and of servers.

use std::time::Duration;

use hookgate_contract::settings::Settings;

/// Keys that mean nothing in plain mode.
const KEYS: &[&str] = &["workers", "queue", "max_calls", "startup", "idempotent"];

/// The largest count: more workers or waiting calls are a mistake.
const MOST: usize = 1_000_000_000;

/// The settings of a pool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PoolSettings {
    /// How many processes there are at most (default 1).
    pub(crate) workers: usize,
    /// How many calls may wait for one (default 64).
    pub(crate) queue: usize,
    /// After how many calls a process is replaced (default 10,000). It bounds what a hook that leaks
    /// memory can hold.
    pub(crate) max_calls: u64,
    /// How long a process may take until it is ready (default 10 s). A call does not wait longer than
    /// its deadline; the process may go on.
    pub(crate) startup: Duration,
    /// Whether a call may be made again if the worker died in it (default false).
    pub(crate) idempotent: bool,
}

impl PoolSettings {
    /// Reads the settings.
    pub(crate) fn read(settings: &mut Settings<'_>) -> Self {
        Self {
            workers: settings.count("workers", 1..=MOST).unwrap_or(1),
            queue: settings.count("queue", 1..=MOST).unwrap_or(64),
            max_calls: settings.count("max_calls", 1..=MOST).map_or(10_000, |calls| calls as u64),
            startup: settings.duration("startup").unwrap_or(Duration::from_secs(10)),
            idempotent: settings.flag("idempotent").unwrap_or_default(),
        }
    }

    /// Reads the settings if the mode is `worker`. In plain mode each of them is an error.
    pub(crate) fn read_worker(settings: &mut Settings<'_>, is_worker: bool) -> Option<Self> {
        let pool = Self::read(settings);
        if is_worker {
            return Some(pool);
        }
        for key in KEYS {
            if settings.has(key) {
                settings.invalid(key, "it goes with `mode = \"worker\"`");
            }
        }
        None
    }
}
