//! Bounds and defaults.

use std::collections::BTreeMap;
use std::time::Duration;

use hookgate_contract::json::Integers;

/// Bounds and defaults of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How long one dispatch may take, all its hooks together.
    pub dispatch_deadline: Duration,
    /// How many bytes an envelope may have.
    pub payload: usize,
    /// How many bytes an answer may have.
    pub output: usize,
    /// How many background calls may wait. Those of a tokio runtime run in it; the bound is for all of
    /// the engine.
    pub background_queue: usize,
    /// How many hooks of one step are asked at the same time, and how many background calls run at the
    /// same time in a tokio runtime.
    pub concurrency: usize,
    /// How many times in a row an agent can be kept from stopping: as `continues_so_far` of the step
    /// says, or, where the host does not say, as the engine counts per session and agent.
    pub stop_denials: u64,
    /// Which integers are taken, from hosts and from hooks.
    pub integers: Integers,
    /// Deadlines per kind of handler, where a hook names none.
    pub timeout: BTreeMap<String, Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            dispatch_deadline: Duration::from_secs(60),
            payload: 1 << 20,
            output: 256 << 10,
            background_queue: 1024,
            concurrency: 8,
            stop_denials: 3,
            integers: Integers::default(),
            timeout: BTreeMap::new(),
        }
    }
}

impl Limits {
    /// The deadline of a hook of a kind that names none.
    #[must_use]
    pub fn timeout_of(&self, kind: &str) -> Duration {
        self.timeout.get(kind).copied().unwrap_or(match kind {
            "builtin" => Duration::from_secs(1),
            "prompt" => Duration::from_secs(30),
            _ => Duration::from_secs(5),
        })
    }
}
