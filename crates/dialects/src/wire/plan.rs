//! What is left of a decision when the agent cannot do all of it.
//!
//! What it cannot do becomes the nearest stricter thing that it can: an ask or a halt becomes a deny, and
//! so does a change of the arguments that it would not take. What only tells something (a text, an
//! approval) is left out. Each is listed as a loss.

use std::borrow::Cow;

use hookgate_contract::dialect::{HostAnswer, HostDecision, HostEffect, HostEvent, HostStep, Loss};
use hookgate_contract::{Answer, VerdictDecision, patch_field};
use serde_json::{Map, Value};

use super::wanted;

/// What the agent is to be told.
#[derive(Debug)]
pub(crate) struct Plan<'a> {
    /// A decision that the agent can take here. A deny at an event with [`HostEffect::KeepGoing`] means
    /// that it goes on.
    pub(crate) decision: Option<VerdictDecision>,
    /// Why; never blank.
    pub(crate) reason: Cow<'a, str>,
    /// The fields that were changed and that the agent takes. Empty after a deny.
    pub(crate) patch: Map<String, Value>,
    /// The result in place of the action, if the agent takes one.
    pub(crate) answer: Option<&'a Answer>,
    /// A text for the model.
    pub(crate) context: Option<String>,
    /// A text for the user.
    pub(crate) message: Option<String>,
    losses: Vec<Loss>,
}

impl<'a> Plan<'a> {
    /// Takes a decision down to what the agent can do. `agent` is its name for people.
    pub(crate) fn new(agent: &str, step: &HostStep, decision: &HostDecision<'a>) -> Self {
        let event = step.event;
        let mut plan = Plan {
            decision: None,
            reason: decision.reason.map_or(Cow::Borrowed(""), Cow::Borrowed),
            patch: Map::new(),
            answer: None,
            context: joined(decision.context),
            message: joined(decision.messages),
            losses: Vec::new(),
        };
        plan.decision = decision.decision.and_then(|wanted| plan.nearest(event, wanted));
        if !plan.refuses() {
            plan.take_answer(event, decision.answer);
            plan.take_patch(agent, step, decision.patch);
        }
        plan.say_why();
        plan.place_texts(event);
        plan
    }

    /// Tells whether the action does not happen, or the agent does not stop.
    pub(crate) fn refuses(&self) -> bool {
        self.decision >= Some(VerdictDecision::Deny)
    }

    /// Tells whether the plan holds this decision.
    pub(crate) fn is(&self, decision: VerdictDecision) -> bool {
        self.decision == Some(decision)
    }

    /// Adds a loss that only the dialect knows of.
    pub(crate) fn lose(&mut self, effect: HostEffect, instead: impl Into<String>) {
        self.losses.push(Loss::new(effect, instead));
    }

    /// Returns the answer with this object, or without one, and with all losses.
    pub(crate) fn json(self, object: Option<Value>) -> HostAnswer {
        let answer = object.as_ref().map_or_else(HostAnswer::silent, HostAnswer::json);
        self.losses.into_iter().fold(answer, HostAnswer::lose)
    }

    /// Returns the answer that refuses by the exit status 2, with all losses.
    pub(crate) fn exit_2(self) -> HostAnswer {
        let answer = HostAnswer::exit_2(&self.reason);
        self.losses.into_iter().fold(answer, HostAnswer::lose)
    }

    /// Returns the decision, or the nearest that is stricter.
    fn nearest(&mut self, event: &HostEvent, wanted: VerdictDecision) -> Option<VerdictDecision> {
        let effect = effect_of(wanted);
        if event.can(effect) {
            return Some(wanted);
        }
        if wanted == VerdictDecision::Deny && event.can(HostEffect::KeepGoing) {
            return Some(wanted);
        }
        if wanted == VerdictDecision::Allow {
            self.lose(effect, "the agent's own rules decide whether it asks its user");
            return None;
        }
        if event.can(HostEffect::Deny) {
            self.lose(effect, "it is denied instead");
            return Some(VerdictDecision::Deny);
        }
        self.lose(effect, "nothing happens: the agent obeys no decision at this event");
        None
    }

    fn take_answer(&mut self, event: &HostEvent, answer: Option<&'a Answer>) {
        let Some(answer) = answer else { return };
        if event.can(HostEffect::Answer) {
            self.answer = Some(answer);
            return;
        }
        let content = match &answer.content {
            Value::String(text) => Cow::Borrowed(text.as_str()),
            other => Cow::Owned(other.to_string()),
        };
        self.deny(event, HostEffect::Answer, || {
            format!("this was not run: a hook has answered in its place: {content}")
        });
    }

