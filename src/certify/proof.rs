//! What is known of one hook.

use serde::{Deserialize, Serialize};

use crate::config_hash::ConfigHash;
use crate::decision::Outcome;
use crate::table::HookSpec;

/// How a hook is dead whose conditions do not hold.
pub(super) const NEVER_CALLED: &str = "never_called";

/// Whether a hook works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It stops what it must, and lets pass what it must.
    Proved,
    /// It does not.
    Dead,
    /// Nobody knows.
    Untested,
}

impl State {
    /// Returns the name in certificates.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Dead => "dead",
            Self::Untested => "untested",
        }
    }
}

/// One step that was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// The event.
    pub event: String,
    /// Whether it was made up from the conditions.
    pub made_up: bool,
    /// What must come out; `None` if nobody has said.
    pub expected: Option<Outcome>,
    /// What came out; `None` if it could not be sent.
    pub got: Option<Outcome>,
}

/// Why a hook is not proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Dead, or untested.
    pub(crate) state: State,
    /// A class of failures, or a word of its own.
    pub(crate) how: String,
    /// The same for people.
    pub(crate) detail: String,
}

impl Fault {
    /// The hook does not do what it must.
    #[must_use]
    pub fn dead(how: &str, detail: impl Into<String>) -> Self {
        Self { state: State::Dead, how: how.to_owned(), detail: detail.into() }
    }

    /// Nobody knows whether it does.
    #[must_use]
    pub fn untested(how: &str, detail: impl Into<String>) -> Self {
        Self { state: State::Untested, how: how.to_owned(), detail: detail.into() }
    }
}

/// What is known of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// The hook.
    pub id: String,
    /// The kind of its handler.
    pub kind: String,
    /// Its mode. It was tried as if it were enforced.
    pub mode: String,
    /// Whether it works.
    pub state: State,
    /// Why it is not proved: a class of failures or a word of its own.
    pub how: Option<String>,
    /// The same for people.
    pub detail: Option<String>,
    /// The steps that were sent.
    pub canaries: Vec<Sent>,
    /// Of which hook it is; not known of one that was read.
    #[serde(skip)]
    hash: Option<ConfigHash>,
}

impl Proof {
    /// Returns what is known of a hook after these steps.
    #[must_use]
    pub fn new(hook: &HookSpec, canaries: Vec<Sent>, fault: Option<Fault>) -> Self {
        let (state, how, detail) = match fault {
            None => (State::Proved, None, None),
            Some(Fault { state, how, detail }) => (state, Some(how), Some(detail)),
        };
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        Self {
            id: hook.id().to_string(),
            kind: hook.kind().to_owned(),
            mode: hook.mode().name().to_owned(),
            state,
            how: given(how),
            detail: given(detail),
            canaries,
            hash: Some(hook.config_hash()),
        }
    }

    /// Returns whether the hook is dead because it is not even called.
    pub(super) fn is_never_called(&self) -> bool {
        self.state == State::Dead && self.how.as_deref() == Some(NEVER_CALLED)
    }

    /// Says of which hook it is: for one that was kept and read again.
    #[must_use]
    pub fn of(mut self, hook: &HookSpec) -> Self {
        self.hash = Some(hook.config_hash());
        self
    }

    /// Returns whether it is about this very hook, and not about an earlier one of its id.
    #[must_use]
    pub fn is_of(&self, hook: &HookSpec) -> bool {
        *hook.id() == *self.id && self.hash == Some(hook.config_hash())
    }

    /// Returns why the hook is dead, in one line; `None` if it is not.
    #[must_use]
    pub fn why_dead(&self) -> Option<String> {
        let (how, detail) = (self.how.as_deref()?, self.detail.as_deref().unwrap_or_default());
        let id = &self.id;
        match (self.state, how) {
            (State::Dead, "let_pass") => {
                Some(format!("the canary of `{id}` was let pass: {detail}"))
            }
            (State::Dead, how) => Some(format!("the canary of `{id}` has failed: {how}: {detail}")),
            _ => None,
        }
    }
}
