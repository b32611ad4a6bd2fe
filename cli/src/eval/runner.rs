//! Has a hook evaluate all samples, several times.
//!
//! A repeat begins when the one before it has ended, with a table that is loaded anew: a judge would
//! otherwise answer from its cache, and repeats would tell nothing about how steady it is.

use std::fmt;
use std::sync::Arc;

use hookgate::HandlerTable;
use tokio::task::JoinSet;

use crate::eval::error::EvalError;
use crate::eval::hook_under_test::HookUnderTest;
use crate::eval::metering::Meter;
use crate::eval::recording::{Recording, RecordingHead};
use crate::eval::sample::Sample;
use crate::eval::trial::Trial;

/// How a hook is measured.
///
/// The crate's example calls a hook. This one records the replies of a first run, and replays them:
///
/// ```
/// # use hookgate::contract::BuiltHandler;
/// # use hookgate::{Event, HandlerTable, Hook, Invocation, Verdict};
/// use hookgate_cli::eval::{EvalError, Evaluation, Sample};
/// use serde_json::json;
///
/// # let hook = Hook::sync("not-yet", |_| Ok(Verdict::deny("not yet"))).event(Event::Stop);
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let samples = [Sample::from_value(json!({"hook_event_name": "stop"})).unwrap().into()];
/// let table = || HandlerTable::builder().insert(hook.clone()).build().unwrap();
/// let load = |_: &_| Ok::<_, EvalError>(table());
/// let first = Evaluation::new("not-yet").repeats(3).run(&samples, load).await?;
/// let recording = first.recording("replies.jsonl")?;
///
/// // The handler is not called, and the outcomes are the same.
/// let again = Evaluation::new("not-yet").replay(recording).run(&samples, load).await?;
/// assert!(again.replayed && again.mismatch.is_none());
/// assert_eq!(again.trials, first.trials);
/// # Ok::<_, EvalError>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct Evaluation {
    hook: String,
    repeats: Option<u32>,
    jobs: usize,
    replay: Option<Arc<Recording>>,
    on_trial: Arc<dyn Fn() + Send + Sync>,
}

impl fmt::Debug for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evaluation")
            .field("hook", &self.hook)
            .field("repeats", &self.repeats)
            .field("jobs", &self.jobs)
            .field("replay", &self.replay.is_some())
            .finish_non_exhaustive()
    }
}

/// Why replayed replies may not be those that the hook would give now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingMismatch {
    /// The replies are those of another hook.
    #[error(
        "the recording is that of hook `{recorded}`: these are its replies under the postures of \
         `{hook}`"
    )]
    OtherHook {
        /// The hook that was recorded.
        recorded: String,
        /// The hook that is measured.
        hook: String,
    },
    /// The hook has changed since it was recorded.
    #[error("`{hook}` has changed since it was recorded: these are the figures of the earlier one")]
    OtherConfig {
        /// The hook.
        hook: String,
    },
}

/// What came out of an [`Evaluation`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EvaluationRun {
    /// The hook.
    pub hook: String,
    /// The hash of the table that held the hook alone.
    pub config_hash: String,
    /// What the hook goes by: the rule of a judge, or the settings of another handler as JSON.
    pub rule: String,
    /// How many times each sample was evaluated.
    pub repeats: u32,
    /// Whether the replies come from a recording.
    pub replayed: bool,
    /// Why the recording may not be that of this hook.
    pub mismatch: Option<RecordingMismatch>,
    /// The trials of each sample, in the order of the samples.
    pub trials: Vec<Vec<Trial>>,
}

impl EvaluationRun {
    /// Whether the hook was invoked at least once: its conditions may match none of the samples.
    #[must_use]
    pub fn was_invoked(&self) -> bool {
        self.trials.iter().flatten().any(|trial| trial.reply.invoked)
    }

    /// Returns the replies as a recording, under the name of the file that it will be written to.
    ///
    /// # Errors
    /// [`EvalError::Recording`] if two samples were the same.
    pub fn recording(&self, name: impl Into<String>) -> Result<Recording, EvalError> {
        let head = RecordingHead::new(&self.hook, &self.config_hash, self.repeats);
        Recording::new(name, head, self.trials.iter().flatten().map(|trial| trial.reply.clone()))
    }

    /// Returns the latencies of the calls that were made, sorted, in milliseconds.
    #[must_use]
    pub fn latencies_ms(&self) -> Vec<f64> {
        let invoked = self.trials.iter().flatten().filter(|trial| trial.reply.invoked);
        let mut latencies: Vec<f64> =
            invoked.map(|trial| trial.reply.latency_us as f64 / 1000.0).collect();
        latencies.sort_by(f64::total_cmp);
        latencies
    }
}

