//! A run as it is queued, and as it is read.

use std::time::Duration;

use rusqlite::Row;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::backoff::Backoff;
use super::state::RunState;

/// The columns of a run, in the order in which it is read.
pub(super) const COLUMNS: &str = "id, key, kind, visibility, scope, session, step, event, hook, hook_hash, config, state, \
     attempts, max_attempts, queued, due, started, ended, holder, epoch, until, input_hash, contributions, class, why";

/// What sort of work a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunKind {
    /// A hook that is called without anybody waiting for it.
    Hook,
    /// A job that a hook has contributed for later.
    Job,
}

impl RunKind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Job => "job",
        }
    }
}

/// Whom a run is of interest to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Visibility {
    /// The user of the agent.
    User,
    /// Who runs the agent.
    #[default]
    Operator,
}

impl Visibility {
    /// The names on the wire and on the command line.
    pub const NAMES: &[&str] = &["user", "operator"];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Operator => "operator",
        }
    }
}

/// A run that is to be queued. All that it does not say has a default.
///
/// ```
/// use hookgate_store::{NewRun, RunKind};
/// use serde_json::json;
///
/// let run = NewRun::new(RunKind::Hook, "key-1", "audit-log", json!({"hook_event_name": "session_end"}))
///     .session("session-1")
///     .attempts(3);
/// # let _ = run;
/// ```
#[derive(Debug, Clone)]
pub struct NewRun {
    pub(super) key: String,
    pub(super) kind: RunKind,
    pub(super) hook: String,
    pub(super) input: Value,
    pub(super) visibility: Visibility,
    pub(super) session: String,
    pub(super) step: String,
    pub(super) event: String,
    pub(super) hook_hash: String,
    pub(super) config: String,
    pub(super) max_attempts: u32,
    pub(super) backoff: Backoff,
    pub(super) timeout: Duration,
    pub(super) delay: Duration,
}

impl NewRun {
    /// Makes one. The key names the work: what was queued once under a key is not queued again.
    #[must_use]
    pub fn new(
        kind: RunKind,
        key: impl Into<String>,
        hook: impl Into<String>,
        input: Value,
    ) -> Self {
        Self {
            key: key.into(),
            kind,
            hook: hook.into(),
            input,
            visibility: Visibility::default(),
            session: String::new(),
            step: String::new(),
            event: String::new(),
            hook_hash: String::new(),
            config: String::new(),
            max_attempts: 3,
            backoff: Backoff::default(),
            timeout: Duration::from_secs(60),
            delay: Duration::ZERO,
        }
    }

    /// Sets whom it is of interest to; by default who runs the agent.
    #[must_use]
    pub const fn visibility(mut self, visibility: Visibility) -> Self {
        self.visibility = visibility;
        self
    }

    /// Sets the session.
    #[must_use]
    pub fn session(mut self, session: impl Into<String>) -> Self {
        self.session = session.into();
        self
    }

    /// Sets the step and its event.
    #[must_use]
    pub fn step(mut self, step: impl Into<String>, event: impl Into<String>) -> Self {
        self.step = step.into();
        self.event = event.into();
        self
    }

    /// Sets the hashes of the hook and of the config that it is of. Under another config it is not done.
    #[must_use]
    pub fn of_config(mut self, hook: impl Into<String>, config: impl Into<String>) -> Self {
        self.hook_hash = hook.into();
        self.config = config.into();
        self
    }

    /// Sets how often it may be tried, 3 times by default; once at least.
    #[must_use]
    pub fn attempts(mut self, most: u32) -> Self {
        self.max_attempts = most.max(1);
        self
    }

    /// Sets how long it waits before it is tried again.
    #[must_use]
    pub const fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// Sets how long an attempt may take, a minute by default.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Has it wait before it is tried for the first time, a minute at most.
    #[must_use]
    pub const fn delay(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }
}

