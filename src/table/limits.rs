//! Bounds and defaults of a table.

use std::collections::BTreeMap;
use std::time::Duration;

use hookgate_contract::StopAt;
use hookgate_contract::json::Integers;

use super::contribution_limits::ContributionLimits;

/// Bounds and defaults of a table: what a dispatch may cost at most, and the deadlines of hooks
/// that set none.
///
/// They belong to the table, so a swap changes them together with the hooks. Values that bound
/// nothing (more than a year, more than a terabyte) are errors when the table is built.
///
/// ```
/// use std::time::Duration;
/// use hookgate::{HandlerTable, table::Limits};
///
/// let limits = Limits::new()
///     .dispatch_deadline(Duration::from_secs(10))
///     .concurrency(4)
///     .timeout("http", Duration::from_secs(2));
/// let table = HandlerTable::builder().limits(limits).build()?;
/// assert_eq!(table.limits().timeout_of("http"), Duration::from_secs(2));
/// assert_eq!(table.limits().timeout_of("prompt"), Duration::from_secs(30));
/// # Ok::<(), hookgate::table::BuildErrors>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How long one dispatch may take, all its hooks together; 60 s by default. Hooks that have not
    /// answered by then fail with class `timeout`.
    pub dispatch_deadline: Duration,
    /// How many bytes an envelope may have; 1 MiB by default. A hook that would get a larger one
    /// fails with class `oversize`.
    pub payload: usize,
    /// How many bytes an answer of a program or service may have; 256 KiB by default.
    pub output: usize,
    /// How many background calls may wait, in the whole engine; 1024 by default. More are dropped
    /// and counted.
    pub background_queue: usize,
    /// How many hooks of one step are called at the same time, and how many background calls run at
    /// the same time in one tokio runtime; 8 by default.
    pub concurrency: usize,
    /// How many processes of hooks may be at work at the same time, in the whole engine; without it
    /// what [`Machine`](super::Machine) says. Who comes later waits, within the time of its hook.
    pub processes: Option<usize>,
    /// How many requests of hooks (to services, servers of MCP, models) may be at work at the same
    /// time, in the whole engine; without it what [`Machine`](super::Machine) says.
    pub requests: Option<usize>,
    /// How many times in a row an agent can be kept from stopping; 3 by default. The step says how
    /// often that was (`continues_so_far`), or else the engine counts per session and agent.
    pub stop_denials: u64,
    /// At which decision the hooks after it are not called any more; a deny by default. At an ask: the hooks after the one
    /// that asks do not see the step, and the approval of the user does not call them.
    pub stop_at: StopAt,
    /// Which integers are accepted from hosts and hooks: by default only those that every JSON
    /// parser reads exactly.
    pub integers: Integers,
    /// Deadlines by kind of handler, for hooks that set none: by default 1 s for `builtin`, 30 s
    /// for `prompt`, 5 s for all others.
    pub timeout: BTreeMap<String, Duration>,
    /// What contributions to a turn may amount to; see [`turn`](crate::turn).
    pub contributions: ContributionLimits,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            dispatch_deadline: Duration::from_secs(60),
            payload: 1 << 20,
            output: 256 << 10,
            background_queue: 1024,
            concurrency: 8,
            processes: None,
            requests: None,
            stop_denials: 3,
            stop_at: StopAt::default(),
            integers: Integers::default(),
            timeout: BTreeMap::new(),
            contributions: ContributionLimits::default(),
        }
    }
}

impl Limits {
    /// Returns the defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets how long one dispatch may take.
    #[must_use]
    pub const fn dispatch_deadline(mut self, deadline: Duration) -> Self {
        self.dispatch_deadline = deadline;
        self
    }

    /// Sets how many bytes an envelope may have.
    #[must_use]
    pub const fn payload(mut self, bytes: usize) -> Self {
        self.payload = bytes;
        self
    }

    /// Sets how many bytes an answer may have.
    #[must_use]
    pub const fn output(mut self, bytes: usize) -> Self {
        self.output = bytes;
        self
    }

    /// Sets how many background calls may wait.
    #[must_use]
    pub const fn background_queue(mut self, calls: usize) -> Self {
        self.background_queue = calls;
        self
    }

