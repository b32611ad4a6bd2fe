//! The prompt that was put together, line by line.

use hookgate_contract::name_enum;
use serde::Serialize;

use super::note::TurnNote;
use super::sections::{Section, SectionSet};
use super::text::TextEntry;
use crate::table::ContributionLimits;

name_enum! {
    /// What a line of a prompt is.
    #[non_exhaustive]
    pub enum LinePart {
        /// A line of a text.
        Text = "text",
        /// The heading of a section.
        Title = "title",
        /// A mark that begins or ends a text which is data.
        Fence = "fence",
        /// A mark that says what was cut off.
        Mark = "mark",
        /// A blank line between two texts.
        Blank = "blank",
    }
}

/// A line of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PromptLine {
    /// What stands there.
    pub text: String,
    /// What it is.
    pub part: LinePart,
    /// The place among [`Prompt::entries`] of the text that it comes from; `None` for a blank line between two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<usize>,
}

/// What hooks have given for a prompt, put together: in the order slot, priority, hook, id, with a blank line between two.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Prompt {
    /// The lines.
    pub lines: Vec<PromptLine>,
    /// The texts that they come from. Those for the user only have no lines.
    pub entries: Vec<TextEntry>,
    /// What became of texts that are not delivered as they were given.
    pub notes: Vec<TurnNote>,
    /// Whether the tokens are estimated: the runtime has not said how to count them.
    pub tokens_estimated: bool,
}

impl Prompt {
    /// Returns the text for the model.
    #[must_use]
    pub fn text(&self) -> String {
        let lines: Vec<&str> = self.lines.iter().map(|line| line.text.as_str()).collect();
        lines.join("\n")
    }

    /// Returns the text that a line comes from.
    #[must_use]
    pub fn origin(&self, line: &PromptLine) -> Option<&TextEntry> {
        self.entries.get(line.entry?)
    }

    /// Returns the texts that the user sees, as well or only.
    pub fn for_user(&self) -> impl Iterator<Item = &TextEntry> {
        self.entries.iter().filter(|entry| entry.source.visible.reaches_user())
    }

    /// Puts pieces of context and sections together.
    pub(super) fn of(
        contexts: Vec<TextEntry>,
        sections: SectionSet,
        limits: &ContributionLimits,
    ) -> Self {
        let SectionSet { sections, notes, tokens_estimated } = sections;
        let contexts = contexts.into_iter().map(|entry| vec![entry]);
        let sections = sections.into_iter().map(|section: Section| section.fragments);
        let mut blocks: Vec<Vec<TextEntry>> = contexts.chain(sections).collect();
        let first = |block: &Vec<TextEntry>| block.first().map(|entry| entry.source.clone());
        blocks.sort_by(|a, b| match (first(a), first(b)) {
            (Some(one), Some(other)) => {
                one.in_order(&other, limits).then_with(|| one.kind.cmp(&other.kind))
            }
            (one, other) => one.is_some().cmp(&other.is_some()),
        });
        let mut prompt = Self { notes, tokens_estimated, ..Self::default() };
        for block in blocks {
            prompt.add(block);
        }
        prompt
    }

    fn add(&mut self, fragments: Vec<TextEntry>) {
        let start = self.entries.len();
        // A heading that the user alone sees is none for the model.
        let is_for_model = |one: &TextEntry| one.source.visible.reaches_model();
        let mut title = fragments.iter().enumerate().find_map(|(place, fragment)| {
            let title = fragment.title.as_ref().filter(|_| is_for_model(fragment))?;
            Some((format!("## {title}"), start + place))
        });
        for fragment in fragments {
            if is_for_model(&fragment) {
                if !self.lines.is_empty() {
                    self.push(String::new(), LinePart::Blank, None);
                }
                if let Some((title, place)) = title.take() {
                    self.push(title, LinePart::Title, Some(place));
                }
                let place = self.entries.len();
                for (line, part) in parts(&fragment) {
                    self.push(line.to_owned(), part, Some(place));
                }
            }
            self.entries.push(fragment);
        }
    }

    fn push(&mut self, text: String, part: LinePart, entry: Option<usize>) {
        self.lines.push(PromptLine { text, part, entry });
    }
}

/// Returns the lines of a text, and what each is.
fn parts(entry: &TextEntry) -> Vec<(&str, LinePart)> {
    let mut lines: Vec<_> = entry.text.split('\n').map(|line| (line, LinePart::Text)).collect();
    let mut end = lines.len();
    let mut mark = |place: usize, part: LinePart| {
        if let Some(line) = lines.get_mut(place) {
            line.1 = part;
        }
    };
    if entry.cut.is_some() {
        end -= 1;
        mark(end, LinePart::Mark);
    }
    if entry.fenced {
        mark(0, LinePart::Fence);
        mark(end.saturating_sub(1), LinePart::Fence);
    }
    lines
}
