//! A recorder that makes metrics of the records.

use std::sync::Arc;

use hookgate::decision::{Vote, VoteOutcome};
use hookgate::recorder::{
    DispatchEnd, KeptFuture, ReadyFuture, Record, RecordLost, Recorder, ReloadEvent, ReloadRecord,
};
use opentelemetry::KeyValue;
use opentelemetry::metrics::{Counter, Histogram, Meter};

/// A recorder that makes metrics of the records, and hands them to another one if there is one.
pub struct Metrics {
    behind: Option<Arc<dyn Recorder>>,
    dispatches: Histogram<f64>,
    hooks: Histogram<f64>,
    waited: Histogram<f64>,
    failures: Counter<u64>,
    lost: Counter<u64>,
    reloads: Counter<u64>,
}

impl std::fmt::Debug for Metrics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Metrics").field("behind", &self.behind.is_some()).finish_non_exhaustive()
    }
}

const MICROSECONDS: f64 = 1e-6;

impl Metrics {
    /// Makes the metrics of an engine.
    #[must_use]
    pub fn new(meter: &Meter) -> Self {
        let seconds = |name| meter.f64_histogram(name).with_unit("s").build();
        let count = |name| meter.u64_counter(name).build();
        Self {
            behind: None,
            dispatches: seconds("hookgate.dispatch.duration"),
            hooks: seconds("hookgate.hook.duration"),
            waited: seconds("hookgate.hook.waited"),
            failures: count("hookgate.hook.failures"),
            lost: count("hookgate.records.lost"),
            reloads: count("hookgate.reloads"),
        }
    }

    /// Hands each record to another recorder too, such as a journal. What that one asks of the engine holds.
    #[must_use]
    pub fn before(mut self, recorder: Arc<dyn Recorder>) -> Self {
        self.behind = Some(recorder);
        self
    }

    fn measure(&self, record: &Record) {
        let report = &record.report;
        let event = KeyValue::new("event", report.event.clone().unwrap_or_default());
        let outcome = KeyValue::new("outcome", report.decision.name());
        let end = KeyValue::new("end", record.end.name());
        if let Some(micros) = report.duration_us {
            let attributes = [event.clone(), outcome, end];
            self.dispatches.record(seconds(micros), &attributes);
        }
        // What the user has approved was measured when it was asked about.
        if record.end == DispatchEnd::Approved {
            return;
        }
        for vote in &report.votes {
            self.measure_hook(vote, &event);
        }
    }

    fn measure_hook(&self, vote: &Vote, event: &KeyValue) {
        let hook = KeyValue::new("hook", vote.hook.to_string());
        if let Some(micros) = vote.duration_us {
            let outcome = KeyValue::new("outcome", outcome_name(vote.outcome));
            self.hooks.record(seconds(micros), &[event.clone(), hook.clone(), outcome]);
        }
        if let Some(micros) = vote.waited_us {
            self.waited.record(seconds(micros), &[event.clone(), hook.clone()]);
        }
        for class in vote.failed_attempts.iter().chain(&vote.failure) {
            let class = KeyValue::new("class", class.to_string());
            self.failures.add(1, &[event.clone(), hook.clone(), class]);
        }
    }

    fn count_lost<T>(&self, handed: Result<T, RecordLost>) -> Result<T, RecordLost> {
        handed.inspect_err(|_| self.lost.add(1, &[]))
    }
}

#[expect(clippy::cast_precision_loss, reason = "a duration of 2^52 microseconds is 142 years")]
const fn seconds(micros: u64) -> f64 {
    micros as f64 * MICROSECONDS
}

const fn outcome_name(outcome: VoteOutcome) -> &'static str {
    match outcome {
        VoteOutcome::Verdict => "verdict",
        VoteOutcome::Abstained => "abstained",
        VoteOutcome::Failed => "failed",
        VoteOutcome::Cancelled => "cancelled",
        VoteOutcome::Observed => "observed",
        VoteOutcome::Would => "would",
    }
}

impl Recorder for Metrics {
    fn record(&self, record: Record) -> Result<(), RecordLost> {
        self.measure(&record);
        match &self.behind {
            Some(behind) => self.count_lost(behind.record(record)),
            None => Ok(()),
        }
    }

    fn record_kept(&self, record: Record) -> Result<Option<KeptFuture>, RecordLost> {
        self.measure(&record);
        match &self.behind {
            Some(behind) => self.count_lost(behind.record_kept(record)),
            None => Ok(None),
        }
    }

    fn is_required(&self) -> bool {
        self.behind.as_ref().is_some_and(|behind| behind.is_required())
    }

    fn reload(&self, record: ReloadRecord) {
        let refused = record.event == ReloadEvent::ReloadFailed;
        self.reloads.add(1, &[KeyValue::new("refused", refused)]);
        if let Some(behind) = &self.behind {
            behind.reload(record);
        }
    }

    fn ready(&self) -> Option<ReadyFuture<'_>> {
        self.behind.as_ref().and_then(|behind| behind.ready())
    }

    fn release(&self) {
        if let Some(behind) = &self.behind {
            behind.release();
        }
    }

    fn wants_envelope(&self) -> bool {
        self.behind.as_ref().is_some_and(|behind| behind.wants_envelope())
    }
}
