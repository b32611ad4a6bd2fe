//! The conditions that are evaluated at each dispatch.
//!
//! They are a conjunction that stops at the first one that is false; the cheap ones (safety, agent,
//! folder) come before those that look into values. A hook is called if the result is true or
//! unknown.
//!
//! A condition on the payload often names a field that the payload can lend as a text. Only for
//! other fields the payload is converted into a JSON value, once for all conditions of the hook.

use hookgate_contract::StepContext;
use hookgate_contract::payload::{AnyPayload, FieldRef, Safety};

use super::agent::{Agents, is_subagent};
use super::error::MatchError;
use super::path_glob::PathGlobs;
use super::pointer::Token;
use super::pointer_condition::PointerCondition;
use super::spec::{InputSpec, MatchSpec};
use super::truth::{Truth, conjunction};

/// The compiled conditions of a hook, except those on the name of the tool.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    /// Whether there are any.
    any: bool,
    safety: Vec<Safety>,
    agent: Agents,
    subagent: Option<bool>,
    cwd: PathGlobs,
    input: Vec<PointerCondition>,
    payload: Vec<PointerCondition>,
}

impl Conditions {
    /// Compiles conditions, and reports those that cannot be used, each with its key.
    pub(crate) fn compile(spec: &MatchSpec, errors: &mut Vec<(&'static str, MatchError)>) -> Self {
        let agent = Agents::compile(&spec.agent, errors);
        let cwd = PathGlobs::compile(&spec.cwd_glob, errors);
        let mut pointers = |key, specs: &[InputSpec]| {
            let compiled = specs.iter().map(PointerCondition::compile);
            compiled
                .filter_map(|pointer| pointer.map_err(|error| errors.push((key, error))).ok())
                .collect::<Vec<_>>()
        };
        let (input, payload) = (pointers("input", &spec.input), pointers("payload", &spec.payload));
        let safety = spec.safety.clone();
        let subagent = spec.subagent;
        let mut conditions = Self { any: false, safety, agent, subagent, cwd, input, payload };
        conditions.any = !conditions.is_empty();
        conditions
    }

    fn is_empty(&self) -> bool {
        self.safety.is_empty()
            && self.agent.is_empty()
            && self.subagent.is_none()
            && self.cwd.is_empty()
            && self.input.is_empty()
            && self.payload.is_empty()
    }

    /// Returns whether there are any.
    #[inline]
    pub(crate) const fn any(&self) -> bool {
        self.any
    }

    /// Evaluates the conditions on a step; without any, this is one branch.
    #[inline]
    pub(crate) fn hold(&self, payload: &dyn AnyPayload, context: &StepContext<'_>) -> Truth {
        if self.any { self.evaluate(payload, context) } else { Truth::True }
    }

    fn evaluate(&self, payload: &dyn AnyPayload, context: &StepContext<'_>) -> Truth {
        let parts: [&dyn Fn() -> Truth; 6] = [
            &|| self.safety_holds(payload),
            &|| self.subagent_holds(context),
            &|| self.agent_holds(context),
            &|| self.cwd.hold(context.cwd),
            &|| self.input_holds(payload),
            &|| payload_holds(&self.payload, payload),
        ];
        conjunction(parts.into_iter().map(|part| part()))
    }

    fn safety_holds(&self, payload: &dyn AnyPayload) -> Truth {
        if self.safety.is_empty() {
            return Truth::True;
        }
        // A tool that the host has not classified may be of any class.
        payload
            .tool()
            .and_then(|call| call.safety)
            .map_or(Truth::Unknown, |safety| self.safety.contains(&safety).into())
    }

    fn subagent_holds(&self, context: &StepContext<'_>) -> Truth {
        self.subagent.map_or(Truth::True, |wanted| {
            (is_subagent(context.agent_id, context.agent_type) == wanted).into()
        })
    }

    fn agent_holds(&self, context: &StepContext<'_>) -> Truth {
        self.agent.hold(context.agent_id, context.agent_type)
    }

    fn input_holds(&self, payload: &dyn AnyPayload) -> Truth {
        match payload.tool() {
            Some(call) => {
                conjunction(self.input.iter().map(|pointer| pointer.holds(&call.tool_input)))
            }
            None => payload_holds(&self.input, payload),
        }
    }
}

/// Evaluates conditions on a payload. Most pointers name a field that the payload can lend; only
/// for others it is converted into a value, once.
fn payload_holds(pointers: &[PointerCondition], payload: &dyn AnyPayload) -> Truth {
    let mut whole = None;
    conjunction(pointers.iter().map(|pointer| {
        if let Some((Token::Key(field), rest)) = pointer.tokens.split_first() {
            match payload.field(field) {
                Some(FieldRef::Text(text)) if rest.is_empty() => return pointer.text_holds(text),
                Some(FieldRef::Json(value)) => return pointer.rest_holds(value, rest),
                _ => {}
            }
        }
        match whole.get_or_insert_with(|| payload.to_value().ok()) {
            Some(value) => pointer.holds(value),
            // It cannot be serialized, so its fields are not known.
            None => Truth::Unknown,
        }
    }))
}

#[cfg(test)]
mod tests;
