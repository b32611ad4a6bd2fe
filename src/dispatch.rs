//! One step through one table: order, concurrency, the final round, the observers.

mod apart;
mod decide;
mod fence;
mod final_round;
mod in_turn;
mod observe;
mod patch;
mod record;
mod together;
mod trace;
mod weigh;

use std::borrow::Cow;
use std::sync::Arc;

use crate::envelope::Unregistered;
use hookgate_contract::envelope::StepId;
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Answer, Contract, Envelope, Event, Handler, Invocation, StepContext};
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::background::Background;
use crate::decision::{Ballot, Decision, Vote};
use crate::events::EventSender;
use crate::snapshot::Snapshot;
use crate::stops::Stops;
use crate::table::{Bucket, CompiledHook, HandlerTable, MatchSet};
pub(crate) use apart::{Apart, is_large};
pub(crate) use fence::{Fence, Question, alarm, ask_now, fenced, humane, in_runtime, panicked};
use in_turn::{Asked, holds};
pub(crate) use record::Started;
pub(crate) use trace::is_traced;
use weigh::count;
pub(crate) use weigh::{Weighed, weigh};

/// What a dispatch needs beside the step.
pub(crate) struct DispatchContext<'a> {
    pub(crate) table: &'a HandlerTable,
    pub(crate) bucket: &'a Arc<Bucket>,
    pub(crate) set: &'a MatchSet,
    pub(crate) context: &'a StepContext<'a>,
    pub(crate) step_id: &'a StepId<'a>,
    pub(crate) stream: &'a EventSender,
    pub(crate) background: &'a Background,
    pub(crate) stops: &'a Stops,
    /// Whether the dispatch can wait although no handler does: for work that is done apart.
    pub(crate) may_wait: bool,
    /// Whether votes and durations are wanted.
    pub(crate) reported: bool,
}

/// What came out. No decision means that nobody said anything: the step goes on.
#[derive(Default)]
pub(crate) struct Evaluated {
    pub(crate) decision: Option<Box<Decision>>,
    pub(crate) answer: Option<Answer>,
    pub(crate) votes: Vec<Vote>,
}

/// Judges a step: rewrites its payload and says what came out.
///
/// With handlers that answer at once the future is ready when it is first polled.
pub(crate) async fn evaluate(
    setting: DispatchContext<'_>,
    payload: &mut dyn AnyPayload,
) -> Evaluated {
    if is_traced() {
        return trace::evaluate(setting, payload).await;
    }
    evaluate_untraced(setting, payload).await
}

/// As [`judge`], where nobody traces the dispatch.
pub(crate) async fn evaluate_untraced(
    setting: DispatchContext<'_>,
    payload: &mut dyn AnyPayload,
) -> Evaluated {
    let large = setting.may_wait && setting.set.heavy && is_large(payload);
    let heard = setting.stream.has_subscribers();
    let mut dispatch = Dispatch {
        heard,
        timed: setting.reported || heard || trace::times(),
        large,
        deadline: (setting.set.waits || large).then(|| deadline(setting.table)).flatten(),
        asked: if setting.set.rewrites {
            vec![Heard::Nothing; setting.set.deciders.len()]
        } else {
            Vec::new()
        },
        said: Vec::new(),
        votes: Vec::new(),
        patched: Vec::new(),
        snapshot: None,
        setting,
    };
    dispatch.ask_judges(payload).await;
    let (mut decision, answer) = dispatch.decide(payload);
    if !dispatch.setting.set.observers.is_empty() {
        let failed = dispatch.tell_observers(payload, decision.as_deref()).await;
        if !failed.is_empty() {
            let decision = decision.get_or_insert_with(|| Box::new(dispatch.nothing_said()));
            decision.messages.extend(failed);
        }
    }
    Evaluated { decision, answer, votes: dispatch.votes }
}

/// When a dispatch that begins now has to end; none where no clock goes that far.
fn deadline(table: &HandlerTable) -> Option<Instant> {
    Instant::now().checked_add(table.limits.dispatch_deadline)
}

struct Dispatch<'a> {
    setting: DispatchContext<'a>,
    heard: bool,
    /// Whether it matters how long hooks take.
    timed: bool,
    /// Whether the step is so large that work which grows with it is done apart.
    large: bool,
    deadline: Option<Instant>,
    /// Which judges were asked, and which have changed the step; only kept where something may
    /// rewrite.
    asked: Vec<Heard>,
    said: Vec<Ballot>,
    votes: Vec<Vote>,
    patched: Vec<Cow<'static, str>>,
    /// A copy of the step in hand for the work that is done apart, and whether it is that of the
    /// final round.
    snapshot: Option<(bool, Arc<Snapshot>)>,
}

/// What was heard of a judge so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    /// It was not asked: it did not match.
    Nothing,
    /// It was asked.
    Asked,
    /// It was asked, and its patch has changed the step.
    Patched,
}

/// How to go on after some hooks were asked.
enum Next {
    Go,
    Stop,
    /// The hook at a place wants to set fields.
    Patch(usize, Map<String, Value>),
}

