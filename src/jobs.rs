//! The seam to a durable queue: calls of hooks that are recorded first and made later, by whichever process has
//! time for them.
//!
//! A hook with `background = "record"` is fired and recorded: no dispatch waits for it, and it outlives the
//! process. When its turn comes the engine makes a [`Job`] of the step and hands it to the [`JobQueue`] of the
//! host ([`Engine::with_jobs`](crate::Engine::with_jobs)). A worker takes it from there and lets the engine make
//! the call: [`Engine::run_job`](crate::Engine::run_job).
//!
//! ```text
//! dispatch ─ JobQueue::submit ─▶ kept ─▶ a worker claims it ─ Engine::run_job ─▶ done, failed or superseded
//!               │
//!               └─ refused ─▶ dropped: counted, announced, and the user reads of it
//! ```
//!
//! Without a queue such a hook runs in the background of the process, as with `background = true`, and the user
//! reads that nothing records it.

use std::sync::Arc;

use hookgate_contract::contribution::{BackgroundJob, Contribution};
use hookgate_contract::{Failure, FailureClass};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::config_hash::ConfigHash;
use crate::digest::digest;
use crate::hook_id::HookId;
use crate::read_json::read_json;

/// A call of a hook about a step, with all that is needed to make it later, in another process.
///
/// It is written as one JSON object and read back with [`Job::from_json`], strictly. It holds the step, so what
/// keeps it keeps what the step holds, secrets included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Job {
    /// The session.
    pub session_id: String,
    /// The step, as records name it.
    pub step_id: String,
    /// The SHA-256 of the step, as `sha256:` and 64 hexadecimal digits: see [`step_digest`].
    pub step_digest: String,
    /// The hook.
    pub hook_id: HookId,
    /// The identity of the hook: [`HookSpec::config_hash`](crate::HookSpec::config_hash).
    pub hook_hash: ConfigHash,
    /// The identity of the config: [`HandlerTable::config_hash`](crate::HandlerTable::config_hash). The job is made
    /// by this config and by no other.
    pub config_hash: ConfigHash,
    /// The step as handlers read it, with the decision.
    pub envelope: Map<String, Value>,
    /// Jobs of the same key are one job: see [`idempotency_key`].
    pub idempotency_key: String,
    /// The work that the hook has asked for, if the job is that; `None` if it is the call of the hook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contributed: Option<BackgroundJob>,
    /// Whether what becomes of it is of interest to the user of the agent, and not to its operator only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub visible_to_user: bool,
}

impl Job {
    /// Makes the job of a hook about a step, with its digest and key.
    #[must_use]
    pub fn new(
        hook_id: HookId,
        hook_hash: ConfigHash,
        config_hash: ConfigHash,
        envelope: Map<String, Value>,
    ) -> Self {
        let text = |name: &str| envelope.get(name).and_then(Value::as_str).unwrap_or_default();
        let session_id = text("session_id").to_owned();
        let step_digest = step_digest(&envelope);
        Self {
            idempotency_key: idempotency_key(&session_id, &step_digest, &hook_id, hook_hash),
            step_id: text("step_id").to_owned(),
            session_id,
            step_digest,
            hook_id,
            hook_hash,
            config_hash,
            envelope,
            contributed: None,
            visible_to_user: false,
        }
    }

    /// Makes it the work that the hook has asked for. Two that the hook has given the same key are one job; those
    /// without one are told apart by their names.
    #[must_use]
    pub fn contributed(mut self, work: BackgroundJob) -> Self {
        let own = work.idempotency_key.as_deref().unwrap_or(&work.job_id);
        let given = work.idempotency_key.is_some();
        let of = if given { &self.session_id } else { &self.idempotency_key };
        self.idempotency_key = digest(&json!([of, self.hook_id, own]));
        self.contributed = Some(work);
        self
    }

    /// Reads a job that was written as JSON.
    ///
    /// # Errors
    /// What makes the bytes something else than one job: an unknown or repeated key among others.
    pub fn from_json(bytes: &[u8]) -> serde_json::Result<Self> {
        read_json(bytes)
    }
}