    fn take_patch(&mut self, agent: &str, step: &HostStep, patch: &Map<String, Value>) {
        let event = step.event;
        for (field, value) in patch {
            let effect = effect_of_patch(field);
            if field == patch_field::TOOL_INPUT && !value.is_object() {
                // An agent takes it for no change at all, or for a broken answer.
                self.deny(event, effect, || {
                    "a hook has changed the arguments to something that is no object".to_owned()
                });
            } else if event.can(effect) {
                self.patch.insert(field.clone(), value.clone());
            } else if let Some(added) = added_text(step, field, value)
                && event.can(HostEffect::Context)
            {
                self.lose(effect, "the added text is context for the model instead");
                let context = self.context.take();
                self.context = joined(&[added].into_iter().chain(context).collect::<Vec<_>>());
            } else if is_hint(field) {
                self.lose(effect, format!("`{field}` stays as it is"));
            } else if effect == HostEffect::RewriteResult {
                self.hide(event, value);
            } else {
                self.deny(event, effect, || wanted::change(agent, step, field, value));
            }
        }
        if self.refuses() {
            self.patch.clear();
        }
    }

    /// Denies because something else cannot be done.
    fn deny(&mut self, event: &HostEvent, effect: HostEffect, why: impl FnOnce() -> String) {
        if !event.can(HostEffect::Deny) {
            self.lose(effect, "nothing happens: the agent obeys no deny at this event");
            return;
        }
        self.lose(effect, "it is denied instead");
        // The first such reason stands.
        if !self.refuses() {
            let why = why();
            self.reason = match self.reason.trim() {
                "" => why.into(),
                reason => format!("{reason}: {why}").into(),
            };
            self.decision = Some(VerdictDecision::Deny);
        }
    }

    /// Hides a result that the agent cannot change: the changed one is the reason.
    fn hide(&mut self, event: &HostEvent, changed: &Value) {
        let effect = HostEffect::RewriteResult;
        if !event.can(HostEffect::Deny) {
            self.lose(effect, "nothing happens: the model sees the result as it is");
            return;
        }
        self.lose(effect, "the result is hidden, and the changed one is the reason");
        if !self.refuses() {
            self.reason = wanted::text_of(changed).into();
            self.decision = Some(VerdictDecision::Deny);
        }
    }

    fn say_why(&mut self) {
        if self.reason.trim().is_empty() {
            self.reason = match self.decision {
                Some(VerdictDecision::Halt) => "stopped by a hook",
                Some(VerdictDecision::Ask) => "a hook asks you to confirm this",
                Some(VerdictDecision::Allow) => "allowed by a hook",
                _ => "denied by a hook",
            }
            .into();
        }
    }

    /// Puts the texts where the agent has a place for them.
    fn place_texts(&mut self, event: &HostEvent) {
        if let Some(context) = self.context.take() {
            if event.can(HostEffect::Context) {
                self.context = Some(context);
            } else if self.refuses() {
                self.reason = format!("{}\n\n{context}", self.reason).into();
            } else {
                self.lose(HostEffect::Context, "the model does not see the text");
            }
        }
        if !event.can(HostEffect::Message) && self.message.take().is_some() {
            self.lose(HostEffect::Message, "the user does not see the text");
        }
    }
}

/// Returns the effect that a decision has.
const fn effect_of(decision: VerdictDecision) -> HostEffect {
    match decision {
        VerdictDecision::Allow => HostEffect::Allow,
        VerdictDecision::Ask => HostEffect::Ask,
        VerdictDecision::Deny => HostEffect::Deny,
        VerdictDecision::Halt => HostEffect::Halt,
    }
}

/// Returns the effect that the change of a field has.
fn effect_of_patch(field: &str) -> HostEffect {
    match field {
        patch_field::TOOL_RESPONSE
        | patch_field::IS_ERROR
        | patch_field::ERROR
        | patch_field::ASSISTANT_TEXT
        | patch_field::RESULT_TEXT => HostEffect::RewriteResult,
        _ => HostEffect::Rewrite,
    }
}

/// Tells whether a field may stay as it is without harm: nothing gets through by it.
fn is_hint(field: &str) -> bool {
    matches!(field, patch_field::IS_ERROR | patch_field::CUSTOM_INSTRUCTIONS | patch_field::SUMMARY)
}

/// Returns what a changed prompt has more than the one that came in.
fn added_text(step: &HostStep, field: &str, value: &Value) -> Option<String> {
    if field != patch_field::PROMPT {
        return None;
    }
    let (before, after) = (step.envelope.get(field)?.as_str()?, value.as_str()?);
    let added = after.strip_prefix(before).or_else(|| after.strip_suffix(before))?.trim();
    (!added.is_empty() && !before.is_empty()).then(|| added.to_owned())
}

fn joined(texts: &[String]) -> Option<String> {
    let texts: Vec<&str> = texts.iter().map(|text| text.trim()).filter(|t| !t.is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
