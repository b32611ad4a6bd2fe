//! What became of a contribution that is not delivered as it was given.

use hookgate_contract::contribution::{ContributionKind, Severity};
use hookgate_contract::name_enum;
use hookgate_contract::visible::line;
use serde::Serialize;

use super::source::{Giver, Source};

/// How long an id or a slot may be in a message, in characters.
const LONGEST_NAME: usize = 80;

name_enum! {
    /// What became of a contribution.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum NoteCode {
        /// It lost lines to a budget, or to its own `max_chars`.
        Cut = "cut",
        /// It found no room at all, or is blank.
        LeftOut = "left_out",
        /// Another one says something else under the same key, with the same priority.
        Conflict = "conflict",
        /// Another one says something else under the same key, with a priority that wins.
        Overridden = "overridden",
        /// Another one says the same in the same place.
        Duplicate = "duplicate",
        /// Its hook has given another one of the same id in a later phase.
        Replaced = "replaced",
        /// The session has it already.
        DeliveredBefore = "delivered_before",
        /// A rewriter has taken the tool away.
        ToolRemoved = "tool_removed",
    }
}

/// Tells what became of a contribution that is not delivered as it was given. It names hooks, ids and slots, and
/// repeats nothing of what was contributed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TurnNote {
    /// What became of it.
    pub code: NoteCode,
    /// How grave it is.
    pub severity: Severity,
    /// The kind of contribution.
    pub kind: ContributionKind,
    /// The place.
    pub slot: String,
    /// The contribution that this is about: the one that was cut, or that lost.
    pub about: Giver,
    /// The one that counts in its place, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<Giver>,
    /// Its bytes before and after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<[u64; 2]>,
    /// The same in words.
    pub message: String,
}

impl TurnNote {
    pub(super) fn new(code: NoteCode, source: &Source, message: String) -> Self {
        let severity = match code {
            NoteCode::Cut | NoteCode::LeftOut | NoteCode::Conflict | NoteCode::ToolRemoved => {
                Severity::Warning
            }
            _ => Severity::Info,
        };
        Self {
            code,
            severity,
            kind: source.kind,
            slot: source.slot.clone(),
            about: source.giver(),
            winner: None,
            bytes: None,
            message,
        }
    }

    /// Says that another one counts in its place.
    pub(super) fn lost_to(code: NoteCode, lost: &Source, winner: &Source, why: &str) -> Self {
        let message = format!("{} gives way to {}: {why}", named(lost), named(winner));
        Self { winner: Some(winner.giver()), ..Self::new(code, lost, message) }
    }

    /// Says that another one has the same key and says something else.
    pub(super) fn contradicted(lost: &Source, winner: &Source, what: &str) -> Self {
        if lost.priority == winner.priority {
            let why = format!("they differ in {what} at the same priority, and it comes first");
            Self::lost_to(NoteCode::Conflict, lost, winner, &why)
        } else {
            let why = format!("they differ in {what}, and its priority is lower");
            Self::lost_to(NoteCode::Overridden, lost, winner, &why)
        }
    }

    pub(super) const fn sized(mut self, before: u64, after: u64) -> Self {
        self.bytes = Some([before, after]);
        self
    }
}

/// Names a contribution on one line.
pub(super) fn named(source: &Source) -> String {
    format!("`{}` of the hook `{}`", plain(&source.id), plain(&source.hook))
}

/// What a hook has named is not trusted with the line of a message.
pub(super) fn plain(name: &str) -> String {
    line(name, LONGEST_NAME)
}
