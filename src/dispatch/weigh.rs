//! Checks an answer against the contract of its event and the role of its hook.

use hookgate_contract::json::Integers;
use hookgate_contract::verdict::Parts;
use hookgate_contract::{
    Contract, Failure, FailureClass, Mode, ReasonCode, Reply, Role, VerdictDecision,
};
use serde_json::{Map, Value};

use crate::decision::Ballot;
use crate::table::CompiledHook;

/// An answer, checked.
pub(crate) enum Weighed {
    /// No opinion, and perhaps a note on how the handler came to have none.
    Silent(Option<String>),
    /// A verdict that may be given here.
    Says(Box<Parts>),
    /// A failure, and what it counts as.
    Failed { failure: Failure, counts: Option<VerdictDecision> },
}

impl Weighed {
    /// The decision that was spoken, or that the failure counts as.
    pub(crate) fn word(&self) -> Option<VerdictDecision> {
        match self {
            Self::Silent(_) => None,
            Self::Says(parts) => parts.decision,
            Self::Failed { counts, .. } => *counts,
        }
    }

    /// Whether this ends the dispatch for the hooks after it.
    pub(crate) fn stops(&self, entry: &CompiledHook) -> bool {
        entry.mode == Mode::Enforce && self.word() >= Some(VerdictDecision::Deny)
    }
}

/// Checks an answer. A verdict that is legal JSON but says what it must not is a failure, in which
/// its ask, deny or halt still stands.
#[inline]
pub(crate) fn weigh(entry: &CompiledHook, contract: &'static Contract, reply: Reply) -> Weighed {
    let failure = match reply.map(hookgate_contract::Verdict::into_parts) {
        Ok(None) => return Weighed::Silent(None),
        Ok(Some(parts)) if parts.is_silent() => return Weighed::Silent(parts.note),
        Ok(Some(parts)) => {
            let wrong = illegal(&parts, entry.role, contract)
                .map(|why| Failure::new(FailureClass::Illegal, why))
                .or_else(|| inexact(&parts, entry.integers));
            match wrong {
                None => return Weighed::Says(parts),
                Some(failure) => failure
                    .with_salvaged(parts.decision.filter(|word| *word > VerdictDecision::Allow)),
            }
        }
        Err(failure) => failure,
    };
    fail(entry, contract, failure)
}

/// A failure, with what it counts as: the stricter of the hook's posture and the decision that
/// stood in the refused verdict.
pub(super) fn fail(entry: &CompiledHook, contract: &'static Contract, failure: Failure) -> Weighed {
    entry.hook.count_failure(failure.class);
    let posture = entry.posture_at(contract, failure.class).decision();
    let posture = posture.and_then(|word| contract.nearest(word));
    let stands = failure.salvaged.and_then(|word| contract.nearest(word));
    // An observer is asked after the decision: nothing of it can count.
    let counts = if entry.role == Role::Observe { None } else { posture.max(stands) };
    log_failure(entry, contract, failure.class, counts);
    Weighed::Failed { failure, counts }
}

/// Without the detail: it may quote what was judged.
fn log_failure(
    entry: &CompiledHook,
    contract: &'static Contract,
    class: FailureClass,
    counts: Option<VerdictDecision>,
) {
    let (hook, event, class) = (entry.id().as_str(), contract.name, class.name());
    match counts {
        Some(word) => {
            let counts_as = word.name();
            tracing::info!(target: "hookgate", hook, event, class, counts_as, "a hook failed");
        }
        // Nobody else tells of a hook in the background.
        None if entry.hook.spec.is_background() => {
            tracing::warn!(target: "hookgate", hook, event, class, "a background hook failed");
        }
        None if entry.role == Role::Observe || entry.mode != Mode::Enforce => {
            tracing::info!(target: "hookgate", hook, event, class, "a hook failed");
        }
        None => tracing::warn!(
            target: "hookgate",
            hook,
            event,
            class,
            "a hook failed and was not enforced"
        ),
    }
}

/// What a failure says that counts as a decision.
pub(super) fn failed_as(id: &str, class: FailureClass, word: VerdictDecision) -> String {
    format!("the hook `{id}` failed ({class}), which counts as {word}")
}

