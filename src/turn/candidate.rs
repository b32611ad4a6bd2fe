//! A text as it was given, and its first lines as they would be delivered.

use std::cmp::Ordering;

use hookgate_contract::Event;
use hookgate_contract::contribution::{
    Contribution, ContributionKind, Lifetime, TextProvenance, Visibility, fenced,
};
use hookgate_contract::visible::line;
use serde_json::json;

use super::Given;
use super::source::Source;
use crate::digest::digest;
use crate::hook_id::HookId;
use crate::table::ContributionLimits;

/// The slot of context that names neither slot nor domain.
const CONTEXT: &str = "context";

/// The slot of sections that name neither slot nor domain.
const PROMPT: &str = "prompt";

/// How long a heading may be, in characters.
const LONGEST_TITLE: usize = 200;

/// A text that was given.
pub(super) struct Candidate {
    pub(super) source: Source,
    pub(super) event: Event,
    pub(super) title: Option<String>,
    pub(super) source_refs: Vec<String>,
    pub(super) max_chars: Option<u64>,
    pub(super) content: String,
}

/// What a context and a section have in common.
struct Common<'g> {
    id: &'g str,
    content: &'g str,
    title: Option<&'g String>,
    slot: Option<&'g String>,
    domain: Option<&'g String>,
    usual: &'static str,
    priority: i64,
    lifetime: Option<Lifetime>,
    visible: Option<Visibility>,
    provenance: Option<&'g TextProvenance>,
}

impl Candidate {
    /// Returns nothing for what is no text.
    pub(super) fn of(given: &Given) -> Option<Self> {
        let (common, max_chars, source_refs) = match &given.contribution {
            Contribution::PromptContext(piece) => {
                let common = Common {
                    id: &piece.id,
                    content: &piece.content,
                    title: None,
                    slot: piece.slot.as_ref(),
                    domain: piece.domain.as_ref(),
                    usual: CONTEXT,
                    priority: piece.priority,
                    lifetime: piece.lifetime,
                    visible: piece.visible,
                    provenance: piece.provenance.as_ref(),
                };
                (common, piece.max_chars, piece.source_refs.clone())
            }
            Contribution::PromptSection(section) => {
                let common = Common {
                    id: &section.section_id,
                    content: &section.content,
                    title: section.title.as_ref(),
                    slot: section.slot.as_ref(),
                    domain: section.domain.as_ref(),
                    usual: PROMPT,
                    priority: section.priority,
                    lifetime: section.lifetime,
                    visible: section.visible,
                    provenance: section.provenance.as_ref(),
                };
                (common, section.max_chars, Vec::new())
            }
            _ => return None,
        };
        Some(Self::new(
            &given.hook,
            given.event,
            given.contribution.kind(),
            common,
            max_chars,
            source_refs,
        ))
    }

    fn new(
        hook: &HookId,
        event: Event,
        kind: ContributionKind,
        common: Common<'_>,
        max_chars: Option<u64>,
        source_refs: Vec<String>,
    ) -> Self {
        let provenance = common.provenance.cloned().unwrap_or_default();
        let title = common.title.map(|title| line(title, LONGEST_TITLE));
        let title = title.filter(|title| !title.is_empty());
        let body = without_blank_ends(common.content);
        // Whoever wrote the text of a tool may have written its heading: it stands in the fence as well.
        let (title, content) = match title {
            Some(title) if provenance.kind.is_data() => (None, format!("{title}\n{body}")),
            title => (title, body.to_owned()),
        };
        let visible = common.visible.unwrap_or_default();
        let section = Some(common.id).filter(|_| kind == ContributionKind::PromptSection);
        let slot = [common.slot, common.domain];
        let slot = slot.into_iter().flatten().find(|slot| !slot.trim().is_empty());
        let source = Source {
            kind,
            id: common.id.to_owned(),
            hook: hook.clone(),
            slot: slot.map_or_else(|| common.usual.to_owned(), Clone::clone),
            digest: digest(&json!([section, title, content, visible, provenance])),
            bytes: 0,
            tokens: 0,
            lifetime: common.lifetime.unwrap_or_default(),
            priority: common.priority,
            visible,
            provenance,
            also: Vec::new(),
        };
        Self { source, event, title, source_refs, max_chars, content }
    }

    /// The order of candidates, down to what makes no difference.
    pub(super) fn in_order(&self, other: &Self, limits: &ContributionLimits) -> Ordering {
        let rest = |one: &Self| {
            let bound = one.max_chars.unwrap_or(u64::MAX);
            (one.event.index(), one.source.lifetime, bound, one.source_refs.clone())
        };
        self.source.in_order(&other.source, limits).then_with(|| rest(self).cmp(&rest(other)))
    }

    pub(super) fn is_data(&self) -> bool {
        self.source.provenance.kind.is_data()
    }

    /// Returns how many lines there are.
    pub(super) fn lines(&self) -> usize {
        self.content.split('\n').count()
    }

    /// Returns the first lines.
    pub(super) fn head(&self, lines: usize) -> &str {
        let end = self.content.match_indices('\n').nth(lines.saturating_sub(1));
        let end = end.map_or(self.content.len(), |(at, _)| at);
        self.content.get(..end).unwrap_or_default()
    }

    /// Returns the mark of a text that has lost its end; nothing if it is whole.
    fn mark(&self, lines: usize, by: &str) -> Option<String> {
        let all = self.lines();
        let cut = || {
            let (kept, bytes) = (self.head(lines).len(), self.content.len());
            format!("[cut: {lines} of {all} lines, {kept} of {bytes} bytes; {by}]")
        };
        (lines < all).then(cut)
    }

    /// Returns whether the first lines, with the mark, are within the bound of the hook.
    pub(super) fn is_short(&self, lines: usize, by: &str) -> bool {
        let Some(most) = self.max_chars else { return true };
        let mark = self.mark(lines, by);
        let chars =
            self.head(lines).chars().count() + mark.map_or(0, |mark| mark.chars().count() + 1);
        chars as u64 <= most
    }

    pub(super) fn own_bound(&self) -> String {
        format!("its own bound, {} characters", self.max_chars.unwrap_or_default())
    }

    /// Returns the first lines as they are delivered.
    pub(super) fn delivered(&self, lines: usize, by: &str) -> String {
        let head = self.head(lines);
        let text =
            if self.is_data() { fenced(head, &self.source.provenance) } else { head.to_owned() };
        match self.mark(lines, by) {
            Some(mark) => format!("{text}\n{mark}"),
            None => text,
        }
    }
}

/// Leaves out blank lines before and after a text, and what is invisible at its end.
fn without_blank_ends(text: &str) -> &str {
    let text = text.trim_end();
    let first = text.find(|c: char| !c.is_whitespace()).unwrap_or(text.len());
    let start = text.get(..first).and_then(|blank| blank.rfind('\n')).map_or(0, |at| at + 1);
    text.get(start..).unwrap_or_default()
}
