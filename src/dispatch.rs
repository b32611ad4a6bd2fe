//! One step through one table: order, concurrency, the final round, the observers.

mod apart;
mod decide;
mod fence;
mod observe;
mod record;
mod together;
mod trace;
mod weigh;

use std::sync::Arc;

use hookgate_contract::envelope::{StepId, Unregistered};
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{
    Answer, Ask, Contract, Envelope, Event, Failure, FailureClass, Handler, Mode, Reply, Role,
    StepContext, Word, json,
};
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::background::Background;
use crate::decision::{Decision, Said, Vote};
use crate::matcher::Truth;
use crate::snapshot::Snapshot;
use crate::stops::Stops;
use crate::stream::{Stream, What};
use crate::table::{Bucket, Entry, HandlerTable, MatchSet};
pub(crate) use apart::{Apart, is_large};
use fence::stopped;
pub(crate) use fence::{Fence, Question, alarm, ask_now, fenced, humane, in_runtime, panicked};
pub(crate) use record::Started;
pub(crate) use trace::is_traced;
pub(crate) use weigh::{Weighed, weigh};
use weigh::{count, fail};

/// What a dispatch needs beside the step.
pub(crate) struct Setting<'a> {
    pub(crate) table: &'a HandlerTable,
    pub(crate) bucket: &'a Arc<Bucket>,
    pub(crate) set: &'a MatchSet,
    pub(crate) context: &'a StepContext<'a>,
    pub(crate) step_id: &'a StepId<'a>,
    pub(crate) stream: &'a Stream,
    pub(crate) background: &'a Background,
    pub(crate) stops: &'a Stops,
    /// Whether the dispatch can wait although no handler does: for work that is done apart.
    pub(crate) may_wait: bool,
    /// Whether votes and durations are wanted.
    pub(crate) reported: bool,
}

/// What came out. No decision means that nobody said anything: the step goes on.
#[derive(Default)]
pub(crate) struct Judged {
    pub(crate) decision: Option<Box<Decision>>,
    pub(crate) answer: Option<Answer>,
    pub(crate) votes: Vec<Vote>,
}

/// Judges a step: rewrites its payload and says what came out.
///
/// With handlers that answer at once the future is ready when it is first polled.
pub(crate) async fn judge(setting: Setting<'_>, payload: &mut dyn AnyPayload) -> Judged {
    if is_traced() {
        return trace::judge(setting, payload).await;
    }
    judge_untraced(setting, payload).await
}

