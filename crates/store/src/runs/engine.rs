//! The runs of an engine: calls of hooks, and jobs that hooks have asked for.

use std::fmt;
use std::sync::Arc;

use hookgate::Engine;
use hookgate::contract::contribution::Contribution;
use hookgate::contract::{Failure, FailureClass};
use hookgate::jobs::{Job, JobDone, JobError, JobQueue as _, JobRefused};
use serde_json::Value;

use super::RunStore;
use super::claimed::Refusal;
use super::handler::{HandledFuture, RunHandler, RunOutcome};
use super::record::{Run, RunKind};

/// Does a job that a hook has asked for.
type HostJobs = Arc<dyn Fn(Job) -> HandledFuture<'static> + Send + Sync>;

/// Does the runs of an engine: makes the calls of its hooks, under the config that queued them and no other.
///
/// ```
/// use std::sync::Arc;
/// use hookgate::contract::BuiltHandler;
/// use hookgate::{Engine, Event, HandlerTable, Hook, HookEngine, Role, StepContext, ToolUse, Verdict};
/// use hookgate_store::{EngineRuns, RunSettings, RunState, RunStore, Worker};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let folder = tempfile::tempdir()?;
/// let store = RunStore::open(RunSettings::new(folder.path().join("runs.db")))?;
/// let handler = BuiltHandler::async_fn(|_| Box::pin(async { Ok(Verdict::none()) }));
/// let hook = Hook::new("mirror", "rust", handler)
///     .event(Event::PreToolUse)
///     .role(Role::Observe)
///     .fire_and_record();
/// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?).with_jobs(store.clone());
/// let engine = Arc::new(engine);
/// let step = ToolUse::propose("Bash", "{}").unwrap();
/// drop(engine.dispatch(step, &StepContext::new("session-1")).await);
/// assert_eq!(store.run(1)?.state, RunState::Queued);
///
/// // Later, perhaps in another process with the same config:
/// Worker::new(store.clone(), EngineRuns::new(engine, store.clone())).until_idle().await?;
/// assert_eq!(store.run(1)?.state, RunState::Succeeded);
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct EngineRuns {
    engine: Arc<Engine>,
    store: RunStore,
    jobs: Option<HostJobs>,
    config_read: Option<u64>,
}

impl EngineRuns {
    /// Makes the calls of the hooks of this engine. The jobs that they ask for are queued in this store.
    #[must_use]
    pub const fn new(engine: Arc<Engine>, store: RunStore) -> Self {
        Self { engine, store, jobs: None, config_read: None }
    }

    /// Also does the jobs that hooks ask for, by this function of the host: which work they are is in
    /// [`Job::contributed`]. Without one they have no handler.
    #[must_use]
    pub fn with_jobs(
        self,
        jobs: impl Fn(Job) -> HandledFuture<'static> + Send + Sync + 'static,
    ) -> Self {
        Self { jobs: Some(Arc::new(jobs)), ..self }
    }

    /// Says when the config of the engine was read, in milliseconds since 1970. What another config has queued later is
    /// left, since that may be the newer one.
    #[must_use]
    pub const fn config_read(mut self, at: u64) -> Self {
        self.config_read = Some(at);
        self
    }

    async fn call(&self, job: &Job) -> RunOutcome {
        match self.engine.run_job(job).await {
            Ok(done) => match self.queue_work(job, &done) {
                Ok(()) => succeeded(&done),
                Err(refused) => RunOutcome::Failed {
                    class: "state".to_owned(),
                    why: refused.to_string(),
                    may_go_away: true,
                },
            },
            Err(JobError::Failed(failure)) => failed(&failure),
            Err(error) => {
                let refusal = match error {
                    JobError::Superseded { .. } => Refusal::Superseded,
                    JobError::Unreadable(_) => Refusal::Unreadable,
                    _ => Refusal::HandlerMissing,
                };
                RunOutcome::Refused { refusal, why: error.to_string() }
            }
        }
    }
}

impl EngineRuns {
    /// Queues the jobs that a hook has asked for. If the run is done again, they have the same keys.
    fn queue_work(&self, job: &Job, done: &JobDone) -> Result<(), JobRefused> {
        for contribution in &done.contributions {
            if let Contribution::BackgroundJob(work) = contribution {
                self.store.submit(job.clone().contributed(work.clone()))?;
            }
        }
        Ok(())
    }
}

impl RunHandler for EngineRuns {
    fn config_hash(&self) -> String {
        self.engine.table().config_hash().to_string()
    }

    fn config_read(&self) -> Option<u64> {
        self.config_read
    }

    fn handles(&self, run: &Run) -> bool {
        match run.kind {
            RunKind::Hook => self.engine.table().specs().any(|hook| hook.id() == run.hook.as_str()),
            RunKind::Job => self.jobs.is_some(),
        }
    }

    fn handle<'a>(&'a self, _: &'a Run, input: &'a Value) -> HandledFuture<'a> {
        let job = match Job::from_json(input.to_string().as_bytes()) {
            Ok(job) => job,
            Err(error) => {
                let (refusal, why) = (Refusal::Unreadable, error.to_string());
                return Box::pin(async move { RunOutcome::Refused { refusal, why } });
            }
        };
        match &self.jobs {
            Some(jobs) if job.contributed.is_some() => jobs(job),
            _ => Box::pin(async move { self.call(&job).await }),
        }
    }
}

impl fmt::Debug for EngineRuns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineRuns").field("engine", &self.engine).finish_non_exhaustive()
    }
}

fn succeeded(done: &JobDone) -> RunOutcome {
    let (mut contributions, mut audit) = (Vec::new(), Vec::new());
    for contribution in &done.contributions {
        let value = serde_json::to_value(contribution).unwrap_or_default();
        if let Contribution::Audit(_) = contribution {
            audit.push(value.clone());
        }
        contributions.push(value);
    }
    if !done.patch.is_empty() {
        contributions.push(Value::Object(done.patch.clone()));
    }
    RunOutcome::Succeeded { contributions, audit }
}

fn failed(failure: &Failure) -> RunOutcome {
    let why = failure.detail.to_string();
    if failure.class == FailureClass::Timeout {
        return RunOutcome::TimedOut { why };
    }
    RunOutcome::Failed {
        class: failure.class.to_string(),
        why,
        may_go_away: may_go_away(failure.class),
    }
}

/// Returns whether another try may help. What was said wrongly, or is not allowed, is the same the next time.
const fn may_go_away(class: FailureClass) -> bool {
    !matches!(
        class,
        FailureClass::Malformed
            | FailureClass::Illegal
            | FailureClass::Oversize
            | FailureClass::Auth
            | FailureClass::Untrusted
            | FailureClass::Unsure
            | FailureClass::Unclear
            | FailureClass::Skipped
    )
}
