//! Pieces of context, and sections of several fragments.

use hookgate_contract::contribution::ContributionKind;
use serde::Serialize;
use serde_json::{Value, json};

use super::note::TurnNote;
use super::text::{TextEntry, Texts};
use crate::table::ContributionLimits;

/// The context of a turn, in the order slot, priority, hook, id.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ContextSet {
    /// The pieces that are delivered.
    pub entries: Vec<TextEntry>,
    /// What became of the others.
    pub notes: Vec<TurnNote>,
    /// Whether the tokens are estimated: the runtime has not said how to count them.
    pub tokens_estimated: bool,
}

impl ContextSet {
    /// Returns the pieces as later phases read them: id, slot, hook, priority and text of each.
    #[must_use]
    pub fn to_payload(&self) -> Value {
        let piece = |TextEntry { source, text, .. }: &TextEntry| {
            json!({
                "id": source.id,
                "slot": source.slot,
                "hook": source.hook,
                "priority": source.priority,
                "content": text,
            })
        };
        self.entries.iter().map(piece).collect()
    }

    pub(super) fn of(texts: &Texts, tokens_estimated: bool) -> Self {
        let Texts { entries, notes } = texts;
        let is_context = |kind| kind == ContributionKind::PromptContext;
        Self {
            entries: entries.iter().filter(|one| is_context(one.source.kind)).cloned().collect(),
            notes: notes.iter().filter(|note| is_context(note.kind)).cloned().collect(),
            tokens_estimated,
        }
    }
}

/// A section of the prompt: its fragments, the lowest priority first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Section {
    /// The section.
    pub section_id: String,
    /// Its place: that of its first fragment.
    pub slot: String,
    /// Its heading: that of the first fragment which has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The texts, with a blank line between them in the prompt.
    pub fragments: Vec<TextEntry>,
}

/// The sections of a prompt, in the order slot, priority, hook, id of their first fragments.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct SectionSet {
    /// The sections.
    pub sections: Vec<Section>,
    /// What became of texts that are not delivered as they were given.
    pub notes: Vec<TurnNote>,
    /// Whether the tokens are estimated: the runtime has not said how to count them.
    pub tokens_estimated: bool,
}

impl SectionSet {
    pub(super) fn of(texts: Texts, limits: &ContributionLimits, tokens_estimated: bool) -> Self {
        let is_section = |kind| kind == ContributionKind::PromptSection;
        let mut notes = texts.notes;
        notes.retain(|note| is_section(note.kind));
        let mut fragments = texts.entries;
        fragments.retain(|one| is_section(one.source.kind));
        fragments.sort_by(|a, b| a.source.by_importance(&b.source, limits));
        let mut sections: Vec<Section> = Vec::new();
        for fragment in fragments {
            let id = &fragment.source.id;
            match sections.iter_mut().find(|section| section.section_id == *id) {
                Some(section) => section.add(fragment, &mut notes),
                None => sections.push(Section {
                    section_id: id.clone(),
                    slot: fragment.source.slot.clone(),
                    title: fragment.title.clone(),
                    fragments: vec![fragment],
                }),
            }
        }
        let first = |section: &Section| section.fragments.first().map(|one| one.source.clone());
        sections.sort_by(|a, b| match (first(a), first(b)) {
            (Some(a), Some(b)) => a.in_order(&b, limits),
            (a, b) => a.is_some().cmp(&b.is_some()),
        });
        Self { sections, notes, tokens_estimated }
    }
}

impl Section {
    /// Returns the fragment that has given the heading.
    #[must_use]
    pub fn titled_by(&self) -> Option<&TextEntry> {
        self.fragments.iter().find(|fragment| fragment.title.is_some())
    }

    fn add(&mut self, fragment: TextEntry, notes: &mut Vec<TurnNote>) {
        if let (Some(titled), Some(title)) = (self.titled_by(), &fragment.title)
            && titled.title.as_ref() != Some(title)
        {
            notes.push(TurnNote::contradicted(&fragment.source, &titled.source, "heading"));
        }
        if let Some(first) = self.fragments.first().filter(|_| fragment.source.slot != self.slot) {
            notes.push(TurnNote::contradicted(&fragment.source, &first.source, "slot"));
        }
        if self.title.is_none() {
            self.title.clone_from(&fragment.title);
        }
        self.fragments.push(fragment);
    }
}
