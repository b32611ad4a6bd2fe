//! What is kept of a dispatch for a report, a subscriber or a log: votes, durations, events.
//!
//! None of it is made unless it is wanted: without a report, a subscriber and a log at `INFO`, no hook
//! is timed.
//!
//! | wanted by | what is made |
//! |---|---|
//! | `dispatch_reported` | a vote for each hook that was called, with its duration |
//! | a subscriber of [`Engine::subscribe`](crate::Engine::subscribe) | an event when a hook is called, and one for its end |
//! | `tracing` at `INFO` | a line about a hook that is slow |
//!
//! To each event that a hook was called there is exactly one end: completed, failed or cancelled. A
//! [`Started`] that is dropped without an end sends the cancellation, so this holds also if the dispatch
//! is dropped, and if a panic unwinds through it.

use std::time::Duration;

use hookgate_contract::{Envelope, Mode, ReasonCode, Role};

use super::DispatchState;
use super::validate::{AnswerKind, Checked, code_of_failure, whole_reason};
use crate::clock::Instant;
use crate::decision::{Left, Vote, VoteOutcome};
use crate::events::{EventSender, HookEventKind};
use crate::log;
use crate::panic_boundary::catch;
use crate::table::CompiledHook;

/// A hook that takes longer than this, or than half of its timeout, is slow.
const SLOW: Duration = Duration::from_secs(1);

/// A hook that was called, and when. If it is dropped without an end, subscribers read that the hook
/// was cancelled.
pub(super) struct Started<'e> {
    at: Instant,
    /// How long the hook took, if its answer came before it was used.
    took: Option<Duration>,
    open: Option<(&'e EventSender, &'e CompiledHook, &'e Envelope<'e>)>,
}

impl<'e> Started<'e> {
    /// Announces to subscribers that a hook is called.
    pub(super) fn announce(
        stream: &'e EventSender,
        hook: &'e CompiledHook,
        envelope: &'e Envelope<'e>,
    ) -> Self {
        stream.send(hook.id(), envelope, HookEventKind::Started);
        Self { at: Instant::now(), took: None, open: Some((stream, hook, envelope)) }
    }

    /// Notes that the answer has come, although it is used later.
    pub(super) fn note_answered(&mut self) {
        self.took = Some(self.at.elapsed());
    }

    /// Ends it and returns how long the hook took, in microseconds. The caller announces the end.
    pub(super) fn end(mut self) -> u64 {
        self.open = None;
        micros(self.took())
    }

    fn took(&self) -> Duration {
        self.took.unwrap_or_else(|| self.at.elapsed())
    }
}

