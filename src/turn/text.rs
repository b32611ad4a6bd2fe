//! Texts for the prompt: pieces of context and fragments of sections, from what hooks gave to what is delivered.
//!
//! ```text
//! given ─▶ of each hook and id the latest phase ─▶ not what the session has ─▶ what says the same once ─▶ what there is room for
//! ```
//!
//! Each arrow is a function of the whole list, so that it does not matter in which order hooks and phases came, and
//! nothing that was left out before takes room from what is there now.

use std::collections::BTreeMap;

use hookgate_contract::contribution::ContributionKind;
use serde::Serialize;

use super::Given;
use super::budget::{Account, Cost, Usage};
use super::candidate::Candidate;
use super::delivered::Delivered;
use super::note::{NoteCode, TurnNote, named};
use super::source::Source;
use super::tokens::Tokens;
use crate::table::ContributionLimits;

/// What a text has lost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Cut {
    /// Its lines before and after.
    pub lines: [u64; 2],
    /// Its bytes before and after, without fence and marks.
    pub bytes: [u64; 2],
    /// The bound, in words.
    pub by: String,
}

/// A text that is delivered: a piece of context, or a fragment of a section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TextEntry {
    /// Where it comes from.
    pub source: Source,
    /// The event at which it was given.
    pub event: &'static str,
    /// The heading that it wants for its section, on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it refers to, in the words of its hook.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source_refs: Vec<String>,
    /// The text as it goes into the prompt: fenced if it is data, with a mark if it was cut.
    pub text: String,
    /// Whether the text is between marks that say it is data.
    pub fenced: bool,
    /// What was cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
}

/// The texts of a turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Texts {
    /// In their order: slot, priority, hook, id.
    pub(super) entries: Vec<TextEntry>,
    pub(super) notes: Vec<TurnNote>,
}

/// Makes of all that was given what is delivered.
pub(super) fn merge<'g>(
    given: impl IntoIterator<Item = &'g Given>,
    limits: &ContributionLimits,
    delivered: &Delivered,
    tokens: &Tokens,
) -> Texts {
    let mut merge = Merge { limits, tokens, notes: Vec::new() };
    let all = given.into_iter().filter_map(Candidate::of).collect();
    let written = merge.without_blank(all);
    let latest = merge.latest(written);
    let new = merge.without_delivered(latest, delivered);
    let distinct = merge.distinct(new);
    let entries = merge.allotted(distinct);
    let mut notes = merge.notes;
    notes.sort_by(|a, b| (a.code, &a.about, &a.message).cmp(&(b.code, &b.about, &b.message)));
    Texts { entries, notes }
}

/// Makes what is delivered of a text and of what became of it.
fn entry(one: Candidate, (lines, text): (usize, String), by: String, cost: Cost) -> TextEntry {
    let all = one.lines();
    let count = |number: usize| number as u64;
    let cut = (lines < all).then(|| Cut {
        lines: [count(all), count(lines)],
        bytes: [count(one.content.len()), count(one.head(lines).len())],
        by,
    });
    let fenced = one.is_data();
    let mut source = one.source;
    (source.bytes, source.tokens) = (cost.bytes, cost.tokens);
    let (event, title, source_refs) = (one.event.name(), one.title, one.source_refs);
    TextEntry { source, event, title, source_refs, text, fenced, cut }
}

/// The largest number up to `most` for which something holds that holds for all smaller ones; 0 if there is none.
fn largest(most: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut good, mut bad) = (0, most.saturating_add(1));
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if holds(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    good
}

/// One merge, and what it has to tell.
struct Merge<'m> {
    limits: &'m ContributionLimits,
    tokens: &'m Tokens,
    notes: Vec<TurnNote>,
}

