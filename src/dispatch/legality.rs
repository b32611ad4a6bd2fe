//! What a verdict must not say: the rules that compare it with the contract of its event and with
//! the role of its hook. Each rule returns the sentence that the author of the hook reads.
//!
//! | the verdict has | it is illegal |
//! |---|---|
//! | anything | from an observer |
//! | a decision | if the event does not have it: a deny at `session_start` |
//! | a patch or an answer | from a guard, which decides and does not change |
//! | a patch | of a field that the contract does not list, or of another JSON type |
//! | an answer, context, a contribution | if the contract does not take it |
//! | a contribution | of a kind that the manifest of the handler does not declare |
//!
//! The rules look at the verdict only, never at the step, so that the same verdict is legal or illegal
//! at every step of an event. A first violation is enough: the whole verdict is refused, because a
//! verdict that is applied in part is not what its author wrote.

use hookgate_contract::contribution::{Contribution, ContributionKind};
use hookgate_contract::json::Integers;
use hookgate_contract::{Capabilities, Contract, Failure, FailureClass, Parts, Role};
use serde_json::Value;

use crate::table::CompiledHook;

/// Returns the first reason for which a verdict is illegal; `None` if it may be given here.
pub(super) fn find_illegal(
    parts: &Parts,
    role: Role,
    contract: &'static Contract,
) -> Option<String> {
    let event = contract.name;
    if role == Role::Observe {
        return (!parts.is_silent())
            .then(|| format!("an observer must not answer, at `{event}` or elsewhere"));
    }
    if let Some(decision) = parts.decision.filter(|decision| !contract.allows(*decision)) {
        return Some(format!("`{decision}` does not exist at `{event}`"));
    }
    if role == Role::Guard && !parts.patch.is_empty() {
        return Some("a guard must not patch: give the hook `role = \"rewrite\"`".into());
    }
    if role == Role::Guard && parts.answer.is_some() {
        return Some("a guard must not answer: give the hook `role = \"rewrite\"`".into());
    }
    if parts.answer.is_some() && !contract.answer {
        return Some(format!("no answer can be supplied at `{event}`"));
    }
    if !parts.context.is_empty() && !contract.context {
        return Some(format!("no context can be added at `{event}`"));
    }
    find_illegal_contribution(parts, contract).or_else(|| find_illegal_patch(parts, contract))
}

/// Returns the failure of a verdict with a contribution that the manifest of its handler does not declare.
pub(super) fn find_undeclared(
    parts: &Parts,
    capabilities: Option<&Capabilities>,
) -> Option<String> {
    if parts.contributions.is_empty() {
        return None;
    }
    undeclared(&parts.contributions, capabilities?)
}

#[cold]
fn undeclared(contributions: &[Contribution], capabilities: &Capabilities) -> Option<String> {
    let mut kinds = contributions.iter().map(Contribution::kind);
    let kind = kinds.find(|kind| !capabilities.may_contribute(*kind))?.name();
    Some(format!("the handler does not declare that it contributes `{kind}`"))
}

/// Returns the failure of a call that nobody waits for and that contributes more than what changes nothing of a step.
pub(super) fn find_illegal_work(
    contributions: &[Contribution],
    hook: &CompiledHook,
) -> Option<Failure> {
    let mut kinds = contributions.iter().map(Contribution::kind);
    let lasting = kinds.find(|kind| !ContributionKind::ANYWHERE.contains(kind));
    let problem = match lasting {
        Some(kind) => {
            let kind = kind.name();
            Some(format!(
                "a call in the background cannot contribute `{kind}`: the step has gone on"
            ))
        }
        None => undeclared(contributions, hook.definition.spec.capabilities()?),
    };
    problem.map(|why| Failure::new(FailureClass::Illegal, why).shown())
}

fn find_illegal_contribution(parts: &Parts, contract: &'static Contract) -> Option<String> {
    let mut kinds = parts.contributions.iter().map(|contribution| contribution.kind());
    let refused = kinds.find(|kind| !contract.contributions.contains(kind))?;
    let (kind, event) = (refused.name(), contract.name);
    Some(format!("no contribution of kind `{kind}` is taken at `{event}`"))
}

fn find_illegal_patch(parts: &Parts, contract: &'static Contract) -> Option<String> {
    let event = contract.name;
    parts.patch.iter().find_map(|(name, value)| match contract.patch_field(name) {
        None if contract.patch.is_empty() => Some(format!("nothing can be patched at `{event}`")),
        None => {
            let known: Vec<_> = contract.patch.iter().map(|field| field.name).collect();
            // The model reads this: what is no plain name is not repeated.
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            let plain = name.len() <= 40 && name.chars().all(is_plain);
            let what = if plain { format!("`{name}`") } else { "a field of the patch".to_owned() };
            Some(format!("{what} cannot be patched at `{event}`, only {}", known.join(", ")))
        }
        Some(field) if field.admits(value) => None,
        Some(field) => {
            Some(format!("the patch of `{name}` must be {}", field.json_type.description()))
        }
    })
}

/// Returns the failure of a verdict with an integer that the table does not take, whatever kind of
/// handler gave it: another hook, the record or the tool could read another number.
pub(super) fn find_inexact(parts: &Parts, integers: Integers) -> Option<Failure> {
    let Parts { patch, annotations, answer, payload, contributions, .. } = parts;
    let problem = |value: &Value| integers.problem(value);
    let problem_of_contributions = || match contributions.as_slice() {
        [] => None,
        some => serde_json::to_value(some).ok().as_ref().and_then(problem),
    };
    patch
        .values()
        .find_map(problem)
        .or_else(|| annotations.values().find_map(problem))
        .or_else(|| problem(&answer.as_ref()?.content))
        .or_else(|| problem(payload.as_ref()?))
        .or_else(problem_of_contributions)
        .map(|problem| Failure::new(FailureClass::Malformed, problem))
}
