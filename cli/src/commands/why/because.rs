//! The sorts of reasons.

use serde::Serialize;

/// Why a hook ran, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Because {
    /// It is off.
    Off,
    /// It is for other events.
    OtherEvent,
    /// A condition is false.
    Condition,
    /// A condition cannot be told.
    Unclear,
    /// A hook before it has decided.
    DecidedBefore,
    /// Its answer was not waited for, since another hook had decided.
    Cancelled,
    /// A hook before it has changed the step.
    Rewritten,
    /// All its conditions hold, and no hook is called.
    NotCalled,
    /// It runs in the background, and leaves no vote.
    Background,
    /// It was notified.
    Observed,
    /// It failed.
    Failed,
    /// It has a mistake: a hook that always fails stands in its place.
    SetAside,
    /// It had no opinion.
    NoOpinion,
    /// It rewrote the step or added something, and did not object.
    Added,
    /// Its answer does not count, because of its mode.
    Would,
    /// Its answer is the decision.
    Decided,
    /// Another answer, or a rule, is the decision.
    Overruled,
    /// The record does not say.
    Unknown,
}

impl Because {
    /// Whether the hook ran; `None` if that is not known.
    pub(super) const fn ran(self) -> Option<bool> {
        match self {
            Self::Off
            | Self::OtherEvent
            | Self::Condition
            | Self::Unclear
            | Self::DecidedBefore
            | Self::Rewritten
            | Self::SetAside
            | Self::NotCalled => Some(false),
            Self::Background | Self::Unknown => None,
            _ => Some(true),
        }
    }
}
