//! What comes out of a dispatch: the verdicts of many hooks, merged into one decision.

use std::borrow::Cow;

use hookgate_contract::{Answer, Contribution, FailureClass, Mode, ReasonCode, VerdictDecision};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::generation::Generation;
use crate::hook_id::HookId;

/// What came out, the strictest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Nothing objected.
    Allow,
    /// A hook supplied the result itself.
    Answered,
    /// The user decides.
    Ask,
    /// The step does not happen.
    Deny,
    /// The whole run stops.
    Halt,
}

impl Outcome {
    /// The name in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Answered => "answered",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Halt => "halt",
        }
    }
}

impl From<VerdictDecision> for Outcome {
    fn from(word: VerdictDecision) -> Self {
        match word {
            VerdictDecision::Allow => Self::Allow,
            VerdictDecision::Ask => Self::Ask,
            VerdictDecision::Deny => Self::Deny,
            VerdictDecision::Halt => Self::Halt,
        }
    }
}

/// What came out of a dispatch, with who decided and why, and what the hooks added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Decision {
    /// What came out.
    pub outcome: Outcome,
    /// The hooks that voted for it; none for an allow that nobody spoke for.
    pub by: Vec<HookId>,
    /// Why, in the words of these hooks.
    pub reason: Option<String>,
    /// Why, for programs.
    pub reason_code: Option<ReasonCode>,
    /// The payload fields that were changed.
    pub patched: Vec<Cow<'static, str>>,
    /// Text for the model, in the order of the hooks.
    pub context: Vec<String>,
    /// Text for the user, in the order of the hooks.
    pub messages: Vec<String>,
    /// Typed data for the runtime, in the order of the hooks.
    pub contributions: Vec<Contribution>,
    /// Labels; of two hooks the later one counts.
    pub annotations: Map<String, Value>,
    /// Data that goes with the decision.
    pub payload: Option<Value>,
    /// The table that decided.
    pub generation: Generation,
    /// The step, under the name that hooks and the report have for it; none where none was needed.
    pub step_id: Option<String>,
    /// Whether nobody said anything, and it is there for its name and generation only.
    #[serde(skip)]
    pub(crate) silent: bool,
}

impl Decision {
    /// What is known of a step about which nobody said anything.
    pub(crate) fn silent(step_id: String, generation: Generation) -> Self {
        let (decision, _) = merge(Vec::new(), Vec::new(), generation);
        Self { step_id: Some(step_id), silent: true, ..decision }
    }
}

/// What a hook was found to say in a dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum VoteOutcome {
    /// It gave a verdict that counts.
    Verdict,
    /// It had no opinion.
    Abstained,
    /// It failed.
    Failed,
    /// It was cancelled, since an earlier hook had decided.
    Cancelled,
    /// It was told.
    Observed,
    /// It gave a verdict that does not count: shadow or warn.
    Would,
}

/// The vote of one hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Vote {
    /// The hook.
    pub hook: HookId,
    /// The kind of its handler.
    pub kind: String,
    /// Whether it counts.
    pub mode: Mode,
    /// 1, or 2 for the final round after a rewrite.
    pub round: u8,
    /// What it was found to say.
    pub outcome: VoteOutcome,
    /// The decision that it spoke, or that its failure counts as.
    pub decision: Option<VerdictDecision>,
    /// Why: the hook's own words, or what its failure counts as.
    pub reason: Option<String>,
    /// How it failed.
    pub failure: Option<FailureClass>,
    /// What is known about that, for the writer of the hook.
    pub detail: Option<String>,
    /// How long it took, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<u64>,
}

/// What is left of a hook's answer once it was checked: only what counts.
#[derive(Debug, Default)]
pub(crate) struct Ballot {
    /// The place among the judges.
    pub(crate) place: usize,
    pub(crate) hook: HookId,
    pub(crate) word: Option<VerdictDecision>,
    pub(crate) reason: Option<String>,
    pub(crate) code: Option<ReasonCode>,
    pub(crate) context: Vec<String>,
    pub(crate) message: Option<String>,
    pub(crate) contributions: Vec<Contribution>,
    pub(crate) annotations: Map<String, Value>,
    pub(crate) payload: Option<Value>,
    pub(crate) answer: Option<Answer>,
    /// Whether an allow of this hook counts as an approval.
    pub(crate) approves: bool,
}

