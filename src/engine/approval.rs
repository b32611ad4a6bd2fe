//! What depends on the engine that has evaluated a step: whether an approval still holds, and whether a
//! clearance is its own.

use hookgate_contract::{ReasonCode, StepContext};

use super::hook_engine::HookEngine;
use crate::decision::Outcome;
use crate::hook_id::HookId;
use crate::step::{Asked, Clearance, Cleared, Gate, HookStep, Stamp, ToolUse, USER};

/// The name in [`Decision::by`](crate::Decision::by) if the engine itself denies.
const ENGINE: &str = "hookgate";

const NO_ENGINE: &str =
    "an engine with hooks asked about this step, so an engine without hooks cannot clear it";

impl<S: HookStep> Asked<S> {
    /// Approves the step: the user has agreed.
    ///
    /// The step is cleared if this engine and the generation of its table are those that asked. If
    /// the table was swapped meanwhile, or another engine is given, the step is evaluated anew. An engine
    /// without hooks ([`Noop`](crate::Noop), `None`) cannot approve what an engine with hooks has
    /// asked about: the step is denied.
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
        if engine.identity() == stamp.engine && engine.generation() == decision.generation {
            decision.outcome = if answer.is_some() { Outcome::Answered } else { Outcome::Allow };
            decision.by = HookId::from(USER).into();
            decision.reason = None;
            decision.reason_code = None;
            if let Some(engine) = engine.as_engine() {
                engine.record_approval(step.payload(), context, &decision).await;
            }
        } else if engine.identity() == Stamp::NO_ENGINE.engine {
            decision.outcome = Outcome::Deny;
            decision.by = HookId::from(ENGINE).into();
            decision.reason = Some(NO_ENGINE.to_owned());
            decision.reason_code = Some(ReasonCode::PolicyViolation);
        } else {
            return engine.dispatch(step, context).await;
        }
        Gate::open(step, Clearance { stamp, decision: Some(decision) }, answer)
    }
}

impl ToolUse<Cleared> {
    /// Returns whether this engine has cleared the call, for a runtime that has several engines.
    pub fn is_cleared_by<E: HookEngine + ?Sized>(&self, engine: &E) -> bool {
        self.stamp().engine == engine.identity()
    }
}