    /// Sets how many hooks of one step are called at the same time.
    #[must_use]
    pub const fn concurrency(mut self, calls: usize) -> Self {
        self.concurrency = calls;
        self
    }

    /// Sets how many processes of hooks may be at work at the same time, in the whole engine.
    #[must_use]
    pub const fn processes(mut self, processes: usize) -> Self {
        self.processes = Some(processes);
        self
    }

    /// Sets how many requests of hooks may be at work at the same time, in the whole engine.
    #[must_use]
    pub const fn requests(mut self, requests: usize) -> Self {
        self.requests = Some(requests);
        self
    }

    /// Sets how many times in a row an agent can be kept from stopping.
    #[must_use]
    pub const fn stop_denials(mut self, denials: u64) -> Self {
        self.stop_denials = denials;
        self
    }

    /// Sets at which decision the hooks after it are not called any more.
    ///
    /// ```
    /// use hookgate::contract::StopAt;
    /// use hookgate::table::Limits;
    /// use hookgate::{Engine, Event, HandlerTable, Hook, StepContext, ToolUse, Verdict};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let denies = |id| Hook::sync(id, |_| Ok(Verdict::deny("no"))).event(Event::PreToolUse);
    /// let by = async |stop_at| {
    ///     let limits = Limits::new().stop_at(stop_at);
    ///     let mut table = HandlerTable::builder();
    ///     table.limits(limits).insert(denies("a")).insert(denies("b"));
    ///     let engine = Engine::new(table.build().unwrap());
    ///     let bash = ToolUse::propose("Bash", "{}").unwrap();
    ///     engine.dispatch_reported(bash, &StepContext::new("s")).await.1.by.len()
    /// };
    /// assert_eq!(by(StopAt::Deny).await, 1, "the second is not asked");
    /// assert_eq!(by(StopAt::Halt).await, 2, "both are heard");
    /// # });
    /// ```
    #[must_use]
    pub const fn stop_at(mut self, stop_at: StopAt) -> Self {
        self.stop_at = stop_at;
        self
    }

    /// Sets which integers are accepted.
    #[must_use]
    pub const fn integers(mut self, integers: Integers) -> Self {
        self.integers = integers;
        self
    }

    /// Sets the deadline of hooks of a kind that set none.
    #[must_use]
    pub fn timeout(mut self, kind: impl Into<String>, timeout: Duration) -> Self {
        self.timeout.insert(kind.into(), timeout);
        self
    }

    /// Sets what contributions to a turn may amount to.
    #[must_use]
    pub fn contributions(mut self, contributions: ContributionLimits) -> Self {
        self.contributions = contributions;
        self
    }

    /// Returns the deadline of a hook of a kind that sets none: the configured one, or the default of
    /// the kind. A hook made of a closure has the kind `rust`, and so 5 s.
    #[must_use]
    pub fn timeout_of(&self, kind: &str) -> Duration {
        self.timeout.get(kind).copied().unwrap_or(match kind {
            "builtin" => Duration::from_secs(1),
            "prompt" => Duration::from_secs(30),
            _ => Duration::from_secs(5),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_is_set_and_no_other() {
        let day = Duration::from_secs(86_400);
        let limits = Limits::new()
            .dispatch_deadline(day)
            .payload(1)
            .output(2)
            .background_queue(3)
            .concurrency(4)
            .processes(6)
            .requests(7)
            .stop_denials(5)
            .stop_at(StopAt::Halt)
            .integers(Integers::Exact)
            .timeout("http", day)
            .contributions(ContributionLimits::new().slots(["a"]));
        let expected = Limits {
            dispatch_deadline: day,
            payload: 1,
            output: 2,
            background_queue: 3,
            concurrency: 4,
            processes: Some(6),
            requests: Some(7),
            stop_denials: 5,
            stop_at: StopAt::Halt,
            integers: Integers::Exact,
            timeout: BTreeMap::from([("http".to_owned(), day)]),
            contributions: ContributionLimits { slots: vec!["a".into()], ..Default::default() },
        };
        assert_eq!(limits, expected);
        let timeouts = ["builtin", "prompt", "http", "rust"].map(|kind| limits.timeout_of(kind));
        assert_eq!(timeouts.map(|timeout| timeout.as_secs()), [1, 30, 86_400, 5]);
    }
}
