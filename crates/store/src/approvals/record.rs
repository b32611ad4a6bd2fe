//! A question as it is kept, and what persons have said.

use std::fmt;
use std::str::FromStr;

use super::{ApprovalError, is_same_name};
use hookgate::HookId;
use serde::Serialize;
use serde_json::{Map, Value};

/// What has become of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalState {
    /// It waits for a person.
    Pending,
    /// As many persons as it needs have agreed.
    Approved,
    /// A person has refused.
    Rejected,
    /// Nobody has answered in time: the step does not happen.
    Expired,
    /// The runtime does not need an answer any more: its session has ended, say.
    Withdrawn,
}

impl ApprovalState {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Pending, Self::Approved, Self::Rejected, Self::Expired, Self::Withdrawn];

    /// Returns the name in the file and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
            Self::Withdrawn => "withdrawn",
        }
    }
}

impl fmt::Display for ApprovalState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text is the name of no [`ApprovalState`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a state is pending, approved, rejected, expired or withdrawn")]
pub struct ParseApprovalStateError;

impl FromStr for ApprovalState {
    type Err = ParseApprovalStateError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|state| state.name() == name).ok_or(ParseApprovalStateError)
    }
}

/// Who has to agree.
///
/// ```
/// use hookgate_store::Persons;
///
/// let two_of_three = Persons::need(2).from(["ada", "ben", "cy"]);
/// assert_eq!(Persons::default(), Persons::need(1));
/// # let _ = two_of_three;
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Persons {
    /// How many different ones.
    pub(super) need: u32,
    /// Of whom; of anybody if it is empty.
    pub(super) from: Vec<String>,
}

impl Persons {
    /// Needs so many persons; 0 is one.
    #[must_use]
    pub fn need(count: u32) -> Self {
        Self { need: count.max(1), from: Vec::new() }
    }

    /// Takes the answers of these only.
    #[must_use]
    pub fn from<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.from = names.into_iter().map(Into::into).collect();
        self
    }
}

impl Persons {
    /// Finds whether as many may answer as have to agree.
    pub(super) fn check(&self) -> Result<(), ApprovalError> {
        let may = self.from.iter().enumerate().filter(|(index, name)| {
            let before = self.from.iter().take(*index);
            !before.into_iter().any(|before| is_same_name(before, name))
        });
        let may = may.count();
        match self.from.is_empty() || u32::try_from(may).is_ok_and(|may| may >= self.need) {
            true => Ok(()),
            false => Err(ApprovalError::TooFew { need: self.need, may }),
        }
    }
}

impl Default for Persons {
    fn default() -> Self {
        Self::need(1)
    }
}

/// What a person says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PersonAnswer {
    /// Who says it.
    pub(super) person: String,
    pub(super) approves: bool,
    /// What the step is to be changed to.
    pub(super) edit: Option<Map<String, Value>>,
    /// Why.
    pub(super) note: Option<String>,
}

impl PersonAnswer {
    /// Agrees to the step as it is.
    #[must_use]
    pub fn approve(person: impl Into<String>) -> Self {
        Self { person: person.into(), approves: true, edit: None, note: None }
    }

    /// Agrees to the step with other values of some fields. What comes of it is judged again before it happens.
    #[must_use]
    pub fn approve_with(person: impl Into<String>, edit: Map<String, Value>) -> Self {
        Self { edit: Some(edit), ..Self::approve(person) }
    }

    /// Refuses the step.
    #[must_use]
    pub fn reject(person: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { approves: false, note: Some(reason.into()), ..Self::approve(person) }
    }

    /// Says why.
    #[must_use]
    pub fn note(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }
}

/// What a person has said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Answered {
    /// Who.
    pub person: String,
    /// Whether he agrees.
    pub approves: bool,
    /// Why, without secrets.
    pub note: Option<String>,
    /// When, in milliseconds since 1970.
    pub at: u64,
}

/// A question as it is kept, without the step that it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Approval {
    /// The id, that of [`ApprovalRequest::id`](hookgate::approval::ApprovalRequest::id).
    pub id: String,
    /// The session.
    pub session: String,
    /// The event.
    pub event: String,
    /// The hooks that ask.
    pub by: Vec<HookId>,
    /// Why they ask, without secrets.
    pub question: String,
    /// When it was asked, in milliseconds since 1970.
    pub asked: u64,
    /// Until when it can be answered.
    pub expires: u64,
    /// What has become of it.
    pub state: ApprovalState,
    /// Why it was withdrawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How many persons have to agree.
    pub need: u32,
    /// Who may answer; anybody if it is empty.
    pub from: Vec<String>,
    /// What persons have said so far.
    pub answers: Vec<Answered>,
    /// Whether the step was changed.
    pub edited: bool,
    /// Whether the runtime has taken the answer.
    pub taken: bool,
}
