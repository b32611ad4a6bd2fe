//! Many ballots become one decision.
//!
//! Merging is a fold over a lattice, so it is commutative and idempotent as far as the outcome goes. The
//! tests below hold it to that with random ballots: order and repetition do not matter, an allow weakens
//! nothing, and a deny is never lost.

use std::borrow::Cow;

use hookgate_contract::{Answer, FailureClass, Parts, ReasonCode, VerdictDecision};

use super::ballots::{Ballot, Ballots, Left, Uncounted};
use super::reasons::{self, Shared};
use super::{Contributed, Decision, FailedRequired, Outcome, SmallList, Unfinished};
use crate::generation::Generation;
use crate::hook_id::HookId;

/// Merges ballots into a decision, and returns the answer that a hook supplied.
///
/// An answer is used only if no ballot asks, denies or halts; if one asks, the answer is kept for the
/// case that the user agrees. Of several answers the first in the order of the hooks is used.
///
/// Decisions are a lattice, `halt > deny > ask > allow`, so the order of the hooks does not matter
/// for the outcome; it does for what they add.
pub(crate) fn merge(
    ballots: Ballots,
    patched: SmallList<Cow<'static, str>>,
    generation: Generation,
) -> (Box<Decision>, Option<Answer>) {
    let ballots = ballots.sorted();
    let strictest = ballots.iter().filter_map(|ballot| ballot.parts.decision).max();
    let answered_by = ballots.iter().position(|ballot| ballot.parts.answer.is_some());
    let outcome = match strictest {
        Some(decision) if decision > VerdictDecision::Allow => decision.into(),
        _ if answered_by.is_some() => Outcome::Answered,
        _ => Outcome::Allow,
    };
    let determines = |position: usize, ballot: &Ballot| match outcome {
        Outcome::Answered => answered_by == Some(position),
        Outcome::Allow => ballot.parts.decision == Some(VerdictDecision::Allow) && ballot.approves,
        _ => ballot.parts.decision.map(Outcome::from) == Some(outcome),
    };
    let Ballots { first, more } = ballots;
    let mut answer = None;
    // The reasons, if there are several, or one that is to be worded; and failures that do not count.
    let (mut shared, mut failed) = (Vec::new(), None);
    let mut told: Vec<Told> = Vec::new();
    let mut required = Vec::new();
    // Mostly there is one ballot. So the decision is made of the first, and the others are added.
    let mut decision = match first {
        Some(first) => {
            let is_decisive = determines(0, &first);
            let mut parts = first.parts;
            if answered_by == Some(0) {
                answer = parts.answer.take();
            }
            tell(&mut told, &mut required, first.uncounted, 0, &first.hook, &parts);
            let contributions = Contributed::all_of(&first.hook, parts.contributions);
            if !is_decisive {
                (parts.reason, parts.reason_code, parts.payload) = (None, None, None);
            } else {
                failed = first.failed;
            }
            Box::new(Decision {
                outcome,
                by: if is_decisive { first.hook.into() } else { SmallList::new() },
                reason: parts.reason,
                reason_code: parts.reason_code,
                patched,
                context: parts.context,
                messages: parts.message.map_or_else(Vec::new, |message| vec![message]),
                contributions,
                failed_required: Vec::new(),
                undelivered: Vec::new(),
                annotations: parts.annotations,
                payload: parts.payload,
                generation,
                step_id: None,
                silent: false,
                unfinished: Unfinished::default(),
            })
        }
        None => Box::new(Decision { patched, ..Decision::empty(generation) }),
    };
    for (position, ballot) in (1..).zip(more) {
        let is_decisive = determines(position, &ballot);
        let Ballot { hook, mut parts, .. } = ballot;
        let of_session = hook.is_of_scope();
        let place = decision.messages.len();
        tell(&mut told, &mut required, ballot.uncounted, place, &hook, &parts);
        decision.contributions.extend(Contributed::all_of(&hook, parts.contributions));
        if is_decisive {
            // Those of the first hook, too.
            if shared.is_empty() && !decision.by.is_empty() {
                reasons::add(&mut shared, 0, failed, decision.reason.take());
            }
            reasons::add(&mut shared, decision.by.len(), ballot.failed, parts.reason);
            decision.by.push(hook);
            decision.payload = decision.payload.or(parts.payload);
            decision.reason_code = decision.reason_code.or(parts.reason_code);
        }
        if answered_by == Some(position) {
            answer = parts.answer;
        }
        decision.context.append(&mut parts.context);
        decision.messages.extend(parts.message);
        if of_session {
            // A hook of a session replaces nothing that a hook of the engine has noted.
            for (key, value) in parts.annotations {
                decision.annotations.entry(key).or_insert(value);
            }
        } else {
            decision.annotations.append(&mut parts.annotations);
        }
    }
    word_reasons(&mut decision, shared, failed, strictest);
    decision.failed_required = required;
    word_failures(&mut decision.messages, told);
    if decision.reason_code.is_none() && outcome >= Outcome::Deny {
        decision.reason_code = Some(ReasonCode::PolicyViolation);
    }
    (decision, answer)
}

