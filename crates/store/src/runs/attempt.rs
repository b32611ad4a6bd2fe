//! An attempt of a run: the work, within its time, and the record of what came of it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use super::blocking::blocking;
use super::claimed::Claim;
use super::handler::{HandledFuture, RunHandler, RunOutcome};
use super::record::Run;
use super::{RunError, RunStore};

/// How often what came of a run is written again while another process holds the file.
const WRITES: u32 = 20;

/// How long is waited before that.
const AGAIN: Duration = Duration::from_millis(100);

/// Is told of a run.
type Listener = Arc<dyn Fn(&Run) + Send + Sync>;

/// What holds for each attempt of a worker.
#[derive(Clone, Default)]
pub(super) struct Limits {
    pub(super) time: Option<TimeLimit>,
    /// Is told of each run that something has become of.
    pub(super) told: Option<Listener>,
}

/// Until when attempts may take.
#[derive(Clone)]
pub(super) struct TimeLimit {
    pub(super) end: Instant,
    /// What is said of one that takes longer.
    pub(super) why: String,
}

impl Limits {
    /// Returns whether nothing may begin any more.
    pub(super) fn are_over(&self) -> bool {
        self.time.as_ref().is_some_and(|time| Instant::now() >= time.end)
    }

    /// Tells what a run is now.
    pub(super) async fn tell(&self, store: &RunStore, id: u64) {
        let Some(told) = self.told.clone() else { return };
        let store = store.clone();
        blocking(move || {
            // One that cannot be read now is in the file all the same.
            if let Ok(run) = store.run(id) {
                told(&run);
            }
        })
        .await;
    }

    /// Returns how long the attempt of a claim may take, and what is said if it takes longer.
    fn of(&self, claim: &Claim) -> (Duration, String) {
        let own = claim.timeout();
        let left = self
            .time
            .as_ref()
            .map(|time| (time.end.saturating_duration_since(Instant::now()), time.why.as_str()));
        match left {
            Some((left, why)) if left < own => (left, why.to_owned()),
            _ => (own, format!("it took longer than {} ms", own.as_millis())),
        }
    }
}

/// Makes an attempt, and records what came of it.
pub(super) async fn attempt<H: RunHandler>(claim: Claim, handler: Arc<H>, limits: Limits) {
    let (time, why) = limits.of(&claim);
    let work = handler.handle(claim.run(), claim.input());
    let outcome = tokio::time::timeout(time, caught(work)).await;
    let outcome = outcome.unwrap_or(RunOutcome::TimedOut { why });
    let (id, store) = (claim.run().id, claim.store().clone());
    if write(claim, outcome).await {
        limits.tell(&store, id).await;
    }
}

/// Records what came of an attempt, and returns whether it is recorded.
async fn write(claim: Claim, outcome: RunOutcome) -> bool {
    let id = claim.run().id;
    let mut claim = Some(claim);
    for write in 1..=WRITES {
        let Some(mut held) = claim.take() else { return false };
        let outcome = outcome.clone();
        // If this is stopped now, what came of the attempt is written all the same.
        let written = blocking(move || {
            let written = record(&mut held, &outcome);
            (held, written)
        });
        let (held, written) = written.await;
        match written {
            Ok(()) => return true,
            Err(error) if error.is_busy() && write < WRITES => {
                claim = Some(held);
                tokio::time::sleep(AGAIN).await;
            }
            Err(error) => {
                tracing::warn!(target: "hookgate", run = id, %error, "what came of a run is not recorded");
                return false;
            }
        }
    }
    false
}

fn record(claim: &mut Claim, outcome: &RunOutcome) -> Result<(), RunError> {
    match outcome {
        RunOutcome::Succeeded { contributions, audit } => claim.succeed(contributions, audit),
        RunOutcome::Skipped { why } => claim.skip(why),
        RunOutcome::Failed { class, why, may_go_away } => {
            claim.fail(class, why, *may_go_away).map(drop)
        }
        RunOutcome::TimedOut { why } => claim.time_out(why).map(drop),
        RunOutcome::Refused { refusal, why } => claim.refuse(*refusal, why),
    }
}

/// Waits for work that may panic.
async fn caught(mut work: HandledFuture<'_>) -> RunOutcome {
    std::future::poll_fn(move |context| {
        let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)));
        polled.unwrap_or_else(|_| {
            Poll::Ready(RunOutcome::Failed {
                class: "panic".to_owned(),
                why: "the handler has panicked".to_owned(),
                may_go_away: true,
            })
        })
    })
    .await
}