impl Evaluation {
    /// Returns an evaluation of the hook of this id: once for each sample, one after the other.
    #[must_use]
    pub fn new(hook: impl Into<String>) -> Self {
        Self { hook: hook.into(), repeats: None, jobs: 1, replay: None, on_trial: Arc::new(|| {}) }
    }

    /// Sets how many times each sample is evaluated, at least once. The default is once, or as often
    /// as was recorded.
    #[must_use]
    pub fn repeats(mut self, repeats: u32) -> Self {
        self.repeats = Some(repeats.max(1));
        self
    }

    /// Sets how many samples are evaluated at the same time, at least one. More than one makes each
    /// slower, and so changes the latencies.
    #[must_use]
    pub fn jobs(mut self, jobs: usize) -> Self {
        self.jobs = jobs.max(1);
        self
    }

    /// Takes the replies from a recording: the hook is not called.
    #[must_use]
    pub fn replay(mut self, recording: Recording) -> Self {
        self.replay = Some(Arc::new(recording));
        self
    }

    /// Sets a function that is called after each trial, for a progress bar. There are
    /// [`planned_trials`](Self::planned_trials).
    #[must_use]
    pub fn on_trial(mut self, on_trial: impl Fn() + Send + Sync + 'static) -> Self {
        self.on_trial = Arc::new(on_trial);
        self
    }

    /// Returns how many trials a run with so many samples makes.
    #[must_use]
    pub fn planned_trials(&self, samples: usize) -> u64 {
        samples as u64 * u64::from(self.effective_repeats())
    }

    fn effective_repeats(&self) -> u32 {
        let recorded = self.replay.as_ref().map(|recording| recording.head().repeats);
        self.repeats.or(recorded).unwrap_or(1)
    }

    /// Evaluates all samples.
    ///
    /// `load` returns the table with the hook. It is called once for each repeat, because a judge of
    /// an earlier repeat would answer from its cache; the judges of the table report tokens and cost
    /// if they are built with [`Meter::judge_factory`].
    ///
    /// # Errors
    /// What `load` returns, and an [`EvalError`]: the hook is not in the table or decides nothing, or
    /// the recording lacks a reply.
    ///
    /// # Cancel safety
    /// Dropping the future ends all calls of the hook.
    pub async fn run<E: From<EvalError>>(
        &self,
        samples: &[Arc<Sample>],
        mut load: impl FnMut(&Meter) -> Result<HandlerTable, E>,
    ) -> Result<EvaluationRun, E> {
        let repeats = self.effective_repeats();
        if let Some(recording) = &self.replay {
            recording.check_covers(samples.iter().map(AsRef::as_ref), repeats)?;
        }
        let mut run = EvaluationRun {
            hook: self.hook.clone(),
            config_hash: String::new(),
            rule: String::new(),
            repeats,
            replayed: self.replay.is_some(),
            mismatch: None,
            trials: samples.iter().map(|_| Vec::new()).collect(),
        };
        for repeat in 1..=repeats {
            let meter = Meter::new();
            let table = load(&meter)?;
            let hook = HookUnderTest::new(&table, &self.hook, meter, self.replay.clone())?;
            if repeat == 1 {
                run.config_hash = hook.config_hash();
                run.rule = hook.rule().to_owned();
                run.mismatch = self.mismatch(&run.config_hash);
            }
            let trials = self.run_repeat(Arc::new(hook), samples, repeat).await?;
            for (all, trial) in run.trials.iter_mut().zip(trials) {
                all.push(trial);
            }
        }
        Ok(run)
    }

    fn mismatch(&self, config_hash: &str) -> Option<RecordingMismatch> {
        let head = self.replay.as_ref()?.head();
        let hook = self.hook.clone();
        if head.hook != hook {
            let recorded = head.hook.clone();
            return Some(RecordingMismatch::OtherHook { recorded, hook });
        }
        (head.config_hash != config_hash).then_some(RecordingMismatch::OtherConfig { hook })
    }

    /// Evaluates each sample once; the trials are in the order of the samples.
    async fn run_repeat(
        &self,
        hook: Arc<HookUnderTest>,
        samples: &[Arc<Sample>],
        repeat: u32,
    ) -> Result<Vec<Trial>, EvalError> {
        let mut running = JoinSet::new();
        let mut waiting = samples.iter().cloned().enumerate();
        let mut done = Vec::with_capacity(samples.len());
        loop {
            while running.len() < self.jobs
                && let Some((index, sample)) = waiting.next()
            {
                let hook = Arc::clone(&hook);
                running.spawn(async move { (index, hook.evaluate(&sample, repeat).await) });
            }
            let Some(joined) = running.join_next().await else { break };
            let (index, trial) = joined.map_err(|error| {
                EvalError::Internal(format!("an evaluation broke off: {error}"))
            })?;
            done.push((index, trial?));
            (self.on_trial)();
        }
        done.sort_by_key(|(index, _)| *index);
        Ok(done.into_iter().map(|(_, trial)| trial).collect())
    }
}
