//! How the calls of an engine get to a durable queue, and how they are made later.

use std::borrow::Cow;
use std::sync::Arc;

use hookgate_contract::Observed;
use hookgate_contract::payload::AnyPayload;
use serde_json::Value;

use super::Engine;
use crate::dispatch::JobCall;
use crate::envelope::Incoming;
use crate::jobs::{Job, JobDone, JobError, JobQueue};

impl Engine {
    /// Hands calls of hooks that are fired and recorded to a queue from now on: see [`jobs`](crate::jobs).
    #[must_use]
    pub fn with_jobs(mut self, queue: impl JobQueue + 'static) -> Self {
        self.shared_mut().services.jobs = Some(Arc::new(queue));
        self
    }

    /// Has the queue ([`Engine::with_jobs`]) also take the work that hooks ask for with a `background_job`, at each
    /// event, once the step is decided: of a step that the user is asked about, when he approves it. Without this the host finds it in
    /// [`Decision::contributions`](crate::Decision::contributions) and does it itself; with it, it stays there and is
    /// already queued. What the queue does not keep is told in the messages of the decision.
    #[must_use]
    pub fn with_asked_work(mut self) -> Self {
        self.shared_mut().services.takes_work = true;
        self
    }

    /// Makes the call of a job, within the timeout of its hook, by the table in force. Whether the hook is about the
    /// step was decided when the job was made. The handler can read the key of the job
    /// ([`Invocation::idempotency_key`](crate::Invocation::idempotency_key)); a call whose process dies in the middle
    /// may be made again with the same one.
    ///
    /// # Errors
    /// Why the job is not done. Only [`JobError::Failed`] may go better another time.
    ///
    /// # Cancel safety
    /// Dropping the future ends the call, which lets go of all that it has started.
    pub async fn run_job(&self, job: &Job) -> Result<JobDone, JobError> {
        if job.contributed.is_some() {
            return Err(JobError::NotACall);
        }
        let table = self.table();
        if table.config_hash() != job.config_hash {
            return Err(JobError::Superseded { made_by: job.config_hash });
        }
        let incoming = Incoming::from_object(job.envelope.clone());
        let mut incoming = incoming.map_err(|error| JobError::Unreadable(error.to_string()))?;
        let missing = || JobError::MissingHook(job.hook_id.clone());
        let payload: &dyn AnyPayload = incoming.payload.as_payload_mut();
        let bucket = table.bucket(payload).ok_or_else(missing)?;
        let mut hooks = bucket.entries.iter();
        let hook = hooks.find(|hook| *hook.id() == job.hook_id).ok_or_else(missing)?;
        let context = incoming.header.context();
        let decided = job.envelope.get("decision").map(read_decision);
        let decided = decided.transpose().map_err(JobError::Unreadable)?;
        let observed = decided.as_ref().map(|decided| {
            let by = decided.by.iter().map(String::as_str).collect();
            Observed::new(&decided.outcome, by, decided.reason.as_deref(), &decided.patched)
        });
        let call = JobCall {
            services: &self.shared.services,
            table: &table,
            bucket,
            hook,
            payload,
            context: &context,
            generation: table.generation().get(),
            limit: table.limits.payload,
            observed: observed.as_ref(),
        };
        call.make(&job.idempotency_key).await.map_err(JobError::Failed)
    }
}

/// The decision about a step, as it stands in an envelope.
struct Decided {
    outcome: String,
    by: Vec<String>,
    reason: Option<String>,
    patched: Vec<Cow<'static, str>>,
}

fn read_decision(decision: &Value) -> Result<Decided, String> {
    let texts = |name: &str| {
        let texts = decision.get(name).and_then(Value::as_array);
        let texts = texts.map(|texts| texts.iter().map(|text| Some(text.as_str()?.to_owned())));
        let texts = texts.and_then(|mut texts| texts.by_ref().collect::<Option<Vec<String>>>());
        texts.ok_or_else(|| format!("`decision.{name}` must be a list of texts"))
    };
    let text = |name: &str| decision.get(name).and_then(Value::as_str).map(str::to_owned);
    Ok(Decided {
        outcome: text("outcome").ok_or("`decision.outcome` must be a text")?,
        by: texts("by")?,
        reason: text("reason"),
        patched: texts("patched")?.into_iter().map(Cow::Owned).collect(),
    })
}
