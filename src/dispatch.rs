//! One step through one table: order, concurrency, the final round, the observers.

mod fence;
mod observe;
mod record;
mod together;
mod weigh;

use hookgate_contract::envelope::StepId;
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Answer, Ask, Envelope, Handler, Reply, Role, StepContext, json};
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::background::Background;
use crate::decision::{Decision, Outcome, Said, Vote, merge};
use crate::stream::{Stream, What};
use crate::table::{Bucket, Entry, HandlerTable, MatchSet};
use fence::cancelled_failure;
pub(crate) use fence::{Fence, ask_now, humane, panicked};
use weigh::count;
pub(crate) use weigh::{Weighed, weigh};

/// What a dispatch needs beside the step.
pub(crate) struct Setting<'a> {
    pub(crate) table: &'a HandlerTable,
    pub(crate) bucket: &'a std::sync::Arc<Bucket>,
    pub(crate) set: &'a MatchSet,
    pub(crate) context: &'a StepContext<'a>,
    pub(crate) step_id: &'a StepId<'a>,
    pub(crate) stream: &'a Stream,
    pub(crate) background: &'a Background,
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
    let mut dispatch = Dispatch {
        heard: setting.stream.is_heard(),
        deadline: setting
            .set
            .waits
            .then(|| Instant::now() + setting.table.limits.dispatch_deadline),
        asked: if setting.set.rewrites {
            vec![false; setting.set.judges.len()]
        } else {
            Vec::new()
        },
        said: Vec::new(),
        votes: Vec::new(),
        patched: Vec::new(),
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

struct Dispatch<'a> {
    setting: Setting<'a>,
    heard: bool,
    deadline: Option<Instant>,
    /// Which judges were asked; only kept where something may rewrite.
    asked: Vec<bool>,
    said: Vec<Said>,
    votes: Vec<Vote>,
    patched: Vec<&'static str>,
}

