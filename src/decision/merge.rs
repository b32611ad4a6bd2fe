//! Many ballots become one decision.
//!
//! A ballot is what counts of one hook's answer: the hook enforces, and its verdict was legal, or its
//! failure counts as a decision. Hooks in shadow have no ballot; hooks that only warn have one with a
//! message and nothing else.
//!
//! Merging is a fold over a lattice, so it is commutative and idempotent as far as the outcome goes. The
//! tests below hold it to that with random ballots: order and repetition do not matter, an allow weakens
//! nothing, and a deny is never lost.

use std::borrow::Cow;

use hookgate_contract::Parts;
use hookgate_contract::{Answer, ReasonCode, VerdictDecision};
use serde_json::Map;

use super::{Decision, Outcome};
use crate::generation::Generation;
use crate::hook_id::HookId;

/// What counts of a hook's answer, once it was checked.
#[derive(Debug)]
pub(crate) struct Ballot {
    /// The index of the hook among the deciders.
    pub(crate) index: usize,
    pub(crate) hook: HookId,
    /// The verdict, or what the failure counts as. It stays in the box in which it came, because moving
    /// it would copy some hundred bytes each time.
    pub(crate) parts: Box<Parts>,
    /// Whether an allow of this hook counts as an approval.
    pub(crate) approves: bool,
}

impl Ballot {
    /// Adds a later ballot of the same hook, from the final round. Of the two decisions the stricter
    /// counts; texts and data of both are kept.
    pub(crate) fn combine(&mut self, later: Self) {
        self.approves |= later.approves;
        let (earlier, later) = (&mut *self.parts, later.parts);
        if later.decision > earlier.decision {
            earlier.decision = later.decision;
            earlier.reason = later.reason;
            earlier.reason_code = later.reason_code;
            earlier.payload = later.payload;
        }
        earlier.answer = later.answer.or(earlier.answer.take());
        let new = |text: &String| !earlier.context.contains(text);
        let added: Vec<_> = later.context.into_iter().filter(new).collect();
        earlier.context.extend(added);
        earlier.message = later.message.or(earlier.message.take());
        if !later.contributions.is_empty() {
            earlier.contributions = later.contributions;
        }
        earlier.annotations.extend(later.annotations);
    }
}

/// Merges ballots into a decision, and returns the answer that a hook supplied.
///
/// An answer is used only if no ballot asks, denies or halts; if one asks, the answer is kept for the
/// case that the user agrees. Of several answers the first in the order of the hooks is used.
///
/// Decisions are a lattice, `halt > deny > ask > allow`, so the order of the hooks does not matter
/// for the outcome; it does for what they add.
pub(crate) fn merge(
    mut ballots: Vec<Ballot>,
    patched: Vec<Cow<'static, str>>,
    generation: Generation,
) -> (Decision, Option<Answer>) {
    ballots.sort_by_key(|ballot| ballot.index);
    let strictest = ballots.iter().filter_map(|ballot| ballot.parts.decision).max();
    let answered_by = ballots.iter().position(|ballot| ballot.parts.answer.is_some());
    let outcome = match strictest {
        Some(decision) if decision > VerdictDecision::Allow => decision.into(),
        _ if answered_by.is_some() => Outcome::Answered,
        _ => Outcome::Allow,
    };
    let mut decision = Decision {
        outcome,
        by: Vec::new(),
        reason: None,
        reason_code: None,
        patched,
        context: Vec::new(),
        messages: Vec::new(),
        contributions: Vec::new(),
        annotations: Map::new(),
        payload: None,
        generation,
        step_id: None,
        silent: false,
    };
    let mut reasons = Vec::new();
    let mut answer = None;
    for (position, ballot) in ballots.into_iter().enumerate() {
        let Ballot { hook, parts, approves, .. } = ballot;
        let determines = match outcome {
            Outcome::Answered => answered_by == Some(position),
            Outcome::Allow => parts.decision == Some(VerdictDecision::Allow) && approves,
            _ => parts.decision.map(Outcome::from) == Some(outcome),
        };
        if determines {
            decision.by.push(hook);
            decision.payload = decision.payload.or(parts.payload);
            decision.reason_code = decision.reason_code.or(parts.reason_code);
            reasons.extend(parts.reason);
        }
        if answered_by == Some(position) {
            answer = parts.answer;
        }
        decision.context.extend(parts.context);
        decision.messages.extend(parts.message);
        decision.contributions.extend(parts.contributions);
        decision.annotations.extend(parts.annotations);
    }
    if !reasons.is_empty() {
        decision.reason = Some(reasons.join("; "));
    }
    if decision.reason_code.is_none() && outcome >= Outcome::Deny {
        decision.reason_code = Some(ReasonCode::PolicyViolation);
    }
    (decision, answer)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ballot(index: usize, decision: Option<VerdictDecision>) -> Ballot {
        let mut parts = Parts::default();
        parts.decision = decision;
        parts.reason = decision.map(|decision| format!("{decision} {index}"));
        Ballot { index, hook: format!("h{index}").into(), parts: Box::new(parts), approves: true }
    }

    fn merged(decisions: &[Option<VerdictDecision>]) -> Decision {
        let ballots = decisions.iter().enumerate().map(|(i, decision)| ballot(i, *decision));
        merge(ballots.collect(), vec![], Generation::new(1)).0
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