impl Merge<'_> {
    fn without_blank(&mut self, all: Vec<Candidate>) -> Vec<Candidate> {
        let mut kept = Vec::with_capacity(all.len());
        for one in all {
            if one.content.is_empty() {
                let message = format!("{} is left out: it is blank", named(&one.source));
                self.notes.push(TurnNote::new(NoteCode::LeftOut, &one.source, message));
            } else {
                kept.push(one);
            }
        }
        kept.sort_by(|a, b| a.in_order(b, self.limits));
        kept
    }

    /// Keeps one context of each id of a hook: that of the latest phase. Fragments of sections are all kept.
    fn latest(&mut self, all: Vec<Candidate>) -> Vec<Candidate> {
        let (contexts, mut kept): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|one| one.source.kind == ContributionKind::PromptContext);
        let mut by_giver: BTreeMap<_, Vec<Candidate>> = BTreeMap::new();
        for one in contexts {
            by_giver.entry(one.source.giver()).or_default().push(one);
        }
        for (_, same) in by_giver {
            let latest = same.iter().map(|one| one.event.index()).max();
            let is_latest = |one: &Candidate| Some(one.event.index()) == latest;
            let (mut last, earlier): (Vec<_>, Vec<_>) = same.into_iter().partition(is_latest);
            last.sort_by(|a, b| a.source.by_importance(&b.source, self.limits));
            let mut last = last.into_iter();
            let Some(winner) = last.next() else { continue };
            let differs = |one: &Candidate| one.source.digest != winner.source.digest;
            for lost in earlier.iter().filter(|one| differs(one)) {
                let why = format!("it was given later, at `{}`", winner.event.name());
                let (code, lost, winner) = (NoteCode::Replaced, &lost.source, &winner.source);
                self.notes.push(TurnNote::lost_to(code, lost, winner, &why));
            }
            for lost in last.filter(differs) {
                self.notes.push(TurnNote::contradicted(&lost.source, &winner.source, "text"));
            }
            kept.push(winner);
        }
        kept.sort_by(|a, b| a.in_order(b, self.limits));
        kept
    }

    fn without_delivered(&mut self, all: Vec<Candidate>, delivered: &Delivered) -> Vec<Candidate> {
        let (old, new): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|one| delivered.has(&one.source));
        for Candidate { source, .. } in old {
            let what = named(&source);
            let message = format!("{what} is not sent again: the session has it already");
            self.notes.push(TurnNote::new(NoteCode::DeliveredBefore, &source, message));
        }
        new
    }

    /// Keeps one of those that say the same in the same slot for the same time.
    fn distinct(&mut self, all: Vec<Candidate>) -> Vec<Candidate> {
        let mut kept: Vec<Candidate> = Vec::with_capacity(all.len());
        let mut places: BTreeMap<_, usize> = BTreeMap::new();
        for one in all {
            let Source { kind, slot, lifetime, digest, .. } = &one.source;
            let key = (*kind, slot.clone(), *lifetime, digest.clone());
            let place = *places.entry(key).or_insert(kept.len());
            let Some(first) = kept.get_mut(place) else {
                kept.push(one);
                continue;
            };
            let (lost, winner) = (&one.source, &first.source);
            if lost.giver() != winner.giver() {
                let code = NoteCode::Duplicate;
                self.notes.push(TurnNote::lost_to(code, lost, winner, "they say the same"));
            }
            first.source.join(one.source);
        }
        kept
    }

    /// Gives each its room, the most important first; what a text gets hangs on those before it only.
    fn allotted(&mut self, mut all: Vec<Candidate>) -> Vec<TextEntry> {
        all.sort_by(|a, b| {
            let (one, other) = (a.source.priority, b.source.priority);
            one.cmp(&other).then_with(|| a.in_order(b, self.limits))
        });
        let mut usage = Usage::new(self.limits);
        let mut entries = Vec::with_capacity(all.len());
        for one in all {
            entries.extend(self.allot(one, &mut usage));
        }
        entries.sort_by(|a, b| a.source.in_order(&b.source, self.limits));
        entries
    }

    fn allot(&mut self, one: Candidate, usage: &mut Usage<'_>) -> Option<TextEntry> {
        let accounts = Account::all_of(&one.source);
        let refusal = |text: &str| usage.refusal(&accounts, self.cost(&one, text));
        let (mut by, mut lines) = (String::new(), one.lines());
        if !one.is_short(lines, &by) {
            by = one.own_bound();
            lines = largest(one.lines() - 1, |lines| one.is_short(lines, &by));
        }
        if lines > 0
            && let Some(bound) = refusal(&one.delivered(lines, &by))
        {
            by = format!("the budget of {bound}");
            let fits = |lines| refusal(&one.delivered(lines, &by)).is_none();
            lines = largest(one.lines() - 1, |lines| one.is_short(lines, &by) && fits(lines));
        }
        let before = one.content.len() as u64;
        if lines == 0 {
            let message = format!("{} is left out: no line of it fits {by}", named(&one.source));
            self.notes
                .push(TurnNote::new(NoteCode::LeftOut, &one.source, message).sized(before, 0));
            return None;
        }
        let text = one.delivered(lines, &by);
        let cost = self.cost(&one, &text);
        usage.take(accounts, cost);
        if lines < one.lines() {
            let after = one.head(lines).len() as u64;
            let message = format!(
                "{} is cut from {before} bytes to {after}, {lines} of {} lines: {by}",
                named(&one.source),
                one.lines(),
            );
            self.notes
                .push(TurnNote::new(NoteCode::Cut, &one.source, message).sized(before, after));
        }
        Some(entry(one, (lines, text), by, cost))
    }

    /// What a text costs, with the heading that it wants.
    fn cost(&self, one: &Candidate, text: &str) -> Cost {
        let (bytes, tokens) = (text.len() as u64, self.tokens.of(text));
        match &one.title {
            None => Cost::one(bytes, tokens),
            Some(title) => Cost::one(bytes + title.len() as u64, tokens + self.tokens.of(title)),
        }
    }
}