/// A hook that was asked.
struct Asked<'a> {
    place: usize,
    entry: &'a Entry,
    started: Option<Instant>,
    /// Its answer; none where it has to be waited for.
    reply: Option<Reply>,
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

    /// The final round: guards that judged other bytes than the final ones, and those that match
    /// only now. Their votes replace the earlier ones.
    async fn rejudge(&mut self, last: usize, payload: &dyn AnyPayload) {
        let envelope = self.envelope(payload).rejudge();
        let mut from = 0;
        while from < last {
            let to = self.group_end(from).min(last);
            let guards = self.entry(from).is_some_and(|entry| entry.role == Role::Guard);
            if guards {
                self.said.retain(|said| !(from..to).contains(&said.place));
                if let Next::Stop = self.ask_group(from, to, &envelope, 2).await {
                    return;
                }
            }
            from = to;
        }
    }

    /// The first place after `from` that must not be asked together with it.
    fn group_end(&self, from: usize) -> usize {
        let group = self.entry(from).map(|entry| entry.group);
        let same = |place: &usize| self.entry(*place).map(|entry| entry.group) == group;
        let judges = self.setting.set.judges.len();
        (from + 1..judges).find(|place| !same(place)).unwrap_or(judges)
    }

    /// Whether the hook at a place is to be asked about this version of the step.
    #[inline]
    fn wanted(&mut self, place: usize, entry: &Entry, envelope: &Envelope<'_>, round: u8) -> bool {
        // Who judged an earlier version is asked about the final one, even if it would not match
        // any more.
        if round > 1 && self.asked.get(place) == Some(&true) {
            return true;
        }
        let holds = entry.conditions.hold(envelope.payload(), envelope.context());
        let wanted = holds != crate::matcher::Truth::False;
        if wanted && let Some(asked) = self.asked.get_mut(place) {
            *asked = true;
        }
        wanted
    }

    async fn ask_group(
        &mut self,
        from: usize,
        to: usize,
        envelope: &Envelope<'_>,
        round: u8,
    ) -> Next {
        let waiting = |place: &usize| self.entry(*place).is_some_and(Entry::waits);
        if self.setting.set.waits && (from..to).filter(waiting).count() > 1 {
            return self.ask_together(from, to, envelope, round).await;
        }
        let mut rest = from;
        while let Some(Asked { place, entry, started, reply }) =
            self.ask_in_turn(rest, to, envelope, round)
        {
            rest = place + 1;
            let ask = Ask::new(entry.id(), envelope);
            let reply = match (reply, &entry.handler) {
                (Some(reply), _) => reply,
                (None, Handler::Sync(handler)) => ask_now(&**handler, ask),
                (None, Handler::Async(handler)) => {
                    Fence::new(&**handler, ask, entry.timeout, self.deadline).await
                }
            };
            let weighed = weigh(entry, self.setting.bucket.contract, reply);
            match self.hear(place, entry, weighed, envelope, round, started) {
                Next::Go => {}
                other => return other,
            }
        }
        Next::Go
    }

    /// Asks hooks in turn, up to the first one that says something or has to wait. Most say
    /// nothing, and for them this loop is all there is.
    fn ask_in_turn(
        &mut self,
        from: usize,
        to: usize,
        envelope: &Envelope<'_>,
        round: u8,
    ) -> Option<Asked<'a>> {
        for place in from..to {
            let Some(entry) = self.entry(place) else { continue };
            if !self.wanted(place, entry, envelope, round) {
                continue;
            }
            let started = self.start(entry, envelope);
            let reply = match &entry.handler {
                _ if is_cancelled(envelope) => Some(Err(cancelled_failure())),
                Handler::Async(_) => None,
                Handler::Sync(handler) => {
                    let reply = ask_now(&**handler, Ask::new(entry.id(), envelope));
                    if started.is_none() && is_silent(&reply) {
                        continue;
                    }
                    Some(reply)
                }
            };
            return Some(Asked { place, entry, started, reply });
        }
        None
    }

    /// Takes an answer into account and says how to go on.
    fn hear(
        &mut self,
        place: usize,
        entry: &Entry,
        weighed: Weighed,
        envelope: &Envelope<'_>,
        round: u8,
        started: Option<Instant>,
    ) -> Next {
        if let Some(started) = started {
            self.record(entry, &weighed, envelope, round, started);
        }
        let stops = weighed.stops(entry);
        let (said, patch) = count(entry, self.setting.bucket.contract, place, weighed);
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
        let mut patch = patch;
        let mut changed = Vec::new();
        for field in self.setting.bucket.contract.patch {
            let Some(value) = patch.remove(field.name) else { continue };
            let value = match payload.field(field.name) {
                Some(before) if entry.hook.spec.merge => {
                    let mut merged = before.to_value();
                    json::merge(&mut merged, value);
                    merged
                }
                _ => value,
            };
            changed.extend(payload.set(field.name, value));
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

    /// Merges what was said. Where nobody said anything there is no decision to make.
    fn decide(&mut self, payload: &dyn AnyPayload) -> (Option<Box<Decision>>, Option<Answer>) {
        if self.said.is_empty() && self.patched.is_empty() {
            return (None, None);
        }
        let said = std::mem::take(&mut self.said);
        let patched = std::mem::take(&mut self.patched);
        let (mut decision, answer) = merge(said, patched, self.setting.table.generation());
        self.let_stop(&mut decision, payload);
        (Some(Box::new(decision)), answer)
    }

    fn nothing_said(&self) -> Decision {
        merge(Vec::new(), Vec::new(), self.setting.table.generation()).0
    }

    /// An agent can be kept from stopping only so many times in a row.
    fn let_stop(&self, decision: &mut Decision, payload: &dyn AnyPayload) {
        use hookgate_contract::payload::{Stop, SubagentStop};
        if decision.outcome != Outcome::Deny {
            return;
        }
        let any = payload.as_any();
        let so_far = any
            .downcast_ref::<Stop>()
            .map(|stop| stop.continues_so_far)
            .or_else(|| any.downcast_ref::<SubagentStop>().map(|stop| stop.continues_so_far));
        let limit = self.setting.table.limits.stop_denials;
        if let Some(so_far) = so_far.flatten().filter(|so_far| *so_far >= limit) {
            decision.messages.push(format!(
                "the agent was kept from stopping {so_far} times in a row, so {} is not heard this \
                 time: {}",
                decision.by.join(", "),
                decision.reason.as_deref().unwrap_or("no reason given"),
            ));
            decision.outcome = Outcome::Allow;
            decision.by.clear();
            decision.reason = None;
            decision.reason_code = None;
        }
    }
}

fn is_silent(reply: &Reply) -> bool {
    matches!(reply, Ok(verdict) if verdict.parts().is_none())
}

fn is_cancelled(envelope: &Envelope<'_>) -> bool {
    envelope.context().cancel.is_some_and(|cancel| cancel.is_cancelled())
}
