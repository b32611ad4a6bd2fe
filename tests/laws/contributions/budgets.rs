//! Budgets against a naive model, which tries each number of lines and adds up from scratch.

use std::collections::BTreeSet;

use hookgate::Event;
use hookgate::contract::contribution::{
    ContextPiece, Contribution, ContributionKind, SectionText, TextProvenance, TextSource, fenced,
};
use hookgate::decision::Contributed;
use hookgate::table::{Budget, ContributionLimits};
use hookgate::turn::{NoteCode, Prompt};
use proptest::prelude::*;

use super::{hook, turn_of};

/// A text with an id of its own, so that none is the same as another.
#[derive(Debug, Clone)]
struct Text {
    id: String,
    hook: &'static str,
    slot: &'static str,
    priority: i64,
    section: Option<&'static str>,
    title: bool,
    content: String,
    data: bool,
    max_chars: Option<u64>,
}

const TITLE: &str = "A heading";

impl Text {
    fn given(&self) -> (Event, Contributed) {
        let provenance =
            TextProvenance::new(if self.data { TextSource::Tool } else { TextSource::Hook });
        let contribution: Contribution = match self.section {
            None => {
                let mut piece = ContextPiece::new(self.id.as_str(), self.content.as_str())
                    .priority(self.priority)
                    .slot(self.slot)
                    .provenance(provenance);
                piece.max_chars = self.max_chars;
                piece.into()
            }
            Some(section) => {
                let mut text = SectionText::new(section, self.content.as_str())
                    .priority(self.priority)
                    .slot(self.slot)
                    .provenance(provenance);
                text.max_chars = self.max_chars;
                text.title = self.title.then(|| TITLE.to_owned());
                text.into()
            }
        };
        (Event::PromptCompile, Contributed::new(self.hook, contribution))
    }

    /// The heading of data is a line of it.
    fn body(&self) -> String {
        let heading = self.section.is_some() && self.title && self.data;
        if heading { format!("{TITLE}\n{}", self.content) } else { self.content.clone() }
    }

    fn lines(&self) -> Vec<String> {
        self.body().split('\n').map(str::to_owned).collect()
    }

    fn id_in_set(&self) -> &str {
        self.section.unwrap_or(&self.id)
    }

    /// The text as it is delivered with its first lines.
    fn delivered(&self, lines: usize, by: &str) -> String {
        let all = self.lines();
        let head = all[..lines].join("\n");
        let provenance = TextProvenance::new(TextSource::Tool);
        let text = if self.data { fenced(&head, &provenance) } else { head.clone() };
        if lines == all.len() { text } else { format!("{text}\n{}", self.mark(lines, by)) }
    }

    fn mark(&self, lines: usize, by: &str) -> String {
        let all = self.lines();
        let (kept, bytes) = (all[..lines].join("\n").len(), self.body().len());
        format!("[cut: {lines} of {} lines, {kept} of {bytes} bytes; {by}]", all.len())
    }

    fn is_short(&self, lines: usize, by: &str) -> bool {
        let all = self.lines();
        let mark = if lines == all.len() { 0 } else { self.mark(lines, by).chars().count() + 1 };
        let chars = all[..lines].join("\n").chars().count() + mark;
        self.max_chars.is_none_or(|most| chars as u64 <= most)
    }

    fn cost(&self, text: &str) -> (u64, u64) {
        let title = if self.section.is_some() && self.title && !self.data { TITLE } else { "" };
        let tokens = |text: &str| (text.len() as u64).div_ceil(4);
        ((text.len() + title.len()) as u64, tokens(text) + tokens(title))
    }
}

fn texts() -> impl Strategy<Value = Vec<Text>> {
    let slot = prop_oneof![Just("s"), Just("t")];
    let section = proptest::option::of(prop_oneof![Just("x"), Just("y")]);
    let body = "(\n[a-zü]{0,20}){0,6}z";
    let bound = proptest::option::weighted(0.3, 0_u64..150);
    let one = (
        hook(),
        slot,
        0..3_i64,
        section,
        any::<bool>(),
        body,
        proptest::bool::weighted(0.3),
        bound,
    );
    proptest::collection::vec(one, 0..8).prop_map(|all| {
        let numbered = all.into_iter().enumerate();
        let mut texts: Vec<Text> = numbered
            .map(|(number, (hook, slot, priority, section, title, body, data, max_chars))| Text {
                id: format!("id{number}"),
                hook,
                slot,
                // Each has a rank of its own, whatever its digest is.
                priority: priority * 10 + number as i64,
                section,
                title,
                content: format!("{number}{body}"),
                data,
                max_chars,
            })
            .collect();
        // A note says how long its text was: by that it is found again.
        let mut lengths = BTreeSet::new();
        for text in &mut texts {
            while !lengths.insert(text.body().len()) {
                text.content.push('.');
            }
        }
        texts
    })
}

fn budget() -> impl Strategy<Value = Budget> {
    let option = proptest::option::weighted;
    (option(0.3, 0_u64..6), option(0.4, 0_u64..400), option(0.3, 0_u64..100)).prop_map(
        |(items, bytes, tokens)| {
            let mut budget = Budget::NONE;
            (budget.items, budget.bytes, budget.tokens) = (items, bytes, tokens);
            budget
        },
    )
}

