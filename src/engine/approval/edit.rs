//! A step that the user approves with other arguments.

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::quote::Quoted;
use hookgate_contract::{Contract, Event, Patch, PatchField, StepContext, json};
use serde_json::{Map, Value};

use super::super::hook_engine::HookEngine;
use super::{ApprovalRequest, holds, is_without_hooks};
use crate::dispatch::{apply_edit, find_untaken};
use crate::panic_boundary::catch;
use crate::step::{Asked, Gate, HookStep};

/// Why a step is not what the user has made of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditProblem {
    /// The event has no such field that may be changed.
    #[error("`{}` cannot be changed at `{event}`: {fields}", Quoted(.field))]
    NotEditable {
        /// The field.
        field: String,
        /// The event.
        event: &'static str,
        /// Which fields can.
        fields: String,
    },
    /// The value is of another type than the field.
    #[error("`{field}` must be {expected}")]
    WrongType {
        /// The field.
        field: &'static str,
        /// Its type, in words.
        expected: &'static str,
    },
    /// Not every reader understands the value alike: an integer beyond 2^53, or too many levels.
    #[error("`{field}` cannot be used: {problem}")]
    Unreadable {
        /// The field.
        field: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// The payload of the embedder does not take it.
    #[error("{0}")]
    Untaken(String),
}

/// An edit was refused. The question is in the error: it is as open as before.
#[derive(Debug, thiserror::Error)]
#[error("{problem}")]
pub struct EditError<S> {
    problem: EditProblem,
    asked: Box<Asked<S>>,
}

impl<S> EditError<S> {
    /// Returns what is wrong with the edit.
    #[must_use]
    pub const fn problem(&self) -> &EditProblem {
        &self.problem
    }

    /// Returns the question, which can be answered otherwise.
    #[must_use = "the question is still open"]
    pub fn into_asked(self) -> Asked<S> {
        *self.asked
    }
}

impl<S: HookStep<Asked = Asked<S>>> Asked<S> {
    /// Approves the step with other values of some of its fields (those that a hook may rewrite), in place of the present
    /// ones.
    ///
    /// What comes of it is judged again, under the same step id: every guard sees the final bytes, and may deny them. The
    /// questions of the hooks that have asked count as answered, since the user has seen the step, as long as an approval
    /// would hold ([`approve`](Self::approve)); a hook that has not asked before is a new question, and so is what a
    /// rewriter makes of the edit, and a hook that fails at it.
    ///
    /// ```
    /// use hookgate::{Engine, Event, Gate, HandlerTable, Hook, HookEngine, StepContext, ToolUse, Verdict};
    /// use serde_json::json;
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let hook = Hook::sync("confirm", |_| Ok(Verdict::ask("really?"))).event(Event::PreToolUse);
    /// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?);
    /// let context = StepContext::new("session-1");
    /// let bash = ToolUse::propose("Bash", r#"{"command":"make deploy"}"#).unwrap();
    /// let Gate::Asked(asked) = engine.dispatch(bash, &context).await else { panic!() };
    ///
    /// let edit = json!({"tool_input": {"command": "make deploy DRY_RUN=1"}});
    /// let edit = edit.as_object().unwrap().clone();
    /// let gate = asked.approve_with(edit, &engine, &context).await.unwrap();
    /// assert_eq!(gate.cleared().unwrap().call().tool_input["command"], "make deploy DRY_RUN=1");
    /// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    /// An [`EditError`] with the question: the contract of the event does not let these fields be set to these values.
    ///
    /// # Cancel safety
    /// As [`HookEngine::dispatch`]: the step is dropped with the future.
    pub async fn approve_with<E: HookEngine + ?Sized>(
        self,
        edit: Map<String, Value>,
        engine: &E,
        context: &StepContext<'_>,
    ) -> Result<Gate<S>, EditError<S>> {
        if let Err(problem) = check(&edit, self.payload()) {
            return Err(EditError { problem, asked: Box::new(self) });
        }
        if is_without_hooks(engine) {
            return Ok(self.approve(engine, context).await);
        }
        let is_of_session = self.stamp().may_be_of(context.session_id);
        let step_id = self.decision().step_id.clone().filter(|_| is_of_session);
        let (mut step, asked, _, stamp) = self.into_parts();
        apply_edit(edit.into(), step.payload_mut());
        let agreed = written(step.payload());
        let own_context = context;
        let mut context = *context;
        context.step_id = context.step_id.or(step_id.as_deref());
        let is_same = |again: &Asked<S>| {
            let event = again.payload().event_name();
            // By others, or in another session, the question is a new one. The table may have been swapped while the
            // step was judged, or before.
            holds(engine, event, own_context, &asked, stamp)
                && again.decision().by.iter().all(|by| asked.by.contains(by))
                // A hook that has failed at the edit, or at the step before, asks something else.
                && again.decision().reason_code == asked.reason_code
                // The user has not seen what a rewriter has made of it.
                && agreed.is_some()
                && written(again.payload()) == agreed
        };
        let gate = match engine.dispatch(step, &context).await {
            Gate::Asked(again) if is_same(&again) => again.approve(engine, &context).await,
            gate => gate,
        };
        Ok(gate)
    }
}

/// Returns a step as JSON. `None` if its payload cannot be written.
fn written(payload: &dyn AnyPayload) -> Option<Value> {
    catch("the payload", || payload.to_value()).ok()?.ok()
}

impl ApprovalRequest {
    /// Finds what is wrong with an edit before it is kept as an answer: fields that may not be changed at the event, and
    /// values of another type. Of an event of the embedder nothing is known here; there it is found when the step is
    /// approved.
    ///
    /// # Errors
    /// What the contract of the event refuses.
    pub fn check_edit(&self, edit: &Map<String, Value>) -> Result<(), EditProblem> {
        match Event::from_name(&self.event) {
            Some(event) => check_fields(edit, event.contract()),
            None => Ok(()),
        }
    }
}

/// Checks an edit as the patch of a hook is checked.
fn check(edit: &Map<String, Value>, payload: &dyn AnyPayload) -> Result<(), EditProblem> {
    let contract = payload.contract();
    check_fields(edit, contract)?;
    match find_untaken(contract, false, &Patch::from(edit.clone()), payload) {
        Some(failure) => Err(EditProblem::Untaken(failure.detail.into_owned())),
        None => Ok(()),
    }
}

fn check_fields(edit: &Map<String, Value>, contract: &Contract) -> Result<(), EditProblem> {
    for (name, value) in edit {
        let named = |field: &&PatchField| field.name == name;
        let Some(field) = contract.patch.iter().find(named) else {
            let fields: Vec<_> = contract.patch.iter().map(|field| field.name).collect();
            let fields = match fields.is_empty() {
                true => "nothing can".to_owned(),
                false => format!("{} can", fields.join(", ")),
            };
            return Err(EditProblem::NotEditable {
                field: name.clone(),
                event: contract.name,
                fields,
            });
        };
        if !field.admits(value) {
            let expected = field.json_type.description();
            return Err(EditProblem::WrongType { field: field.name, expected });
        }
        json::check(value, json::Integers::default()).map_err(|error| EditProblem::Unreadable {
            field: field.name,
            problem: error.to_string(),
        })?;
    }
    Ok(())
}
