//! What is taken whole or not at all: everything but texts.

use std::collections::BTreeMap;

use super::budget::{Account, Cost, Usage};
use super::note::{NoteCode, TurnNote, named};
use super::source::Source;
use crate::table::ContributionLimits;

/// Something with a source.
pub(super) trait Sourced: Sized {
    fn source(&self) -> &Source;
    fn source_mut(&mut self) -> &mut Source;
    fn into_source(self) -> Source;
}

/// Keeps one of each key, in order: those that say the same are joined, and of those that differ the first counts.
pub(super) fn first_of_each<T: Sourced, K: Ord>(
    mut all: Vec<T>,
    limits: &ContributionLimits,
    key: impl Fn(&T) -> K,
    what: &str,
    notes: &mut Vec<TurnNote>,
) -> Vec<T> {
    all.sort_by(|a, b| a.source().by_importance(b.source(), limits));
    let mut places = BTreeMap::new();
    let mut kept: Vec<T> = Vec::with_capacity(all.len());
    for one in all {
        let place = *places.entry(key(&one)).or_insert(kept.len());
        let Some(first) = kept.get_mut(place) else {
            kept.push(one);
            continue;
        };
        let (lost, winner) = (one.source(), first.source());
        if lost.digest != winner.digest {
            notes.push(TurnNote::contradicted(lost, winner, what));
            continue;
        }
        if lost.giver() != winner.giver() {
            let code = NoteCode::Duplicate;
            notes.push(TurnNote::lost_to(code, lost, winner, "they say the same"));
        }
        first.source_mut().join(one.into_source());
    }
    kept
}

/// Keeps what there is room for, the most important first, and brings it into order.
pub(super) fn within_budget<T: Sourced>(
    mut all: Vec<T>,
    limits: &ContributionLimits,
    notes: &mut Vec<TurnNote>,
) -> Vec<T> {
    all.sort_by(|a, b| a.source().by_importance(b.source(), limits));
    let mut kept = affordable(all, limits, notes);
    kept.sort_by(|a, b| a.source().in_order(b.source(), limits));
    kept
}

/// Keeps what there is room for, the first ones first.
pub(super) fn affordable<T: Sourced>(
    mut all: Vec<T>,
    limits: &ContributionLimits,
    notes: &mut Vec<TurnNote>,
) -> Vec<T> {
    let mut usage = Usage::new(limits);
    all.retain(|one| {
        let source = one.source();
        let accounts = Account::all_of(source);
        let cost = Cost::one(source.bytes, source.tokens);
        match usage.refusal(&accounts, cost) {
            None => {
                usage.take(accounts, cost);
                true
            }
            Some(bound) => {
                let what = named(source);
                let message = format!("{what} is left out: it does not fit the budget of {bound}");
                let note = TurnNote::new(NoteCode::LeftOut, source, message);
                notes.push(note.sized(source.bytes, 0));
                false
            }
        }
    });
    all
}