fn limits() -> impl Strategy<Value = ContributionLimits> {
    (budget(), budget(), budget(), budget(), budget(), budget()).prop_map(
        |(turn, section, context, sections, hook, slot)| {
            ContributionLimits::new()
                .slots(["t"])
                .turn(turn)
                .section(section)
                .kind(ContributionKind::PromptContext, context)
                .kind(ContributionKind::PromptSection, sections)
                .hook("a", hook)
                .slot("s", slot)
        },
    )
}

/// Returns for each text how many of its lines are delivered. `by` are the words of the mark.
fn naive(
    texts: &[Text],
    limits: &ContributionLimits,
    by: impl Fn(&Text) -> String,
) -> Vec<(String, usize)> {
    let mut ranked = texts.to_vec();
    ranked.sort_by_key(|one| one.priority);
    let mut kept: Vec<(Text, (u64, u64))> = Vec::new();
    let mut result = Vec::new();
    for one in ranked {
        let kind = |text: &Text| match text.section {
            None => ContributionKind::PromptContext,
            Some(_) => ContributionKind::PromptSection,
        };
        let fits = |lines: usize, by: &str| {
            let cost = one.cost(&one.delivered(lines, by));
            let within = |budget: Budget, counts: &dyn Fn(&Text) -> bool| {
                let same = || kept.iter().filter(|(other, _)| counts(other));
                let items = same().count() as u64 + 1;
                let bytes = same().map(|(_, cost)| cost.0).sum::<u64>() + cost.0;
                let tokens = same().map(|(_, cost)| cost.1).sum::<u64>() + cost.1;
                budget.items.is_none_or(|most| items <= most)
                    && budget.bytes.is_none_or(|most| bytes <= most)
                    && budget.tokens.is_none_or(|most| tokens <= most)
            };
            let of_section = one.section.is_none()
                || within(limits.section, &|other| other.section == one.section);
            of_section
                && within(limits.turn, &|_| true)
                && within(limits.of_kind(kind(&one)), &|other| kind(other) == kind(&one))
                && within(limits.of_hook(one.hook), &|other| other.hook == one.hook)
                && within(limits.of_slot(one.slot), &|other| other.slot == one.slot)
        };
        let by = by(&one);
        let all = one.lines().len();
        let lines = (1..=all).rev().find(|lines| one.is_short(*lines, &by) && fits(*lines, &by));
        let lines = lines.unwrap_or(0);
        if lines > 0 {
            let cost = one.cost(&one.delivered(lines, &by));
            kept.push((one.clone(), cost));
        }
        result.push((one.id.clone(), lines));
    }
    result
}

/// The words in which the bound of a text is told.
fn told(prompt: &Prompt, text: &Text) -> Option<String> {
    let entry = prompt.entries.iter().find(|entry| entry.source.priority == text.priority);
    if let Some(entry) = entry {
        return Some(entry.cut.as_ref().map_or_else(String::new, |cut| cut.by.clone()));
    }
    let is_about = |note: &&hookgate::turn::TurnNote| {
        note.code == NoteCode::LeftOut
            && note.about.hook == *text.hook
            && note.about.id == text.id_in_set()
            && note.bytes == Some([text.body().len() as u64, 0])
    };
    let note = prompt.notes.iter().find(is_about)?;
    Some(note.message.split("no line of it fits ").nth(1)?.to_owned())
}

proptest! {
    #[test]
    fn each_text_gets_the_lines_that_a_naive_model_gives_it(texts in texts(), limits in limits()) {
        let given: Vec<_> = texts.iter().map(Text::given).collect();
        let turn = turn_of(limits.clone(), &given);
        let prompt = turn.prompt();
        for text in &texts {
            prop_assert!(told(&prompt, text).is_some(), "neither delivered nor told: {text:?}");
        }
        let expected = naive(&texts, &limits, |text| told(&prompt, text).unwrap());
        let mut found = Vec::new();
        let mut ranked: Vec<&Text> = texts.iter().collect();
        ranked.sort_by_key(|one| one.priority);
        for text in ranked {
            let entry = prompt.entries.iter().find(|entry| entry.source.priority == text.priority);
            let lines = entry.map_or(0, |entry| entry.cut.as_ref().map_or(text.lines().len(), |cut| cut.lines[1] as usize));
            if let Some(entry) = entry {
                let by = told(&prompt, text).unwrap();
                prop_assert_eq!(&entry.text, &text.delivered(lines, &by), "whole lines, and a mark");
                prop_assert_eq!((entry.source.bytes, entry.source.tokens), text.cost(&entry.text));
                let notes = prompt.notes.iter().filter(|note| note.code == NoteCode::Cut);
                let bytes = entry.cut.as_ref().map(|cut| cut.bytes);
                let told = notes.filter(|note| note.bytes == bytes && note.about.hook == *text.hook);
                prop_assert_eq!(told.count() > 0, entry.cut.is_some());
            }
            found.push((text.id.clone(), lines));
        }
        prop_assert_eq!(found, expected);
    }

    /// What comes later in rank takes nothing from what comes before.
    #[test]
    fn the_lowest_priority_is_cut_first(texts in texts(), limits in limits(), keep in 0..8_usize) {
        let mut ranked = texts;
        ranked.sort_by_key(|one| one.priority);
        let all: Vec<_> = ranked.iter().map(Text::given).collect();
        let some: Vec<_> = ranked.iter().take(keep).map(Text::given).collect();
        let of = |given: &[(Event, Contributed)]| turn_of(limits.clone(), given).prompt().entries;
        let whole = of(&all);
        for entry in of(&some) {
            prop_assert!(whole.contains(&entry), "{entry:?}");
        }
    }
}