/// A run, as it is recorded. What it is done with is not among it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Run {
    /// Its number, from 1.
    pub id: u64,
    /// What names the work.
    pub key: String,
    /// What sort of work it is.
    pub kind: RunKind,
    /// Whom it is of interest to.
    pub visibility: Visibility,
    /// Which configs it belongs to, such as those of a project.
    pub scope: String,
    /// The session.
    pub session: String,
    /// The step.
    pub step: String,
    /// The event.
    pub event: String,
    /// The hook.
    pub hook: String,
    /// What the hook does, as a hash.
    pub hook_hash: String,
    /// The config, as a hash.
    pub config: String,
    /// Its state.
    pub state: RunState,
    /// How often it was claimed.
    pub attempts: u32,
    /// How often it may be.
    pub max_attempts: u32,
    /// When it was queued, in milliseconds since 1970, as all times here.
    pub queued: u64,
    /// When it is due.
    pub due: u64,
    /// When it was claimed last.
    pub started: Option<u64>,
    /// When it ended.
    pub ended: Option<u64>,
    /// The process that does it.
    pub holder: Option<String>,
    /// The number of its claim: what comes of an earlier one does not count.
    pub epoch: u64,
    /// When its holder has to have said again that it is there.
    pub until: Option<u64>,
    /// The hash of what it is done with.
    pub input_hash: String,
    /// The hashes of what came of it.
    pub contributions: Vec<String>,
    /// The class of its last failure.
    pub class: Option<String>,
    /// What is said of its last failure, without secrets.
    pub why: Option<String>,
}

impl Run {
    pub(super) fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        let contributions: Option<String> = row.get(22)?;
        let contributions = contributions.map(|text| text.lines().map(str::to_owned).collect());
        Ok(Self {
            id: row.get(0)?,
            key: row.get(1)?,
            kind: match row.get_ref(2)?.as_str()? {
                "job" => RunKind::Job,
                _ => RunKind::Hook,
            },
            visibility: match row.get_ref(3)?.as_str()? {
                "user" => Visibility::User,
                _ => Visibility::Operator,
            },
            scope: row.get(4)?,
            session: row.get(5)?,
            step: row.get(6)?,
            event: row.get(7)?,
            hook: row.get(8)?,
            hook_hash: row.get(9)?,
            config: row.get(10)?,
            state: row.get(11)?,
            attempts: row.get(12)?,
            max_attempts: row.get(13)?,
            queued: row.get(14)?,
            due: row.get(15)?,
            started: row.get(16)?,
            ended: row.get(17)?,
            holder: row.get(18)?,
            epoch: row.get(19)?,
            until: row.get(20)?,
            input_hash: row.get(21)?,
            contributions: contributions.unwrap_or_default(),
            class: row.get(23)?,
            why: row.get(24)?,
        })
    }
}

/// One claim of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Attempt {
    /// Its number, from 1; after a retry by hand it goes on.
    pub number: u32,
    /// The claim.
    pub epoch: u64,
    /// The process.
    pub holder: String,
    /// When it began, in milliseconds since 1970.
    pub started: u64,
    /// How long it took, by the holder's own clock; unknown if it never said.
    pub took_us: Option<u64>,
    /// What the run became by it; `None` while it goes on.
    pub outcome: Option<String>,
    /// The class of its failure.
    pub class: Option<String>,
    /// What is said of its failure.
    pub why: Option<String>,
}

/// Something that happened to a run, or that a hook has said for the audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AuditRow {
    /// When, in milliseconds since 1970. The order is that of the rows.
    pub time: u64,
    /// What.
    pub what: String,
    /// More about it, without secrets.
    pub detail: Option<String>,
}

/// A run with all that is recorded of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunHistory {
    /// The run.
    pub run: Run,
    /// Its claims, in order.
    pub attempts: Vec<Attempt>,
    /// What happened to it, in order.
    pub audit: Vec<AuditRow>,
}
