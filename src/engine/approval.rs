//! What depends on the engine that has evaluated a step: whether an approval still holds, and whether a
//! clearance is its own.

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Answer, ReasonCode, StepContext};
use serde_json::{Value, json};

use super::Engine;
use super::hook_engine::HookEngine;
use crate::config_hash::ConfigHash;
use crate::decision::{Decision, Outcome};
use crate::hook_id::HookId;
use crate::step::{Asked, Clearance, Cleared, Gate, HookStep, Stamp, ToolUse, USER};
use crate::table::HandlerTable;

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
        is_of(context, decision, stamp)
            && !self.table().has_changed_since(event, decision.generation.get())
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

    /// Returns a question that some hooks have asked before. If they are those in force, an approval holds; else it has the
    /// step evaluated anew.
    pub(crate) fn asked_again<S: HookStep>(
        &self,
        step: S,
        mut decision: Decision,
        answer: Option<Answer>,
        hooks: ConfigHash,
        context: &StepContext<'_>,
    ) -> Asked<S> {
        let table = self.table();
        let stamp = match identity_of_hooks(&table, step.payload(), |_| true) == hooks {
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