/// Why a verdict must not be given here, if so.
fn illegal(parts: &Parts, role: Role, contract: &'static Contract) -> Option<String> {
    let event = contract.name;
    if role == Role::Observe {
        return (!parts.is_silent())
            .then(|| format!("an observer says nothing, at `{event}` or elsewhere"));
    }
    if let Some(word) = parts.decision.filter(|word| !contract.allows(*word)) {
        return Some(format!("`{word}` does not exist at `{event}`"));
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
    let refused = parts
        .contributions
        .iter()
        .map(|c| c.kind())
        .find(|kind| !contract.contributions.contains(kind));
    if let Some(kind) = refused {
        return Some(format!("no contribution of kind `{}` is taken at `{event}`", kind.name()));
    }
    parts.patch.iter().find_map(|(name, value)| match contract.patch_field(name) {
        None if contract.patch.is_empty() => Some(format!("nothing can be patched at `{event}`")),
        None => {
            let known: Vec<_> = contract.patch.iter().map(|field| field.name).collect();
            Some(format!("`{name}` cannot be patched at `{event}`, only {}", known.join(", ")))
        }
        Some(field) if value.is_null() && field.nullable => None,
        Some(field) if field.json_type.admits(value) => None,
        Some(field) => {
            Some(format!("the patch of `{name}` must be {}", field.json_type.description()))
        }
    })
}

/// The failure of an answer with an integer that the table does not take, whatever kind of handler
/// gave it: another hook, the record or the tool could see another number.
fn inexact(parts: &Parts, integers: Integers) -> Option<Failure> {
    let contributions = match parts.contributions.as_slice() {
        [] => None,
        some => serde_json::to_value(some).ok(),
    };
    let values = parts.patch.values().chain(parts.annotations.values());
    values
        .chain(parts.answer.iter().map(|answer| &answer.content))
        .chain(&parts.payload)
        .chain(&contributions)
        .find_map(|value| integers.problem(value))
        .map(|problem| Failure::new(FailureClass::Malformed, problem))
}

/// What of a checked answer counts, and the patch to apply.
pub(super) fn count(
    entry: &CompiledHook,
    contract: &'static Contract,
    place: usize,
    weighed: Weighed,
) -> (Option<Ballot>, Map<String, Value>) {
    let id = entry.id();
    match (entry.mode, weighed) {
        (_, Weighed::Silent(_)) | (Mode::Shadow | Mode::Off, _) => (None, Map::new()),
        (Mode::Warn, weighed) => (Some(warning(entry, place, &weighed)), Map::new()),
        (Mode::Enforce, Weighed::Failed { failure, counts }) => {
            let class = failure.class;
            let word = counts.filter(|word| *word > VerdictDecision::Allow);
            let said = Ballot {
                place,
                hook: entry.id().clone(),
                word,
                reason: word.map(|word| failed_as(id, class, word)),
                code: word.map(|_| ReasonCode::of_failure(class)),
                // A guard that does not guard is never kept quiet about.
                message: word
                    .is_none()
                    .then(|| format!("the hook `{id}` failed ({class}) and was not enforced")),
                ..Ballot::default()
            };
            (Some(said), Map::new())
        }
        (Mode::Enforce, Weighed::Says(parts)) => {
            let parts = *parts;
            let said = Ballot {
                place,
                hook: entry.id().clone(),
                word: parts.decision,
                reason: parts.reason,
                code: parts.reason_code,
                context: parts.context,
                message: parts.message,
                contributions: parts.contributions,
                annotations: parts.annotations,
                payload: parts.payload,
                answer: parts.answer,
                // Where the user would be asked, an allow is an approval, and not everybody may
                // give one.
                approves: !contract.allow_approves || entry.hook.spec.may_allow,
            };
            (Some(said), parts.patch)
        }
    }
}

/// What the user is told about a hook that only warns.
fn warning(entry: &CompiledHook, place: usize, weighed: &Weighed) -> Ballot {
    let id = entry.id();
    let message = match weighed {
        Weighed::Silent(_) => None,
        Weighed::Failed { failure, counts } => Some(match counts {
            Some(word) => {
                format!("warning: the hook `{id}` failed ({}), it would {word}", failure.class)
            }
            None => format!("warning: the hook `{id}` failed ({})", failure.class),
        }),
        Weighed::Says(parts) => match (parts.decision, &parts.reason) {
            (Some(word), Some(reason)) => {
                Some(format!("warning: the hook `{id}` would {word}: {reason}"))
            }
            (Some(word), None) => Some(format!("warning: the hook `{id}` would {word}")),
            (None, _) if !parts.patch.is_empty() => {
                Some(format!("warning: the hook `{id}` would rewrite the step"))
            }
            (None, _) => parts.message.clone(),
        },
    };
    Ballot { place, hook: entry.id().clone(), message, ..Ballot::default() }
}
