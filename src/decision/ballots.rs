//! The ballots of one dispatch.
//!
//! A ballot is what counts of one hook's answer: the hook enforces, and its verdict was legal, or its
//! failure counts as a decision. Hooks in shadow have no ballot; hooks that only warn have one with a
//! message and nothing else.

use std::ops::Range;

use hookgate_contract::{FailureClass, Parts, VerdictDecision};

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
    /// The class of the failure that the decision stands for; `None` for that of a verdict. The reason is the
    /// cause alone then: hooks that fail for the same one are told together.
    pub(crate) failed: Option<FailureClass>,
    /// A failure that counts as no decision.
    pub(crate) uncounted: Option<Uncounted>,
}

/// A failure that counts as no decision, and is told to the user all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Uncounted {
    pub(crate) class: FailureClass,
    /// What it would count as, if the hook only warns; `None` for a hook that enforces.
    pub(crate) warns: Option<Option<VerdictDecision>>,
    /// What is left of the hook.
    pub(crate) left: Left,
}

/// What is left of a hook whose failure counts as no decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Left {
    /// Nothing: it is as if the hook had said nothing.
    Nothing,
    /// Its fallback stands in.
    Fallback,
    /// A gap: it is required, and what was gathered is not enough.
    Gap,
}

impl Ballot {
    /// Adds a later ballot of the same hook, from the final round. Of the two decisions the stricter
    /// counts; texts and data of both are kept.
    pub(crate) fn combine(&mut self, later: Self) {
        self.approves |= later.approves;
        self.uncounted = later.uncounted.or(self.uncounted);
        let failed = later.failed;
        let (earlier, later) = (&mut *self.parts, later.parts);
        if later.decision > earlier.decision {
            earlier.decision = later.decision;
            earlier.reason = later.reason;
            earlier.reason_code = later.reason_code;
            earlier.payload = later.payload;
            self.failed = failed;
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

/// Ballots, in the order in which they were given. Mostly there is one at most, which is kept in place:
/// no list is allocated for it.
#[derive(Debug, Default)]
pub(crate) struct Ballots {
    pub(super) first: Option<Ballot>,
    /// Those after the first one; empty if there is none.
    pub(super) more: Vec<Ballot>,
}

impl Ballots {
    pub(crate) fn push(&mut self, ballot: Ballot) {
        if self.first.is_none() {
            self.first = Some(ballot);
        } else {
            self.more.push(ballot);
        }
    }

    #[inline]
    pub(crate) const fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Ballot> {
        self.first.iter().chain(&self.more)
    }

    /// Returns the hooks that give context, in their order.
    pub(crate) fn context_givers(&self) -> Vec<HookId> {
        let givers = self.iter().filter(|ballot| !ballot.parts.context.is_empty());
        let mut givers: Vec<&Ballot> = givers.collect();
        givers.sort_by_key(|ballot| ballot.index);
        givers.dedup_by_key(|ballot| ballot.index);
        givers.into_iter().map(|ballot| ballot.hook.clone()).collect()
    }

    /// Takes out the ballots of the hooks at some indices.
    pub(crate) fn extract(&mut self, indices: Range<usize>) -> Vec<Ballot> {
        let (taken, kept): (Vec<_>, Vec<_>) =
            std::mem::take(self).into_iter().partition(|ballot| indices.contains(&ballot.index));
        *self = kept.into_iter().collect();
        taken
    }

    /// Brings the ballots into the order of the hooks; those of one hook stay in their order.
    pub(super) fn sorted(mut self) -> Self {
        // Mostly they are.
        if self.iter().is_sorted_by_key(|ballot| ballot.index) {
            return self;
        }
        self.more.splice(..0, self.first.take());
        self.more.sort_by_key(|ballot| ballot.index);
        self.more.into_iter().collect()
    }
}

impl FromIterator<Ballot> for Ballots {
    fn from_iter<I: IntoIterator<Item = Ballot>>(ballots: I) -> Self {
        let mut ballots = ballots.into_iter();
        Self { first: ballots.next(), more: ballots.collect() }
    }
}

impl IntoIterator for Ballots {
    type Item = Ballot;
    type IntoIter = std::iter::Chain<std::option::IntoIter<Ballot>, std::vec::IntoIter<Ballot>>;

    fn into_iter(self) -> Self::IntoIter {
        self.first.into_iter().chain(self.more)
    }
}