/// Merges what was said into a decision, and the answer that a hook supplied.
///
/// Decisions are a lattice, `halt > deny > ask > allow`, so the order of the hooks does not matter
/// for the outcome; it does for what they add.
pub(crate) fn merge(
    mut said: Vec<Ballot>,
    patched: Vec<Cow<'static, str>>,
    generation: Generation,
) -> (Decision, Option<Answer>) {
    said.sort_by_key(|said| said.place);
    let strictest = said.iter().filter_map(|said| said.word).max();
    let answer = said.iter().position(|said| said.answer.is_some());
    let outcome = match strictest {
        Some(word) if word > VerdictDecision::Allow => word.into(),
        _ if answer.is_some() => Outcome::Answered,
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
    let mut taken = None;
    for (index, said) in said.into_iter().enumerate() {
        let determines = match outcome {
            Outcome::Answered => answer == Some(index),
            Outcome::Allow => said.word == Some(VerdictDecision::Allow) && said.approves,
            _ => said.word.map(Outcome::from) == Some(outcome),
        };
        if determines {
            decision.by.push(said.hook);
            decision.payload = decision.payload.or(said.payload);
            decision.reason_code = decision.reason_code.or(said.code);
            reasons.extend(said.reason);
        }
        if answer == Some(index) {
            taken = said.answer;
        }
        decision.context.extend(said.context);
        decision.messages.extend(said.message);
        decision.contributions.extend(said.contributions);
        decision.annotations.extend(said.annotations);
    }
    if !reasons.is_empty() {
        decision.reason = Some(reasons.join("; "));
    }
    if decision.reason_code.is_none() && outcome >= Outcome::Deny {
        decision.reason_code = Some(ReasonCode::PolicyViolation);
    }
    (decision, taken)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn said(place: usize, word: Option<VerdictDecision>) -> Ballot {
        Ballot {
            place,
            hook: format!("h{place}").into(),
            word,
            reason: word.map(|word| format!("{word} {place}")),
            approves: true,
            ..Ballot::default()
        }
    }

    fn outcome(words: &[Option<VerdictDecision>]) -> Decision {
        merge(
            words.iter().enumerate().map(|(i, word)| said(i, *word)).collect(),
            vec![],
            Generation::new(1),
        )
        .0
    }

    fn words() -> impl Strategy<Value = Vec<Option<VerdictDecision>>> {
        let word = prop_oneof![
            Just(None),
            Just(Some(VerdictDecision::Allow)),
            Just(Some(VerdictDecision::Ask)),
            Just(Some(VerdictDecision::Deny)),
            Just(Some(VerdictDecision::Halt)),
        ];
        proptest::collection::vec(word, 0..8)
    }

    proptest! {
        #[test]
        fn the_strictest_word_wins_and_its_hooks_are_named(words in words()) {
            let decision = outcome(&words);
            let strictest = words.iter().flatten().max().copied();
            prop_assert_eq!(decision.outcome, strictest.map_or(Outcome::Allow, Outcome::from));
            let by: Vec<_> = words.iter().enumerate()
                .filter(|(_, word)| word.is_some() && **word == strictest)
                .map(|(i, _)| format!("h{i}")).collect();
            prop_assert_eq!(decision.by, by);
        }

        #[test]
        fn order_and_repetition_do_not_matter(words in words()) {
            let mut other: Vec<_> = words.iter().rev().copied().collect();
            other.extend(words.iter().copied());
            prop_assert_eq!(outcome(&words).outcome, outcome(&other).outcome);
        }

        #[test]
        fn an_allow_weakens_nothing_and_a_deny_is_kept(words in words()) {
            let mut more = words.clone();
            more.push(Some(VerdictDecision::Allow));
            prop_assert_eq!(outcome(&words).outcome, outcome(&more).outcome);
            more.push(Some(VerdictDecision::Deny));
            prop_assert!(outcome(&more).outcome >= Outcome::Deny);
        }
    }
}
