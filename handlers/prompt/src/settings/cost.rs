//! What keeps requests from being made: the cache, and the limits of a server.
//!
//! The cache is per judge: its size bounds the memory of one definition, not of all. The concurrency is
//! per server and number: all judges with the same `base_url` and `concurrency` share it, so a server
//! is protected however many judges ask it.

use std::time::Duration;

use hookgate_contract::settings::{NodeValue, Settings};

use super::number::count;

const TTL: Duration = Duration::from_secs(600);
const CACHE_SIZE: usize = 1000;

/// How answers are remembered: the setting `cache`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CacheSettings {
    /// How long an answer counts. Default 10 minutes.
    pub(crate) ttl: Duration,
    /// How many answers of one judge are kept. Default 1000.
    pub(crate) size: usize,
}

impl CacheSettings {
    const DEFAULT: Self = Self { ttl: TTL, size: CACHE_SIZE };

    /// Reads `cache`; returns `None` for `false`.
    pub(crate) fn read(settings: &mut Settings<'_>) -> Option<Self> {
        let Some(node) = settings.node("cache") else { return Some(Self::DEFAULT) };
        match node.value {
            NodeValue::Flag(false) => None,
            NodeValue::Flag(true) => Some(Self::DEFAULT),
            _ => {
                let mut inner = Settings::new(node);
                let ttl = inner.duration("ttl").unwrap_or(TTL);
                let size = count(&mut inner, "size", 1..=10_000_000).map(|size| size as usize);
                settings.absorb(inner.finish());
                Some(Self { ttl, size: size.unwrap_or(CACHE_SIZE) })
            }
        }
    }
}

/// How many requests of a judge a server gets at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ConcurrencyLimit {
    /// Requests that run. Default 8.
    pub(crate) running: usize,
    /// Requests that wait to run. Default 1024.
    pub(crate) waiting: usize,
}

/// The table `limits`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RequestLimits {
    pub(crate) concurrency: ConcurrencyLimit,
    /// Calls of the hook in any minute.
    pub(crate) rate: Option<u32>,
}

impl RequestLimits {
    /// Reads the table.
    pub(crate) fn read(settings: &mut Settings<'_>) -> Self {
        let mut limits =
            Self { concurrency: ConcurrencyLimit { running: 8, waiting: 1024 }, rate: None };
        let Some(mut inner) = settings.table("limits") else { return limits };
        limits.rate = count(&mut inner, "rate", 1..=1_000_000);
        if let Some(running) = count(&mut inner, "concurrency", 1..=10_000) {
            limits.concurrency.running = running as usize;
        }
        if let Some(waiting) = count(&mut inner, "waiting", 0..=1_000_000) {
            limits.concurrency.waiting = waiting as usize;
        }
        settings.absorb(inner.finish());
        limits
    }
}
