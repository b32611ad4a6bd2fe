//! What is kept of a dispatch for those who want to know: votes, durations, events.

use std::time::Duration;

use hookgate_contract::{Envelope, Mode, ReasonCode, Role, VerdictDecision};
use tokio::time::Instant;

use super::Dispatch;
use super::weigh::{Weighed, failed_as};
use crate::decision::{Vote, VoteOutcome};
use crate::events::{EventSender, What};
use crate::table::CompiledHook;

/// A hook that takes longer than this, or than half of its timeout, is slow.
const SLOW: Duration = Duration::from_secs(1);

/// A hook that was asked, and when. Dropped without an end, it tells who listens that the hook is
/// not waited for any more.
pub(crate) struct Started<'e> {
    at: Instant,
    /// How long it took, where that was found before somebody asked.
    took: Option<Duration>,
    open: Option<(&'e EventSender, &'e CompiledHook, &'e Envelope<'e>)>,
}

impl<'e> Started<'e> {
    /// Tells who listens that a hook is asked.
    pub(crate) fn told(
        stream: &'e EventSender,
        entry: &'e CompiledHook,
        envelope: &'e Envelope<'e>,
    ) -> Self {
        stream.send(entry.id(), envelope, What::Started);
        Self { at: Instant::now(), took: None, open: Some((stream, entry, envelope)) }
    }

    /// The answer has come, whenever it will be heard.
    pub(super) fn answered(&mut self) {
        self.took = Some(self.at.elapsed());
    }

    /// The end that somebody else tells of: how long it took, in microseconds.
    pub(crate) fn end(mut self) -> u64 {
        self.open = None;
        micros(self.took())
    }

    fn took(&self) -> Duration {
        self.took.unwrap_or_else(|| self.at.elapsed())
    }
}

impl Drop for Started<'_> {
    fn drop(&mut self) {
        if let Some((stream, entry, envelope)) = self.open.take() {
            let what = What::Cancelled { duration_us: micros(self.took()) };
            // The drop may come with a panic already; one of the payload must not meet it.
            let _ = super::fenced("the payload", || stream.send(entry.id(), envelope, what));
        }
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

impl<'a> Dispatch<'a> {
    /// Takes the time, if anybody wants to know it.
    #[inline]
    pub(super) fn start<'e>(
        &self,
        entry: &'e CompiledHook,
        envelope: &'e Envelope<'e>,
    ) -> Option<Started<'e>>
    where
        'a: 'e,
    {
        if self.heard {
            Some(Started::told(self.setting.stream, entry, envelope))
        } else if self.timed {
            Some(Started { at: Instant::now(), took: None, open: None })
        } else {
            None
        }
    }

    pub(super) fn record(
        &mut self,
        entry: &CompiledHook,
        weighed: &Weighed,
        envelope: &Envelope<'_>,
        round: u8,
        started: Started<'_>,
    ) {
        let took = started.took();
        let duration_us = started.end();
        // Without a deadline there is nothing to be near to.
        if took > SLOW || (entry.waits() && took > entry.timeout / 2) {
            tracing::info!(
                target: "hookgate",
                hook = entry.id().as_str(),
                event = envelope.payload().contract().name,
                took_ms = duration_us / 1000,
                timeout_ms = micros(entry.timeout) / 1000,
                "a hook is slow"
            );
        }
        if self.setting.reported {
            self.votes.push(voted(entry, weighed, round, duration_us));
        }
        if self.heard {
            self.announce(entry, weighed, envelope, duration_us);
        }
    }

    fn announce(
        &self,
        entry: &CompiledHook,
        weighed: &Weighed,
        envelope: &Envelope<'_>,
        duration_us: u64,
    ) {
        let send = |what| self.setting.stream.send(entry.id(), envelope, what);
        let (reason_code, reason) = match weighed {
            Weighed::Failed { failure, .. } => {
                send(What::Failed { class: failure.class, detail: failure.detail.to_string() });
                (Some(ReasonCode::of_failure(failure.class)), None)
            }
            Weighed::Silent(_) => {
                send(What::Completed { duration_us });
                (None, None)
            }
            Weighed::Says(parts) => {
                send(What::Completed { duration_us });
                (parts.reason_code, parts.reason.clone())
            }
        };
        if weighed.stops(entry) {
            let reason_code = reason_code.unwrap_or(ReasonCode::PolicyViolation);
            send(What::Denied { reason_code, reason });
        }
    }

    pub(super) fn note_cancelled(&mut self, entry: &CompiledHook, round: u8) {
        if self.setting.reported {
            self.votes.push(vote(entry, round, VoteOutcome::Cancelled));
        }
    }
}

/// The vote of a hook that has answered or failed.
fn voted(entry: &CompiledHook, weighed: &Weighed, round: u8, duration_us: u64) -> Vote {
    let mut vote = vote(entry, round, VoteOutcome::Abstained);
    vote.decision = weighed.word();
    vote.duration_us = Some(duration_us);
    match weighed {
        Weighed::Failed { failure, counts } => {
            vote.outcome = VoteOutcome::Failed;
            vote.reason = counts
                .filter(|word| *word > VerdictDecision::Allow)
                .map(|word| failed_as(entry.id(), failure.class, word));
            vote.failure = Some(failure.class);
            vote.detail = Some(failure.detail.to_string());
        }
        _ if entry.role == Role::Observe => vote.outcome = VoteOutcome::Observed,
        Weighed::Silent(note) => vote.detail.clone_from(note),
        Weighed::Says(parts) => {
            let counts = entry.mode == Mode::Enforce;
            vote.outcome = if counts { VoteOutcome::Verdict } else { VoteOutcome::Would };
            vote.reason.clone_from(&parts.reason);
            vote.detail.clone_from(&parts.note);
        }
    }
    vote
}

pub(super) fn vote(entry: &CompiledHook, round: u8, outcome: VoteOutcome) -> Vote {
    Vote {
        hook: entry.id().clone(),
        kind: entry.hook.spec.kind().to_owned(),
        mode: entry.mode,
        round,
        outcome,
        decision: None,
        reason: None,
        failure: None,
        detail: None,
        duration_us: None,
    }
}