/// Writes the reason of a decision, if it is more than the words of a single hook.
fn word_reasons(
    decision: &mut Decision,
    mut shared: Vec<Shared>,
    failed: Option<FailureClass>,
    strictest: Option<VerdictDecision>,
) {
    if shared.is_empty() && failed.is_some() {
        reasons::add(&mut shared, 0, failed, decision.reason.take());
    }
    if !shared.is_empty() {
        let strictest = strictest.unwrap_or(VerdictDecision::Allow);
        decision.reason = reasons::joined(&shared, &decision.by, strictest);
    }
}

/// A failure that does not count, the hooks that failed so, and before which message it is told.
struct Told {
    uncounted: Uncounted,
    cause: Option<String>,
    place: usize,
    hooks: Vec<HookId>,
}

/// Adds a failure that does not count to what is told, and to the required hooks that have failed.
fn tell(
    told: &mut Vec<Told>,
    required: &mut Vec<FailedRequired>,
    uncounted: Option<Uncounted>,
    place: usize,
    hook: &HookId,
    parts: &Parts,
) {
    let Some(uncounted) = uncounted else { return };
    let cause = parts.reason.as_ref().filter(|_| parts.decision.is_none());
    if uncounted.left == Left::Gap {
        let (class, cause) = (uncounted.class, cause.cloned());
        required.push(FailedRequired { hook: hook.clone(), class, cause });
    }
    match told.iter_mut().find(|told| told.uncounted == uncounted && told.cause.as_ref() == cause) {
        Some(told) => told.hooks.push(hook.clone()),
        None => {
            let (cause, hooks) = (cause.cloned(), vec![hook.clone()]);
            told.push(Told { uncounted, cause, place, hooks });
        }
    }
}

/// Puts what is told of failures among the messages, in the order of the hooks.
fn word_failures(messages: &mut Vec<String>, told: Vec<Told>) {
    for Told { uncounted, cause, place, hooks } in told.into_iter().rev() {
        let text = reasons::uncounted(uncounted, &hooks);
        messages.insert(place.min(messages.len()), reasons::with_cause(text, cause.as_deref()));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ballot(index: usize, decision: Option<VerdictDecision>) -> Ballot {
        let mut parts = Parts::default();
        parts.decision = decision;
        parts.reason = decision.map(|decision| format!("{decision} {index}"));
        let hook = format!("h{index}").into();
        let parts = Box::new(parts);
        Ballot { index, hook, parts, approves: true, failed: None, uncounted: None }
    }

    fn merged(decisions: &[Option<VerdictDecision>]) -> Decision {
        let ballots = decisions.iter().enumerate().map(|(i, decision)| ballot(i, *decision));
        *merge(ballots.collect(), SmallList::new(), Generation::new(1)).0
    }

    fn decisions() -> impl Strategy<Value = Vec<Option<VerdictDecision>>> {
        let decision = prop_oneof![
            Just(None),
            Just(Some(VerdictDecision::Allow)),
            Just(Some(VerdictDecision::Ask)),
            Just(Some(VerdictDecision::Deny)),
            Just(Some(VerdictDecision::Halt)),
        ];
        proptest::collection::vec(decision, 0..8)
    }

    proptest! {
        #[test]
        fn the_strictest_decision_wins_and_its_hooks_are_named(decisions in decisions()) {
            let decision = merged(&decisions);
            let strictest = decisions.iter().flatten().max().copied();
            prop_assert_eq!(decision.outcome, strictest.map_or(Outcome::Allow, Outcome::from));
            let by: Vec<_> = decisions.iter().enumerate()
                .filter(|(_, decision)| decision.is_some() && **decision == strictest)
                .map(|(i, _)| format!("h{i}")).collect();
            prop_assert_eq!(decision.by, by);
        }

        #[test]
        fn order_and_repetition_do_not_matter(decisions in decisions()) {
            let mut other: Vec<_> = decisions.iter().rev().copied().collect();
            other.extend(decisions.iter().copied());
            prop_assert_eq!(merged(&decisions).outcome, merged(&other).outcome);
        }

        #[test]
        fn an_allow_weakens_nothing_and_a_deny_is_kept(decisions in decisions()) {
            let mut more = decisions.clone();
            more.push(Some(VerdictDecision::Allow));
            prop_assert_eq!(merged(&decisions).outcome, merged(&more).outcome);
            more.push(Some(VerdictDecision::Deny));
            prop_assert!(merged(&more).outcome >= Outcome::Deny);
        }
    }
}