/// As [`judge`], where nobody traces the dispatch.
pub(crate) async fn judge_untraced(setting: Setting<'_>, payload: &mut dyn AnyPayload) -> Judged {
    let large = setting.may_wait && setting.set.heavy && is_large(payload);
    let heard = setting.stream.is_heard();
    let mut dispatch = Dispatch {
        heard,
        timed: setting.reported || heard || trace::times(),
        large,
        deadline: (setting.set.waits || large).then(|| deadline(setting.table)).flatten(),
        asked: if setting.set.rewrites {
            vec![Heard::Nothing; setting.set.judges.len()]
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
    Judged { decision, answer, votes: dispatch.votes }
}

/// When a dispatch that begins now has to end; none where no clock goes that far.
fn deadline(table: &HandlerTable) -> Option<Instant> {
    Instant::now().checked_add(table.limits.dispatch_deadline)
}

struct Dispatch<'a> {
    setting: Setting<'a>,
    heard: bool,
    /// Whether it matters how long hooks take.
    timed: bool,
    /// Whether the step is so large that work which grows with it is done apart.
    large: bool,
    deadline: Option<Instant>,
    /// Which judges were asked, and which have changed the step; only kept where something may
    /// rewrite.
    asked: Vec<Heard>,
    said: Vec<Said>,
    votes: Vec<Vote>,
    patched: Vec<&'static str>,
    /// A copy of the step in hand for the work that is done apart, and whether it is that of the
    /// final round.
    snapshot: Option<(bool, Arc<Snapshot>)>,
}

/// A hook that was asked, or is to be.
struct Asked<'e> {
    place: usize,
    entry: &'e Entry,
    started: Option<Started<'e>>,
    /// Its answer; none where it has to be waited for.
    reply: Option<Reply>,
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
    fn entry(&self, place: usize) -> Option<&'a Entry> {
        let index = *self.setting.set.judges.get(place)?;
        self.setting.bucket.entries.get(index as usize)
    }

    fn envelope<'p>(&self, payload: &'p dyn AnyPayload) -> Envelope<'p>
    where
        'a: 'p,
    {
        let Setting { table, context, step_id, .. } = self.setting;
        Envelope::new(payload, context, step_id, table.generation(), table.limits.payload)
    }

    /// Asks guards and rewriters in order. Each version of the step has one envelope; a patch makes
    /// the next version. If there was a patch, the guards before it judge the final version.
    async fn ask_judges(&mut self, payload: &mut dyn AnyPayload) {
        let end = self.setting.set.judges.len();
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

    /// The final round: what was judged is what runs. Whoever may deny and judged other bytes than
    /// the final ones is asked about these, rewriters too, and so is who matches only now.
    ///
    /// * All of them stand before the last rewriter; that one needs no look at its own bytes, and
    ///   those after it have seen the final ones.
    /// * The vote of the final round replaces the earlier one. A rewriter whose patch is a part of
    ///   the final bytes keeps what it said with it: of its two decisions the stricter counts.
    /// * Nothing is rewritten any more. A patch that would change the final bytes is a failure
    ///   (`illegal`): the hook cannot have them as they are. There is no second pass, in which a
    ///   rewriter that cannot bear its own result (one that adds a line) would be applied twice.
    ///   Such a rewriter is put after the others, or leaves alone what is marked `rejudge`.
    async fn rejudge(&mut self, last: usize, payload: &dyn AnyPayload) {
        let envelope = self.envelope(payload).rejudge();
        let deny = self.contract(payload).deny();
        let mut from = 0;
        while from < last {
            let to = self.group_end(from).min(last);
            let asks = self.entry(from).is_some_and(|entry| deny || entry.role == Role::Guard);
            if asks {
                let before = self.take_said(from, to);
                let next = self.ask_group(from, to, &envelope, 2).await;
                self.keep_patched(before);
                if let Next::Stop = next {
                    return;
                }
            }
            from = to;
        }
    }

    /// Takes out what the hooks from one place to another have said.
    fn take_said(&mut self, from: usize, to: usize) -> Vec<Said> {
        let (taken, kept) =
            self.said.drain(..).partition(|said: &Said| (from..to).contains(&said.place));
        self.said = kept;
        taken
    }

    /// Puts back what rewriters said with patches that are a part of the final bytes, with the
    /// stricter of their two decisions.
    fn keep_patched(&mut self, before: Vec<Said>) {
        for mut earlier in before {
            if self.asked.get(earlier.place) != Some(&Heard::Patched) {
                continue;
            }
            let place = earlier.place;
            if let Some(later) = self.said.iter().position(|said| said.place == place) {
                let later = self.said.remove(later);
                if later.word > earlier.word {
                    earlier.word = later.word;
                    earlier.reason = later.reason;
                    earlier.code = later.code;
                    earlier.payload = later.payload;
                }
                earlier.answer = later.answer.or(earlier.answer);
                earlier.approves |= later.approves;
                let new = |text: &String| !earlier.context.contains(text);
                let added: Vec<_> = later.context.into_iter().filter(new).collect();
                earlier.context.extend(added);
                earlier.message = later.message.or(earlier.message);
                if !later.contributions.is_empty() {
                    earlier.contributions = later.contributions;
                }
                earlier.annotations.extend(later.annotations);
            }
            self.said.push(earlier);
        }
    }

    /// The final round changes nothing: a patch that would is a failure, in which the decision that
    /// stands beside it counts; one that would not is nothing.
    fn settle_patch(
        &self,
        entry: &Entry,
        mut weighed: Weighed,
        envelope: &Envelope<'_>,
    ) -> Weighed {
        let Weighed::Says(parts) = &mut weighed else { return weighed };
        if parts.patch.is_empty() || entry.mode != Mode::Enforce {
            return weighed;
        }
        let patch = std::mem::take(&mut parts.patch);
        let contract = self.contract(envelope.payload());
        let mut trial = envelope.payload().snapshot();
        let changed = set_fields(contract, entry.hook.spec.merge, patch, &mut *trial);
        let text = |payload: &dyn AnyPayload| {
            let mut text = Vec::new();
            payload.write_json(&mut text).is_ok().then_some(text)
        };
        let (before, after) = (text(envelope.payload()), text(&*trial));
        if changed.is_empty() || (before.is_some() && before == after) {
            return if parts.is_silent() { Weighed::Silent(parts.note.take()) } else { weighed };
        }
        let detail = format!(
            "it would rewrite `{}` once more in the final round, where nothing is rewritten: ask \
             it after the other rewriters (`after`), or let it leave envelopes with `rejudge` alone",
            changed.join("`, `"),
        );
        let stands = parts.decision.filter(|word| *word > Word::Allow);
        fail(entry, contract, Failure::new(FailureClass::Illegal, detail).standing(stands))
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
        let judges = self.setting.set.judges.len();
        (from + 1..judges).find(|place| !same(place)).unwrap_or(judges)
    }

    /// Whether the hook at a place is to be asked about this version of the step.
    ///
    /// # Errors
    /// The failure of the hook where the payload panics when its conditions look at it.
    #[inline]
    fn wanted(
        &mut self,
        place: usize,
        entry: &Entry,
        envelope: &Envelope<'_>,
        round: u8,
    ) -> Result<bool, Failure> {
        if self.was_asked(place, round) {
            return Ok(true);
        }
        let wanted = holds(entry, envelope).map(|holds| holds != Truth::False);
        if !matches!(wanted, Ok(false)) {
            self.mark_asked(place);
        }
        wanted
    }

    /// Who judged an earlier version is asked about the final one, even if it would not match any
    /// more.
    #[inline]
    fn was_asked(&self, place: usize, round: u8) -> bool {
        round > 1 && self.asked.get(place).is_some_and(|heard| *heard != Heard::Nothing)
    }

    #[inline]
    fn mark_asked(&mut self, place: usize) {
        if let Some(asked) = self.asked.get_mut(place) {
            *asked = Heard::Asked;
        }
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
                    (started, ask_now(&**handler, Ask::new(entry.id(), envelope)))
                }
                (None, Handler::Async(handler)) => {
                    let ask = Ask::new(entry.id(), envelope);
                    let fence = Fence::ask(&**handler, ask, entry.timeout, self.deadline);
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

    /// Asks hooks in turn, up to the first one that says something or has to wait. Most say
    /// nothing, and for them this loop is all there is.
    fn ask_in_turn<'e>(
        &mut self,
        from: usize,
        to: usize,
        envelope: &'e Envelope<'e>,
        round: u8,
    ) -> Option<Asked<'e>>
    where
        'a: 'e,
    {
        for place in from..to {
            let Some(entry) = self.entry(place) else { continue };
            if self.is_apart(entry) {
                return Some(Asked { place, entry, started: None, reply: None });
            }
            let plain = !self.timed && !entry.conditions.any();
            if let Handler::Sync(handler) = &entry.handler
                && plain
                && envelope.context().cancel.is_none()
            {
                self.mark_asked(place);
                let reply = ask_now(&**handler, Ask::new(entry.id(), envelope));
                if is_silent(&reply) {
                    continue;
                }
                return Some(Asked { place, entry, started: None, reply: Some(reply) });
            }
            let asked = self.ask_one(place, entry, envelope, round);
            if asked.is_some() {
                return asked;
            }
        }
        None
    }

    /// Asks a hook that has conditions, can be cancelled or is to be recorded; none where it is not
    /// to be asked, and where it has said nothing that anybody wants to know.
    #[inline(never)]
    fn ask_one<'e>(
        &mut self,
        place: usize,
        entry: &'e Entry,
        envelope: &'e Envelope<'e>,
        round: u8,
    ) -> Option<Asked<'e>>
    where
        'a: 'e,
    {
        let wanted = self.wanted(place, entry, envelope, round);
        if let Ok(false) = wanted {
            return None;
        }
        let started = self.start(entry, envelope);
        let failure = wanted.err().or_else(|| stopped(envelope));
        let reply = match (failure, &entry.handler) {
            (Some(failure), _) => Some(Err(failure)),
            (None, Handler::Async(_)) => None,
            (None, Handler::Sync(handler)) => {
                let reply = ask_now(&**handler, Ask::new(entry.id(), envelope));
                if started.is_none() && is_silent(&reply) {
                    return None;
                }
                Some(reply)
            }
        };
        Some(Asked { place, entry, started, reply })
    }

    /// Takes an answer into account and says how to go on.
    fn hear(
        &mut self,
        place: usize,
        entry: &Entry,
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

    /// Sets the fields of a checked patch; tells whether the step is another one now.
    fn apply(
        &mut self,
        place: usize,
        patch: Map<String, Value>,
        payload: &mut dyn AnyPayload,
    ) -> bool {
        let Some(entry) = self.entry(place) else { return false };
        let contract = self.contract(payload);
        let changed = set_fields(contract, entry.hook.spec.merge, patch, payload);
        if let Some(heard) = self.asked.get_mut(place).filter(|_| !changed.is_empty()) {
            *heard = Heard::Patched;
        }
        if !changed.is_empty() {
            self.snapshot = None;
            if self.setting.may_wait && self.setting.set.heavy && !self.large {
                self.large = is_large(payload);
                self.deadline = self.deadline.or_else(|| deadline(self.setting.table));
            }
        }
        for name in &changed {
            if !self.patched.contains(name) {
                self.patched.push(name);
            }
        }
        if self.heard && !changed.is_empty() {
            let envelope = self.envelope(payload);
            self.setting.stream.send(
                entry.id(),
                &envelope,
                What::RewriteApplied { patched: changed.clone() },
            );
        }
        !changed.is_empty()
    }
}

/// Whether the conditions of a hook hold for a step.
///
/// # Errors
/// A failure of class `panic` where the payload panics.
#[inline]
fn holds(entry: &Entry, envelope: &Envelope<'_>) -> Result<Truth, Failure> {
    if !entry.conditions.any() {
        return Ok(Truth::True);
    }
    fenced("the payload", || entry.conditions.hold(envelope.payload(), envelope.context()))
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

/// Sets the fields of a checked patch; tells which are others now.
fn set_fields(
    contract: &'static Contract,
    merge: bool,
    mut patch: Map<String, Value>,
    payload: &mut dyn AnyPayload,
) -> Vec<&'static str> {
    let mut changed = Vec::new();
    for field in contract.patch {
        let Some(value) = patch.remove(field.name) else { continue };
        let value = match payload.field(field.name) {
            Some(before) if merge => {
                let mut merged = before.to_value();
                json::merge(&mut merged, value);
                merged
            }
            _ => value,
        };
        changed.extend(payload.set(field.name, value));
    }
    changed
}

fn is_silent(reply: &Reply) -> bool {
    matches!(reply, Ok(verdict) if verdict.parts().is_none())
}
