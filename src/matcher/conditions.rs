//! The conditions that are evaluated at each dispatch.
//!
//! They are a conjunction that stops at the first one that is false; the cheap ones (safety, agent,
//! folder) come before those that look into values, registered ones after these, `any` and `not`
//! (`conditions/nested.rs`) last. A hook is called unless the result is false; `applies.rs` says what becomes of
//! one whose registered conditions cannot be told.
//!
//! A condition on the payload often names a field that the payload can lend as a text. Only for
//! other fields the payload is converted into a JSON value, once for all conditions of the hook.

mod located;
mod nested;

use std::sync::{Arc, LazyLock};

use hookgate_contract::payload::{AnyPayload, FieldRef, Safety};
use hookgate_contract::{BuiltCondition, Command, Condition, Envelope, Observed, StepContext};

use super::agent::{Agents, is_subagent};
use super::applies::{Evaluated, Favour, Holding};
use super::error::MatchError;
use super::path_glob::PathGlobs;
use super::pointer::Token;
use super::pointer_condition::PointerCondition;
use super::spec::{InputSpec, MatchSpec};
use super::truth::{Truth, conjunction};
use super::unknown_field::DECISION;
use located::depends_on_place;
pub(crate) use nested::DEEPEST;
use nested::Nested;

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
    /// The registered conditions, and the tables of `any` and `not`; few hooks have them.
    further: Option<Box<Further>>,
}

/// The conditions that few hooks have.
#[derive(Debug)]
pub(super) struct Further {
    pub(super) registered: Vec<BuiltCondition>,
    pub(super) nested: Nested,
    /// Whether what depends on a place is evaluated for each command that is meant.
    is_by_command: bool,
}

