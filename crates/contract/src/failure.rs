//! What can go wrong with a hook, and what a failed hook counts as.

use std::borrow::Cow;

use crate::name_enum;

use crate::decision::VerdictDecision;

name_enum! {
    /// What a failed hook counts as. The values are ordered from the strictest on.
    ///
    /// The default is [`Contract::default_posture`](crate::Contract::default_posture).
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Posture {
        /// As a deny.
        Deny = "deny",
        /// As an ask.
        Ask = "ask",
        /// As if the hook had no opinion.
        Allow = "allow",
    }
}

impl Posture {
    /// Returns the decision that a failed hook counts as; `None` for [`Posture::Allow`].
    #[must_use]
    pub const fn decision(self) -> Option<VerdictDecision> {
        match self {
            Self::Deny => Some(VerdictDecision::Deny),
            Self::Ask => Some(VerdictDecision::Ask),
            Self::Allow => None,
        }
    }
}

name_enum! {
    /// The ways in which a hook can fail. Each has a posture of its own in hooks.toml
    /// (`on_timeout = "ask"`).
    #[derive(PartialOrd, Ord)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    pub enum FailureClass {
        /// It did not answer within its deadline, or within that of the dispatch.
        Timeout = "timeout",
        /// It could not be started.
        Spawn = "spawn",
        /// Its process ended with a status that is neither 0 nor 2.
        Exit = "exit",
        /// Its process was killed by a signal.
        Signal = "signal",
        /// It answered something that is not a verdict.
        Malformed = "malformed",
        /// Its verdict says what it must not say at this event or in this role.
        Illegal = "illegal",
        /// The envelope or the answer is larger than allowed.
        Oversize = "oversize",
        /// The service could not be reached.
        Unreachable = "unreachable",
        /// The service answered with an error status.
        HttpStatus = "http_status",
        /// The service refused the credentials.
        Auth = "auth",
        /// Too many calls are waiting, or it waited for its turn until its time was over.
        Overloaded = "overloaded",
        /// It panicked.
        Panic = "panic",
        /// The call was cancelled, by something else than the host: the runtime ends, a server gives up. (A dispatch that
        /// the host cancels is no failure of a hook.)
        Cancelled = "cancelled",
        /// Its budget is used up.
        Budget = "budget",
        /// A judge could not tell.
        Unsure = "unsure",
        /// It is not trusted.
        Untrusted = "untrusted",
        /// What it has counted or remembered could not be read or kept, or was tampered with.
        State = "state",
        /// A registered condition of the hook could not be told, and its handler does not look for
        /// itself. `on_failure` does not set this class.
        Unclear = "unclear",
        /// It was not called, because a hook that it depends on has failed or was not called.
        Skipped = "skipped",
    }
}

impl FailureClass {
    /// How many classes there are.
    pub const COUNT: usize = Self::ALL.len();

    /// Returns the index of the class in arrays that are indexed by class.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The failure of a hook: in which way it failed, and what is known about it.
///
/// What it counts as is up to the hook's [`Posture`], not to the handler. The detail is for the writer
/// of the hook: it says what was found and what to do, and never repeats secrets or data of the step.
///
/// ```
/// use hookgate_contract::{Failure, FailureClass};
///
/// let failure = Failure::new(FailureClass::Exit, "the program ended with status 3");
/// assert_eq!(failure.to_string(), "exit: the program ended with status 3");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {detail}")]
#[non_exhaustive]
pub struct Failure {
    /// The way in which it failed.
    pub class: FailureClass,
    /// What was found, for the writer of the hook.
    pub detail: Cow<'static, str>,
    /// The ask, deny or halt that was read from what was refused. It counts if the posture is weaker.
    pub salvaged: Option<VerdictDecision>,
    /// Whether the detail is a part of the reason that the agent and its model read: see
    /// [`Failure::shown`].
    pub is_shown: bool,
    /// Whether the engine has stopped the call, since the host has cancelled the dispatch.
    by_host: bool,
}

impl Failure {
    /// Makes a failure from which no decision was salvaged.
    #[must_use]
    pub fn new(class: FailureClass, detail: impl Into<Cow<'static, str>>) -> Self {
        Self { class, detail: detail.into(), salvaged: None, is_shown: false, by_host: false }
    }

    /// Says that the engine has stopped the call. For the engine only.
    #[doc(hidden)]
    #[must_use]
    pub const fn by_host(mut self) -> Self {
        self.by_host = true;
        self
    }

    /// Returns whether the engine has stopped the call, since the host has cancelled the dispatch.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_by_host(&self) -> bool {
        self.by_host
    }

    /// Replaces the detail, for instance to take secrets out of it.
    #[must_use]
    pub fn map_detail(mut self, change: impl FnOnce(&str) -> String) -> Self {
        self.detail = change(&self.detail).into();
        self
    }

    /// Makes the detail a part of the reason of a decision, so that whoever proposed the step reads what to
    /// do. It must not repeat what a program or a service has said: that could talk to a model.
    ///
    /// ```
    /// use hookgate_contract::{Failure, FailureClass};
    ///
    /// let failure = Failure::new(FailureClass::Untrusted, "run `hookgate trust`").shown();
    /// assert!(failure.is_shown);
    /// ```
    #[must_use]
    pub const fn shown(mut self) -> Self {
        self.is_shown = true;
        self
    }

    /// Keeps the decision that was read from what was refused.
    #[must_use]
    pub const fn with_salvaged(mut self, decision: Option<VerdictDecision>) -> Self {
        self.salvaged = decision;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_at_their_index() {
        for (index, class) in FailureClass::ALL.into_iter().enumerate() {
            assert_eq!(class.index(), index);
            assert_eq!(FailureClass::from_name(class.name()), Some(class));
            assert_eq!(serde_json::to_value(class).unwrap(), class.name());
        }
    }
}
