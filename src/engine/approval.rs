//! Questions that a hook asks the user: shown, edited, kept over a restart, answered once.
//!
//! A step that a hook asks about comes back as [`Asked`]. While the runtime lives it can be answered
//! there: approved, approved with other arguments, refused. If the answer may come later, or in another process, the
//! step is *parked*: [`Parked`] is a signed JSON object with all that is needed to go on.
//!
//! ```text
//!           ┌─ approve ───────────────────────▶ Cleared, or evaluated anew
//!  Asked ───┼─ approve_with(edit) ─ judged again ▶ Cleared · Denied · Asked by another hook
//!    ▲      ├─ refuse ────────────────────────▶ Denied
//!    │      └─ park ─▶ Parked (JSON) ──┐
//!    └──────────── resume ◀────────────┘  once, until it ends, by an engine with the same key
//! ```
//!
//! ```
//! use std::time::Duration;
//! use hookgate::approval::Parked;
//! use hookgate::{Engine, Event, Gate, HandlerTable, Hook, HookEngine, StepContext, ToolUse, Verdict};
//!
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
//! // The key is kept by the host, so that its next process reads what this one has parked.
//! let start = |key| {
//!     let hook = Hook::sync("confirm", |_| Ok(Verdict::ask("really?"))).event(Event::PreToolUse);
//!     HandlerTable::builder().insert(hook).build().map(|table| Engine::new(table).with_approval_key(key))
//! };
//! let (engine, context) = (start([7; 32])?, StepContext::new("session-1"));
//! let deploy = ToolUse::propose("Bash", r#"{"command":"make deploy"}"#).unwrap();
//! let Gate::Asked(asked) = engine.dispatch(deploy, &context).await else { panic!() };
//! let parked = asked.park(&engine, &context, Duration::from_secs(3600)).unwrap();
//! let kept = serde_json::to_vec(&parked).unwrap();
//! drop(engine);
//!
//! // … the process ends; the next one has the same hooks, and the user has agreed …
//! let engine = start([7; 32])?;
//! let parked = Parked::from_json(&kept).unwrap();
//! assert_eq!(parked.request().question, "really?");
//! let asked = engine.resume::<ToolUse>(parked, &context).unwrap();
//! assert!(asked.approve(&engine, &context).await.is_cleared());
//! # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
//! ```
//!
//! # How long an approval holds
//! As long as the hooks of the event are those that have asked: the same ids with the same declarations, in the same
//! order. If they are others, the step is evaluated anew when it is approved, under its step id, by which what counts
//! steps counts it once; then it may be asked about again. Between two processes a hook in Rust is known by its
//! declaration alone: what its closure does is not compared.

mod edit;
mod parked;
mod request;

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Answer, Envelope, ReasonCode, StepContext, StepId};
use serde_json::{Value, json};

use super::Engine;
use super::hook_engine::HookEngine;
use crate::clock;
use crate::config_hash::ConfigHash;
use crate::decision::{Decision, Outcome};
use crate::dispatch::queue_work;
use crate::generation::Generation;
use crate::hook_id::HookId;
use crate::step::{Asked, Clearance, Cleared, Denied, Gate, HookStep, Stamp, ToolUse, USER};
use crate::table::HandlerTable;
pub use edit::{EditError, EditProblem};
pub(super) use parked::Approvals;
pub use parked::{ParkError, ParkProblem, Parked, ResumeError};
pub use request::ApprovalRequest;

const NO_RECORD: &str =
    "the step was approved, but there is no record of it, and there must be one";
const NO_ENGINE: &str =
    "an engine with hooks asked about this step, so an engine without hooks cannot clear it";