impl Drop for Started<'_> {
    fn drop(&mut self) {
        if let Some((stream, hook, envelope)) = self.open.take() {
            let what = HookEventKind::Cancelled { duration_us: micros(self.took()) };
            // This may be dropped by a panic; a second one, of the payload, would end the process.
            let _ = catch("the payload", || stream.send(hook.id(), envelope, what));
        }
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

impl<'a> DispatchState<'a> {
    /// Begins to time a hook, if its time matters. In a box: mostly there is none, and what may wait is smaller.
    #[inline]
    pub(super) fn start<'e>(
        &self,
        hook: &'e CompiledHook,
        envelope: &'e Envelope<'e>,
    ) -> Option<Box<Started<'e>>>
    where
        'a: 'e,
    {
        if self.subscribed {
            Some(Box::new(Started::announce(&self.context.services.stream, hook, envelope)))
        } else if self.timed {
            Some(Box::new(Started { at: Instant::now(), took: None, open: None }))
        } else {
            None
        }
    }

    /// Records an answer: as a vote, as events, and in the log if it was slow.
    pub(super) fn record(
        &mut self,
        hook: &CompiledHook,
        checked: &Checked,
        envelope: &Envelope<'_>,
        round: u8,
        started: Started<'_>,
    ) {
        let took = started.took();
        let duration_us = started.end();
        // A hook without a deadline has no timeout that it could come near to.
        if took > SLOW || (hook.waits() && took > hook.timeout / 2) {
            log::slow_hook(
                hook.id().as_str(),
                envelope.payload().contract().name,
                duration_us,
                hook.timeout,
            );
        }
        if self.context.reported {
            let mut vote = answered_vote(hook, checked, round, duration_us);
            if hook.definition.spec.retry().is_some() {
                vote.failed_attempts = envelope.take_failed_attempts(hook.id());
            }
            if hook.takes_place {
                vote.waited_us = Some(micros(envelope.take_waited(hook.id()))).filter(|us| *us > 0);
            }
            self.votes.push(vote);
        }
        if self.subscribed {
            self.announce_answer(hook, checked, envelope, duration_us);
        }
    }

    fn announce_answer(
        &self,
        hook: &CompiledHook,
        checked: &Checked,
        envelope: &Envelope<'_>,
        duration_us: u64,
    ) {
        let send = |what| self.context.services.stream.send(hook.id(), envelope, what);
        let failure = match &checked.kind {
            AnswerKind::Failed(failure) => Some(failure),
            AnswerKind::Cancelled => return send(HookEventKind::Cancelled { duration_us }),
            _ => None,
        };
        send(match failure {
            Some(failure) => {
                HookEventKind::Failed { class: failure.class, detail: failure.detail.to_string() }
            }
            None => HookEventKind::Completed { duration_us },
        });
        if checked.denies {
            let reason_code = match failure {
                Some(failure) => Some(code_of_failure(failure.class)),
                None => checked.verdict().and_then(|verdict| verdict.reason_code),
            };
            let reason_code = reason_code.unwrap_or(ReasonCode::PolicyViolation);
            let reason = checked.verdict().and_then(|verdict| verdict.reason.clone());
            send(HookEventKind::Denied { reason_code, reason });
        }
    }

    /// Records that a hook was called and its answer is not used, because an earlier one denied.
    pub(super) fn note_cancelled(&mut self, hook: &CompiledHook, round: u8) {
        if self.context.reported {
            self.votes.push(vote(hook, round, VoteOutcome::Cancelled));
        }
    }
}

/// Returns the vote of a hook that has answered or failed. It says what the hook answered, whether or
/// not that counts: a hook in shadow is evaluated by its votes before it is enforced.
fn answered_vote(hook: &CompiledHook, checked: &Checked, round: u8, duration_us: u64) -> Vote {
    let mut vote = vote(hook, round, VoteOutcome::Abstained);
    vote.decision = checked.decision;
    vote.duration_us = Some(duration_us);
    match &checked.kind {
        AnswerKind::Failed(failure) => {
            vote.outcome = VoteOutcome::Failed;
            // A failure that counts as allow has no decision.
            vote.reason =
                checked.decision.map(|decision| whole_reason(hook.id(), failure, decision));
            vote.failure = Some(failure.class);
            vote.detail = Some(failure.detail.to_string());
            let uncounted = checked.ballot.as_ref().and_then(|ballot| ballot.uncounted);
            vote.fallback = uncounted.is_some_and(|uncounted| uncounted.left == Left::Fallback);
        }
        AnswerKind::Cancelled => vote.outcome = VoteOutcome::Cancelled,
        AnswerKind::Silent(note) => {
            vote.detail.clone_from(note);
            if hook.role == Role::Observe {
                vote.outcome = VoteOutcome::Observed;
            }
        }
        AnswerKind::Verdict(_) => {
            let counts = hook.mode == Mode::Enforce;
            vote.outcome = if counts { VoteOutcome::Verdict } else { VoteOutcome::Would };
            if let Some(verdict) = checked.verdict() {
                vote.reason.clone_from(&verdict.reason);
                vote.detail.clone_from(&verdict.note);
                vote.rewrote = !verdict.patch.is_empty() || !checked.patch.is_empty();
                vote.added_context = !verdict.context.is_empty();
            }
        }
    }
    vote
}

/// Returns a vote without an answer.
pub(super) fn vote(hook: &CompiledHook, round: u8, outcome: VoteOutcome) -> Vote {
    Vote {
        hook: hook.id().clone(),
        kind: hook.definition.spec.kind().to_owned(),
        layers: hook.definition.spec.layers(),
        mode: hook.mode,
        round,
        outcome,
        decision: None,
        reason: None,
        rewrote: false,
        added_context: false,
        failure: None,
        detail: None,
        failed_attempts: Vec::new(),
        fallback: false,
        waited_us: None,
        duration_us: None,
    }
}