impl Conditions {
    /// Compiles conditions, and reports those that cannot be used, each with its key.
    pub(crate) fn compile(spec: &MatchSpec, errors: &mut Vec<(&'static str, MatchError)>) -> Self {
        Self::compile_at(spec, 0, errors)
    }

    /// Shares the conditions. All hooks that have none, as most do, share the same ones.
    pub(crate) fn shared(self) -> Arc<Self> {
        static NONE: LazyLock<Arc<Conditions>> = LazyLock::new(Arc::default);
        if self.any { Arc::new(self) } else { Arc::clone(&NONE) }
    }

    /// Compiles the conditions of a table that is inside of so many others.
    pub(super) fn compile_at(
        spec: &MatchSpec,
        depth: usize,
        errors: &mut Vec<(&'static str, MatchError)>,
    ) -> Self {
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
        let further = (!spec.is_plain()).then(|| {
            let nested = Nested::compile(spec, depth, errors);
            let registered = spec.registered.clone();
            let mut further = Further { registered, nested, is_by_command: false };
            further.is_by_command = further.is_by_command(&cwd);
            Box::new(further)
        });
        let subagent = spec.subagent;
        let mut conditions =
            Self { any: false, safety, agent, subagent, cwd, input, payload, further };
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
            && self.further.is_none()
    }

    /// Returns whether there are any.
    #[inline]
    pub(crate) const fn any(&self) -> bool {
        self.any
    }

    /// Returns whether there is more than what the engine evaluates by itself.
    #[inline]
    pub(crate) const fn has_further(&self) -> bool {
        self.further.is_some()
    }

    /// Returns the registered conditions; those in `any` and `not` are not among them.
    pub(crate) fn registered(&self) -> &[BuiltCondition] {
        self.further.as_ref().map_or(&[], |further| &further.registered)
    }

    /// Returns the tables of `any` and `not`.
    pub(crate) fn nested(&self) -> Option<&Nested> {
        self.further.as_ref().map(|further| &further.nested)
    }

    /// Returns whether the hook is called about a step; without any conditions, this is one branch.
    #[inline]
    pub(crate) fn holding(&self, step: &Envelope<'_>) -> Holding {
        if !self.any {
            return Holding::Yes;
        }
        self.evaluate(step, Favour::True).holding()
    }

    /// Evaluates the conditions on a step.
    pub(super) fn evaluate(&self, step: &Envelope<'_>, favour: Favour) -> Evaluated {
        self.evaluate_at(step, favour, None)
    }

    /// Evaluates the conditions on a step; those on a place for a command of it, if one is given.
    fn evaluate_at(
        &self,
        step: &Envelope<'_>,
        favour: Favour,
        command: Option<&Command>,
    ) -> Evaluated {
        let mut all = self.evaluate_others(step, favour, command);
        let Some(further) = &self.further else { return all };
        for built in further.last() {
            if all.known == Truth::False {
                break;
            }
            all = all.and(Evaluated::registered(built.condition().hold(step)));
        }
        all
    }

    /// Evaluates all conditions but those that come last.
    fn evaluate_others(
        &self,
        step: &Envelope<'_>,
        favour: Favour,
        command: Option<&Command>,
    ) -> Evaluated {
        let by_command = self.further.as_ref().is_some_and(|further| further.is_by_command);
        let placed = by_command || command.is_some();
        let truth = self.own_hold(step.payload(), step.context(), step.decision(), placed);
        let own = Evaluated::own(truth, favour);
        let mut all = own;
        if let Some(further) = &self.further {
            let others = further.registered.iter().filter(|built| {
                let is_of_command = placed && depends_on_place(built);
                !is_of_command && !built.condition().comes_last()
            });
            for built in others {
                if all.known == Truth::False {
                    return all;
                }
                all = all.and(Evaluated::registered(built.condition().hold(step)));
            }
        }
        if all.known == Truth::False {
            return all;
        }
        match (command, &self.further) {
            _ if by_command => all.and(self.by_command(step, favour)),
            (Some(command), _) => all.and(self.at(command, step, favour)),
            (None, Some(further)) => all.and(further.nested.evaluate_at(step, favour, None)),
            (None, None) => all,
        }
    }

    /// Evaluates the conditions that the engine has itself; the one on the folder of the session only if that
    /// of a command does not stand in its place.
    fn own_hold(
        &self,
        payload: &dyn AnyPayload,
        context: &StepContext<'_>,
        decision: Option<&Observed<'_>>,
        placed: bool,
    ) -> Truth {
        let parts: [&dyn Fn() -> Truth; 6] = [
            &|| self.safety_holds(payload),
            &|| self.subagent_holds(context),
            &|| self.agent_holds(context),
            &|| if placed { Truth::True } else { self.cwd_holds(context) },
            &|| self.input_holds(payload),
            &|| payload_holds(&self.payload, payload, decision),
        ];
        conjunction(parts.into_iter().map(|part| part()))
    }

    pub(crate) fn safety_holds(&self, payload: &dyn AnyPayload) -> Truth {
        if self.safety.is_empty() {
            return Truth::True;
        }
        // A tool that the host has not classified may be of any class.
        payload
            .tool()
            .and_then(|call| call.safety)
            .map_or(Truth::Unknown, |safety| self.safety.contains(&safety).into())
    }

    pub(crate) fn subagent_holds(&self, context: &StepContext<'_>) -> Truth {
        self.subagent.map_or(Truth::True, |wanted| {
            (is_subagent(context.agent_id, context.agent_type) == wanted).into()
        })
    }

    pub(crate) fn agent_holds(&self, context: &StepContext<'_>) -> Truth {
        self.agent.hold(context.agent_id, context.agent_type)
    }

    pub(crate) fn folder_holds(&self, folder: Option<&str>) -> Truth {
        self.cwd.hold(folder)
    }

    pub(crate) fn cwd_holds(&self, context: &StepContext<'_>) -> Truth {
        self.cwd.hold(context.cwd)
    }

    fn input_holds(&self, payload: &dyn AnyPayload) -> Truth {
        match payload.tool() {
            Some(call) => {
                conjunction(self.input.iter().map(|pointer| pointer.holds(&call.tool_input)))
            }
            None => payload_holds(&self.input, payload, None),
        }
    }

    /// Evaluates each condition on the input alone, in the order in which they are written.
    pub(crate) fn each_input(&self, payload: &dyn AnyPayload) -> Vec<Truth> {
        let each = self.input.iter().map(|pointer| match payload.tool() {
            Some(call) => pointer.holds(&call.tool_input),
            None => payload_holds(std::slice::from_ref(pointer), payload, None),
        });
        each.collect()
    }

    /// Evaluates each condition on the payload alone, in the order in which they are written.
    pub(crate) fn each_payload(&self, step: &Envelope<'_>) -> Vec<Truth> {
        let (payload, decision) = (step.payload(), step.decision());
        let each = self.payload.iter();
        each.map(|pointer| payload_holds(std::slice::from_ref(pointer), payload, decision))
            .collect()
    }

    /// Tells the registered conditions that the hook is about to be called, or that it is unclear whether
    /// it should be.
    pub(crate) fn note_held(&self, step: &Envelope<'_>, holding: Holding) {
        let truth = if holding == Holding::Yes { Truth::True } else { Truth::Unknown };
        for built in self.registered() {
            let condition = built.condition();
            let commands =
                if condition.wants_commands() { self.meant_commands(step) } else { None };
            match commands {
                Some(commands) => condition.held_by(step, truth, &commands),
                None => condition.held(step, truth),
            }
        }
    }

    /// Tells the conditions that come last that the others hold or are unknown, if they do.
    pub(crate) fn note_last(&self, step: &Envelope<'_>) {
        let Some(further) = self.further.as_ref().filter(|further| further.has_last()) else {
            return;
        };
        if self.evaluate_others(step, Favour::True, None).holding() != Holding::No {
            for built in further.last() {
                self.tell(&**built.condition(), step);
            }
        }
    }

    /// Tells a condition that counts that these hold or are unknown.
    pub(crate) fn tell(&self, counts: &dyn Condition, step: &Envelope<'_>) {
        match &self.further {
            Some(further) if counts.wants_files() => {
                counts.noted_files(step, &further.meant_files(step));
            }
            _ => counts.noted(step),
        }
    }

    /// Returns the explanation of a registered condition that cannot be told.
    pub(crate) fn unclear_part(&self, step: &Envelope<'_>) -> Option<String> {
        let further = self.further.as_ref()?;
        let command = self.deciding_command(step);
        let at = |built: &BuiltCondition| command.as_ref().filter(|_| depends_on_place(built));
        let unclear = |built: &&BuiltCondition| {
            let condition = built.condition();
            let truth = match at(built) {
                Some(command) => condition.hold_for(step, command),
                None => condition.hold(step),
            };
            truth == Truth::Unknown
        };
        match (further.registered.iter().find(unclear), &command) {
            (Some(built), _) => Some(match at(built) {
                Some(command) => built.condition().explain_for(step, command),
                None => built.condition().explain(step),
            }),
            (None, Some(command)) if self.cwd.hold(command.folder.as_deref()) == Truth::Unknown => {
                let shown = command.shown.as_deref().unwrap_or("a command");
                Some(format!("the folder in which {shown} works is not known before it runs"))
            }
            (None, _) => further.nested.unclear_part(step, command.as_ref()),
        }
    }
}

impl Further {
    /// Returns the conditions that are evaluated after all others.
    fn last(&self) -> impl Iterator<Item = &BuiltCondition> {
        self.registered.iter().filter(|built| built.condition().comes_last())
    }

    fn has_last(&self) -> bool {
        self.last().next().is_some()
    }
}

/// The conditions of a hook taken together, for [`hookgate_contract::Invocation::subject`].
impl Condition for Conditions {
    fn hold(&self, step: &Envelope<'_>) -> Truth {
        self.evaluate(step, Favour::True).known
    }

    fn explain(&self, step: &Envelope<'_>) -> String {
        self.unclear_part(step).unwrap_or_default()
    }

    fn subject(&self, step: &Envelope<'_>) -> Option<String> {
        let further = self.further.as_ref()?;
        let mut named: Vec<String> = Vec::new();
        let command = self.deciding_command(step);
        let own = further.registered.iter().filter_map(|built| {
            let condition = built.condition();
            match &command {
                Some(command) if depends_on_place(built) => condition.subject_for(step, command),
                _ => condition.subject(step),
            }
        });
        for subject in own.chain(further.nested.subjects(step, command.as_ref())) {
            if !named.contains(&subject) {
                named.push(subject);
            }
        }
        (!named.is_empty()).then(|| named.join(" and "))
    }
}

/// Evaluates conditions on a payload. Most pointers name a field that the payload can lend; only
/// for others it is converted into a value, once. An observer may ask for the decision as if it were a field.
fn payload_holds(
    pointers: &[PointerCondition],
    payload: &dyn AnyPayload,
    decision: Option<&Observed<'_>>,
) -> Truth {
    let mut whole = None;
    conjunction(pointers.iter().map(|pointer| {
        if let Some((Token::Key(field), rest)) = pointer.tokens.split_first() {
            // Of a payload of the embedder what counts is what is sent.
            match payload.is_built_in().then(|| payload.field(field)).flatten() {
                Some(FieldRef::Text(text)) if rest.is_empty() => return pointer.text_holds(text),
                Some(FieldRef::Json(value)) => return pointer.rest_holds(value, rest),
                _ => {}
            }
            if let Some(decision) = decision.filter(|_| field == DECISION) {
                let value = serde_json::to_value(decision).unwrap_or_default();
                return pointer.rest_holds(&value, rest);
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
impl Conditions {
    /// Evaluates conditions of the engine alone.
    fn hold(&self, payload: &dyn AnyPayload, context: &StepContext<'_>) -> Truth {
        self.own_hold(payload, context, None, false)
    }
}

#[cfg(test)]
mod tests;
