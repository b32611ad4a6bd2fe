//! One step is of one event, whoever asks: its type, its payload and the table must mean the same contract.
//!
//! The table of hooks is chosen by the contract of the payload, and the states in which the step can come
//! back by the contract of its type. A step that names two of them would be evaluated by the hooks of an
//! event that nobody guards, so it is denied, and the text names both. That they are the same is known when
//! the program is compiled for the steps of the engine, and costs them nothing.

use hookgate_contract::payload::{AnyPayload, Payload};
use hookgate_contract::{Contract, Event};

use super::HookStep;

/// Returns whether the payload of a step says that it is of another event, or under other rules, than the
/// type of the step says.
#[inline(always)]
pub(crate) fn is_mismatched<S: HookStep>(step: &S) -> bool {
    let payload = step.payload();
    let said = payload.contract();
    if !is_of::<S>(said) && differs::<S>(said) {
        return true;
    }
    // A second lock: the payload of a step type is never one of an event that is not registered.
    matches!(S::CONTRACT.event, Event::Custom) && payload.event_name() != said.name
}

/// Returns whether a contract is one of the step, as far as that is known without looking into it.
#[inline(always)]
fn is_of<S: HookStep>(said: &'static Contract) -> bool {
    std::ptr::eq(said, S::CONTRACT)
        || S::SECOND_CONTRACT.is_some_and(|second| std::ptr::eq(said, second))
}

/// As [`is_of`], for a contract that is no `static` and may have been copied.
#[cold]
#[inline(never)]
fn differs<S: HookStep>(said: &'static Contract) -> bool {
    !S::CONTRACT.has_rules_of(said)
        && !S::SECOND_CONTRACT.is_some_and(|second| second.has_rules_of(said))
}

/// Says what is wrong with a step whose type and payload name two contracts; `None` if they do not.
pub(crate) fn mismatch<S: HookStep>(said: &'static Contract, event_name: &str) -> Option<String> {
    let own = S::CONTRACT.name;
    if !is_of::<S>(said) && differs::<S>(said) {
        return Some(if said.name == own {
            format!(
                "`HookStep::CONTRACT` and `Payload::contract` of the step `{own}` have different rules: give both \
                 the same `static` contract"
            )
        } else {
            format!(
                "`HookStep::CONTRACT` of the step is `{own}`, and `Payload::contract` is `{}`: hooks of which \
                 event are to evaluate it? Give both the same contract",
                said.name
            )
        });
    }
    (event_name != said.name).then(|| {
        format!(
            "the contract of the step is `{own}`, and its payload is of the event `{event_name}`: a type that is a \
             step has a payload of its own"
        )
    })
}

/// Says how the contract of a payload differs from the one that the table has for its event; `None` if it does
/// not. The event of an envelope whose contract is not registered has only the one of the table.
pub(crate) fn unlike_table(said: &'static Contract, table: &'static Contract) -> Option<String> {
    if said.name != table.name || said.has_rules_of(table) {
        return None;
    }
    Some(format!(
        "the step `{}` and its payload are a {} by the contract that both name, and a {} with other rules by the one \
         of the table: register the contract that the payload returns",
        said.name, said.kind, table.kind
    ))
}