impl<'a> Dispatch<'a> {
    #[inline]
    fn entry(&self, place: usize) -> Option<&'a CompiledHook> {
        let index = *self.setting.set.deciders.get(place)?;
        self.setting.bucket.entries.get(index as usize)
    }

    fn envelope<'p>(&self, payload: &'p dyn AnyPayload) -> Envelope<'p>
    where
        'a: 'p,
    {
        let DispatchContext { table, context, step_id, .. } = self.setting;
        let generation = table.generation().get();
        Envelope::new(payload, context, step_id, generation, table.limits.payload)
    }

    /// Asks guards and rewriters in order. Each version of the step has one envelope; a patch makes
    /// the next version. If there was a patch, the guards before it judge the final version.
    async fn ask_judges(&mut self, payload: &mut dyn AnyPayload) {
        let end = self.setting.set.deciders.len();
        let mut from = 0;
        let mut rewritten = None;
        while from < end {
            let patch = {
                let envelope = self.envelope(payload);
                loop {
                    if from >= end {
                        break None;
                    }
                    // Where nobody waits, all are asked one by one anyway.
                    let to = if self.setting.set.waits { self.group_end(from) } else { end };
                    match self.ask_group(from, to, &envelope, 1).await {
                        Next::Go => from = to,
                        Next::Stop => return,
                        Next::Patch(place, patch) => break Some((place, patch)),
                    }
                }
            };
            let Some((place, patch)) = patch else { break };
            from = place + 1;
            if self.apply(place, patch, payload) {
                rewritten = Some(place);
            }
        }
        if let Some(last) = rewritten {
            self.rejudge(last, payload).await;
        }
    }

    /// What may be said about the step: its own contract. That of the table may be another one, for
    /// an event of the embedder; it counts where the step has none of its own.
    fn contract(&self, payload: &dyn AnyPayload) -> &'static Contract {
        contract(self.setting.bucket, payload)
    }

    /// The first place after `from` that must not be asked together with it.
    fn group_end(&self, from: usize) -> usize {
        let group = self.entry(from).map(|entry| entry.group);
        let same = |place: &usize| self.entry(*place).map(|entry| entry.group) == group;
        let deciders = self.setting.set.deciders.len();
        (from + 1..deciders).find(|place| !same(place)).unwrap_or(deciders)
    }

    async fn ask_group<'e>(
        &mut self,
        from: usize,
        to: usize,
        envelope: &'e Envelope<'e>,
        round: u8,
    ) -> Next
    where
        'a: 'e,
    {
        let waiting = |place: &usize| {
            self.entry(*place).is_some_and(|entry| entry.waits() || self.is_apart(entry))
        };
        if self.setting.set.waits && (from..to).filter(waiting).count() > 1 {
            return self.ask_together(from, to, envelope, round).await;
        }
        let mut rest = from;
        while let Some(Asked { place, entry, started, reply }) =
            self.ask_in_turn(rest, to, envelope, round)
        {
            rest = place + 1;
            let (started, reply) = match (reply, &entry.handler) {
                (Some(reply), _) => (started, reply),
                (None, _) if self.is_apart(entry) => {
                    match Box::pin(self.ask_apart(place, entry, envelope, round)).await {
                        Some(asked) => asked,
                        None => continue,
                    }
                }
                (None, Handler::Sync(handler)) => {
                    (started, ask_now(&**handler, Invocation::new(entry.id(), envelope)))
                }
                (None, Handler::Async(handler)) => {
                    let invocation = Invocation::new(entry.id(), envelope);
                    let fence = Fence::ask(&**handler, invocation, entry.timeout, self.deadline);
                    (started, fence.await)
                }
            };
            let weighed = weigh(entry, self.contract(envelope.payload()), reply);
            match self.hear(place, entry, weighed, envelope, round, started) {
                Next::Go => {}
                other => return other,
            }
        }
        Next::Go
    }

    /// Takes an answer into account and says how to go on.
    fn hear(
        &mut self,
        place: usize,
        entry: &CompiledHook,
        weighed: Weighed,
        envelope: &Envelope<'_>,
        round: u8,
        started: Option<Started<'_>>,
    ) -> Next {
        let weighed = if round > 1 { self.settle_patch(entry, weighed, envelope) } else { weighed };
        if let Some(started) = started {
            self.record(entry, &weighed, envelope, round, started);
        }
        let stops = weighed.stops(entry);
        let (said, patch) = count(entry, self.contract(envelope.payload()), place, weighed);
        self.said.extend(said);
        if stops {
            Next::Stop
        } else if patch.is_empty() {
            Next::Go
        } else {
            Next::Patch(place, patch)
        }
    }
}

/// What may be said about a step: what its own contract says. A step that was read from an envelope
/// of an event of the embedder knows of none; there the table's counts.
pub(crate) fn contract(bucket: &Bucket, payload: &dyn AnyPayload) -> &'static Contract {
    let own = payload.contract();
    if own.event == Event::Custom && payload.as_any().is::<Unregistered>() {
        bucket.contract
    } else {
        own
    }
}