impl<S: HookStep> Asked<S> {
    /// Approves the step: the user has agreed.
    ///
    /// The step is cleared if this engine has asked, in this session and about this step, and the hooks of the
    /// event are those that asked: a swap that changes other events only asks nobody again, one that adds a hook of this
    /// event does, for whatever tool it is. Which agent of the session asks is not compared. Else the step is
    /// evaluated anew, in the context that is given; in the same session it keeps its step id, by which conditions
    /// that count know it. An engine without hooks ([`Noop`](crate::Noop), `None`)
    /// cannot approve what an engine with hooks has asked about: the step is denied.
    ///
    /// ```
    /// use hookgate::contract::BuiltHandler;
    /// use hookgate::{Engine, Event, Gate, HandlerTable, HookEngine, Hook, Invocation};
    /// use hookgate::{StepContext, ToolUse, Verdict};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let hook = Hook::sync("confirm", |_| Ok(Verdict::ask("really?"))).event(Event::PreToolUse);
    /// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?);
    ///
    /// let context = StepContext::new("session-1");
    /// let bash = ToolUse::propose("Bash", r#"{"command":"make deploy"}"#).unwrap();
    /// let Gate::Asked(asked) = engine.dispatch(bash, &context).await else { panic!() };
    /// assert_eq!(asked.question(), "really?");
    /// // … the user is shown the question, and agrees …
    /// let gate = asked.approve(&engine, &context).await;
    /// assert_eq!(gate.decision().unwrap().by, ["the user"]);
    /// assert!(gate.is_cleared());
    /// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
    /// ```
    ///
    /// # Cancel safety
    /// As [`HookEngine::dispatch`]: the step is dropped with the future.
    pub async fn approve<E: HookEngine + ?Sized>(
        self,
        engine: &E,
        context: &StepContext<'_>,
    ) -> Gate<S> {
        let (step, mut decision, answer, stamp) = self.into_parts();
        let asked = engine.as_engine().filter(|engine| engine.id == stamp.engine);
        let event = step.payload().event_name();
        let is_good = |engine: &Engine| engine.still_asks(event, context, &decision, stamp);
        let mut holds = asked.is_some_and(is_good);
        let mut recorder = None;
        if let Some(engine) = asked.filter(|_| holds) {
            recorder = engine.recorder_ready().await;
            // The table may have been swapped meanwhile. What the step is evaluated by then has a record of its own.
            holds = is_good(engine);
            if let Some(unused) = recorder.filter(|_| !holds) {
                engine.release_room(unused);
            }
        }
        if holds {
            decision.outcome = if answer.is_some() { Outcome::Answered } else { Outcome::Allow };
            decision.by = HookId::from(USER).into();
            decision.reason = None;
            decision.reason_code = None;
            let may_happen = match asked.zip(recorder) {
                Some((engine, recorder)) => {
                    engine.record_approval(recorder, step.payload(), context, &mut decision).await
                }
                None => true,
            };
            if !may_happen {
                decision.deny_by_engine(NO_RECORD, ReasonCode::RuntimeError);
                return Gate::open(step, Clearance { stamp, decision: Some(decision) }, None);
            }
            if let Some(engine) = asked {
                engine.queue_approved_work(step.payload(), context, &mut decision);
            }
        } else if is_without_hooks(engine) {
            decision.deny_by_engine(NO_ENGINE, ReasonCode::PolicyViolation);
        } else {
            // It is the same step, so what counts steps counts it once.
            let known = decision.step_id.as_deref().filter(|_| is_of(context, &decision, stamp));
            let mut context = *context;
            context.step_id = context.step_id.or(known);
            return engine.dispatch(step, &context).await;
        }
        Gate::open(step, Clearance { stamp, decision: Some(decision) }, answer)
    }

    /// Refuses the step: the user does not agree. If the engine that has asked has a recorder, it is recorded under the step
    /// id of the question; [`refuse`](Self::refuse) does the same without a record. The engine and the context are those of
    /// the dispatch.
    ///
    /// ```
    /// use hookgate::recorder::{Channel, DispatchEnd};
    /// use hookgate::{Engine, Event, Gate, HandlerTable, Hook, HookEngine, StepContext, ToolUse, Verdict};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let (channel, mut records) = Channel::waiting(8);
    /// let ask = Hook::sync("ask", |_| Ok(Verdict::ask("sure?"))).event(Event::PreToolUse);
    /// let engine = Engine::new(HandlerTable::builder().insert(ask).build()?).with_recorder(channel);
    /// let (step, context) = (ToolUse::propose("Bash", "{}").unwrap(), StepContext::new("s"));
    /// let Gate::Asked(asked) = engine.dispatch(step, &context).await else { panic!() };
    /// let denied = asked.reject("not now", &engine, &context).await;
    /// assert_eq!(denied.feedback(), "denied by the user: not now");
    /// assert_eq!(records.next().await.unwrap().end, DispatchEnd::Decided);
    /// assert_eq!(records.next().await.unwrap().end, DispatchEnd::Rejected);
    /// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
    /// ```
    ///
    /// # Cancel safety
    /// The step does not happen either way. A future that is dropped may leave no record.
    pub async fn reject<E: HookEngine + ?Sized>(
        self,
        reason: impl Into<String>,
        engine: &E,
        context: &StepContext<'_>,
    ) -> Denied<S> {
        let stamp = self.stamp();
        // One that was resumed after a change of the hooks is of no table, and refused all the same.
        let has_asked =
            |engine: &&Engine| [engine.id, Stamp::OUTDATED.engine].contains(&stamp.engine);
        let is_question_of = is_of(context, self.decision(), stamp);
        let asked = engine.as_engine().filter(has_asked).filter(|_| is_question_of);
        let denied = self.refuse(reason);
        if let Some(engine) = asked {
            engine.record_rejection(denied.payload(), context, denied.decision()).await;
        }
        denied
    }
}

/// Returns whether an approval of a question would hold: this engine has asked it, in this session, with the hooks that
/// are in force.
pub(crate) fn holds<E: HookEngine + ?Sized>(
    engine: &E,
    event: &str,
    context: &StepContext<'_>,
    asked: &Decision,
    stamp: Stamp,
) -> bool {
    let engine = engine.as_engine().filter(|engine| engine.id == stamp.engine);
    engine.is_some_and(|engine| engine.still_asks(event, context, asked, stamp))
}