/// Returns the SHA-256 of a step: of its envelope in canonical form (RFC 8785), without what the engine adds to it
/// (generation, decision, the mark of the final round). A step that a host proposes again under its id has the same.
///
/// ```
/// use hookgate::jobs::step_digest;
/// use serde_json::json;
///
/// let step = |generation: u64| {
///     let step = json!({"hook_event_name": "run_failed", "step_id": "s-1", "error": "e", "generation": generation});
///     step.as_object().cloned().unwrap_or_default()
/// };
/// assert_eq!(step_digest(&step(1)), step_digest(&step(2)));
/// assert!(step_digest(&step(1)).starts_with("sha256:"));
/// ```
#[must_use]
pub fn step_digest(envelope: &Map<String, Value>) -> String {
    let own = |name: &&String| !matches!(name.as_str(), "generation" | "decision" | "rejudge");
    let step: Map<_, _> = envelope
        .iter()
        .filter(|(name, _)| own(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    digest(&Value::Object(step))
}

/// Returns the key of a job: the SHA-256 of session, step, hook and the identity of the hook.
#[must_use]
pub fn idempotency_key(
    session_id: &str,
    step_digest: &str,
    hook_id: &str,
    hook_hash: ConfigHash,
) -> String {
    digest(&json!([session_id, step_digest, hook_id, hook_hash]))
}

/// A [`JobQueue`] has not taken a job.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JobRefused {
    /// As many jobs wait as it keeps.
    #[error("too many jobs are waiting")]
    Full,
    /// It takes none any more.
    #[error("the queue is closed")]
    Closed,
    /// It could not keep the job; this says why.
    #[error("the job could not be kept: {0}")]
    NotKept(String),
}

/// Keeps the jobs of an engine until they are done.
///
/// ```
/// use std::sync::{Arc, Mutex};
/// use hookgate::contract::BuiltHandler;
/// use hookgate::jobs::Job;
/// use hookgate::{Engine, Event, HandlerTable, HookEngine, Hook, Role, StepContext, ToolUse, Verdict};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let queue = Arc::new(Mutex::new(Vec::new()));
/// let kept = Arc::clone(&queue);
/// let mirror = BuiltHandler::async_fn(|call| Box::pin(async move {
///     assert!(call.idempotency_key().is_some());
///     Ok(Verdict::none())
/// }));
/// let hook = Hook::new("mirror", "rust", mirror)
///     .event(Event::PreToolUse)
///     .role(Role::Observe)
///     .fire_and_record();
/// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?)
///     .with_jobs(move |job: Job| {
///         kept.lock().unwrap().push(job);
///         Ok(())
///     });
/// let step = ToolUse::propose("Bash", "{}").unwrap();
/// assert!(engine.dispatch(step, &StepContext::new("s")).await.is_cleared());
///
/// // Later, perhaps in another process with the same config:
/// let job = queue.lock().unwrap().pop().unwrap();
/// assert!(engine.run_job(&job).await.is_ok());
/// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
/// ```
pub trait JobQueue: Send + Sync {
    /// Takes a job, and returns once it is kept. A job of a key that is known already is taken and changes nothing.
    ///
    /// It is called on the task of the dispatch, which goes on when this returns, and must not dispatch at the
    /// engine that called it. A panic is caught: the job is refused.
    ///
    /// # Errors
    /// Why the job is not kept. The step goes on without it, and the user reads of that.
    fn submit(&self, job: Job) -> Result<(), JobRefused>;
}

impl<F: Fn(Job) -> Result<(), JobRefused> + Send + Sync> JobQueue for F {
    fn submit(&self, job: Job) -> Result<(), JobRefused> {
        self(job)
    }
}

impl<Q: JobQueue + ?Sized> JobQueue for Arc<Q> {
    fn submit(&self, job: Job) -> Result<(), JobRefused> {
        (**self).submit(job)
    }
}

/// What came of a job that was run.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct JobDone {
    /// What the hook has contributed: lines for the audit log, diagnostics, more work.
    pub contributions: Vec<Contribution>,
    /// The fields that a rewriter would set; they are never applied.
    pub patch: Map<String, Value>,
    /// What the handler noted.
    pub note: Option<String>,
    /// How the attempts before the last one have failed, if the hook has `retry`.
    pub failed_attempts: Vec<FailureClass>,
}

/// Why a job was not done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// Another config is in force than the one that made the job, so it is not made.
    #[error("the job belongs to another config: {made_by}")]
    Superseded {
        /// The config that made the job.
        made_by: ConfigHash,
    },
    /// The config has no such hook at the event of the step.
    #[error("there is no hook `{0}` at the event of the step")]
    MissingHook(HookId),
    /// The step cannot be read.
    #[error("the step cannot be read: {0}")]
    Unreadable(String),
    /// The job is work that a hook has asked for: that is done by the host, not by a hook.
    #[error("the job is work for the host, not the call of a hook")]
    NotACall,
    /// The hook has failed.
    #[error("the hook has failed: {0}")]
    Failed(Failure),
}
