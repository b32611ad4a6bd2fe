//! What is kept of a dispatch for those who want to know: votes, durations, events.

use hookgate_contract::{Envelope, Mode, ReasonCode, Role};
use tokio::time::Instant;

use super::Dispatch;
use super::weigh::Weighed;
use crate::decision::{Vote, VoteOutcome};
use crate::stream::What;
use crate::table::Entry;

impl Dispatch<'_> {
    /// Takes the time, if anybody wants to know it.
    pub(super) fn start(&self, entry: &Entry, envelope: &Envelope<'_>) -> Option<Instant> {
        if !self.setting.reported && !self.heard {
            return None;
        }
        if self.heard {
            self.setting.stream.send(entry.id(), envelope, What::Started);
        }
        Some(Instant::now())
    }

    pub(super) fn record(
        &mut self,
        entry: &Entry,
        weighed: &Weighed,
        envelope: &Envelope<'_>,
        round: u8,
        started: Instant,
    ) {
        let duration_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        let watching = entry.role == Role::Observe;
        if self.setting.reported {
            let (outcome, failure, detail) = match weighed {
                Weighed::Failed { failure, .. } => {
                    (VoteOutcome::Failed, Some(failure.class), Some(failure.detail.to_string()))
                }
                _ if watching => (VoteOutcome::Observed, None, None),
                Weighed::Silent(note) => (VoteOutcome::Abstained, None, note.clone()),
                Weighed::Says(parts) => {
                    let counts = entry.mode == Mode::Enforce;
                    let outcome = if counts { VoteOutcome::Verdict } else { VoteOutcome::Would };
                    (outcome, None, parts.note.clone())
                }
            };
            self.votes.push(Vote {
                decision: weighed.word(),
                failure,
                detail,
                duration_us: Some(duration_us),
                ..vote(entry, round, outcome)
            });
        }
        if self.heard {
            self.announce(entry, weighed, envelope, duration_us);
        }
    }

    fn announce(
        &self,
        entry: &Entry,
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

    pub(super) fn note_cancelled(&mut self, entry: &Entry, round: u8) {
        if self.setting.reported {
            self.votes.push(vote(entry, round, VoteOutcome::Cancelled));
        }
    }
}

pub(super) fn vote(entry: &Entry, round: u8, outcome: VoteOutcome) -> Vote {
    Vote {
        hook: entry.id().to_owned(),
        kind: entry.hook.spec.kind().to_owned(),
        mode: entry.mode,
        round,
        outcome,
        decision: None,
        failure: None,
        detail: None,
        duration_us: None,
    }
}