/// Returns whether an engine has no hooks and can have none.
pub(crate) fn is_without_hooks<E: HookEngine + ?Sized>(engine: &E) -> bool {
    engine.identity() == Stamp::NO_ENGINE.engine
}

impl Engine {
    /// Returns whether the hooks that have asked are in force, and the context is that of their question.
    fn still_asks(
        &self,
        event: &str,
        context: &StepContext<'_>,
        decision: &Decision,
        stamp: Stamp,
    ) -> bool {
        let table = self.table();
        is_of(context, decision, stamp)
            && table.closed.is_none()
            && !table.has_changed_since(event, decision.generation.get())
    }

    /// Queues what the hooks have asked for beside the question, if the queue of the host takes that.
    fn queue_approved_work(
        &self,
        payload: &dyn AnyPayload,
        context: &StepContext<'_>,
        decision: &mut Decision,
    ) {
        if !self.shared.services.takes_work {
            return;
        }
        let table = self.table();
        let known = decision.step_id.clone();
        let step_id = StepId::new(known.as_deref().or(context.step_id), clock::step_id);
        let (generation, limit) = (table.generation().get(), table.limits.payload);
        let envelope = Envelope::new(payload, context, &step_id, generation, limit);
        queue_work(&self.shared.services, &table, envelope, decision);
    }

    /// Returns whether this engine has asked about a step, in the session of a context.
    pub(crate) fn has_asked<S: HookStep>(
        &self,
        asked: &Asked<S>,
        context: &StepContext<'_>,
    ) -> bool {
        asked.stamp().engine == self.id && asked.stamp().may_be_of(context.session_id)
    }

    /// Returns the identity of some of the hooks of the event of a step that was asked about, to be compared in another
    /// process. If they are not in force any more, it is that of no hooks.
    pub(crate) fn asking_hooks<S: HookStep>(
        &self,
        asked: &Asked<S>,
        which: impl Fn(&HookId) -> bool,
    ) -> ConfigHash {
        let (table, payload, decision) = (self.table(), asked.payload(), asked.decision());
        // One that other hooks have asked before this process has the ids of those in force, and is not theirs.
        let is_others = asked.stamp().engine != self.id;
        if is_others || table.has_changed_since(payload.event_name(), decision.generation.get()) {
            return ConfigHash::of_value(&Value::Null);
        }
        identity_of_hooks(&table, payload, which)
    }

    /// Returns a question that some hooks have asked before: hooks of this identity, if they are known, or, if it was this engine, those of a
    /// generation. If they are those in force, an approval holds; else it has the step evaluated anew.
    pub(crate) fn asked_again<S: HookStep>(
        &self,
        step: S,
        mut decision: Decision,
        answer: Option<Answer>,
        (hooks, since): (Option<ConfigHash>, Option<Generation>),
        context: &StepContext<'_>,
    ) -> Asked<S> {
        let (table, payload) = (self.table(), step.payload());
        // Hooks in Rust that are declared alike can do other things.
        let has_changed =
            since.is_some_and(|since| table.has_changed_since(payload.event_name(), since.get()));
        let stamp =
            match !has_changed && Some(identity_of_hooks(&table, payload, |_| true)) == hooks {
                true => self.stamp(table.generation()),
                false => Stamp::OUTDATED,
            };
        decision.generation = table.generation();
        Asked::again(step, Box::new(decision), answer, stamp.in_session(context.session_id))
    }
}

/// Returns the identity of some hooks of an event: their ids and what they are made of, in their order.
fn identity_of_hooks(
    table: &HandlerTable,
    payload: &dyn AnyPayload,
    which: impl Fn(&HookId) -> bool,
) -> ConfigHash {
    let entries = table.bucket(payload).into_iter().flat_map(|bucket| bucket.entries.iter());
    let hooks = entries.filter(|hook| which(hook.id()));
    let hooks = hooks.map(|hook| json!([hook.id(), hook.definition.spec.config_hash()]));
    let hooks: Vec<Value> = hooks.collect();
    ConfigHash::of_value(&json!({"event": payload.event_name(), "hooks": hooks}))
}

/// Returns whether a context is the one that the user was asked in, as far as both say it.
fn is_of(context: &StepContext<'_>, asked: &Decision, stamp: Stamp) -> bool {
    let other_step =
        context.step_id.zip(asked.step_id.as_deref()).is_some_and(|(given, asked)| given != asked);
    stamp.may_be_of(context.session_id) && !other_step
}

impl ToolUse<Cleared> {
    /// Returns whether this engine has cleared the call, for a runtime that has several engines.
    pub fn is_cleared_by<E: HookEngine + ?Sized>(&self, engine: &E) -> bool {
        self.stamp().engine == engine.identity()
    }
}
