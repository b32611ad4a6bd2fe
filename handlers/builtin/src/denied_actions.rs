//! The actions that a session was denied, and how often each was tried.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hookgate_contract::{Invocation, Kept, Observed, StateError, StateHome, StateScope};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::char_boundary::at_or_before;
use crate::counted::Counted;
use crate::deeds::Deeds;

/// How many sessions are remembered in memory. Beyond it the least recently used one is forgotten.
const MAX_SESSIONS: usize = 1_000;

/// How many denied actions of a session are remembered. Beyond it the oldest is forgotten.
const MAX_ACTIONS: usize = 64;

/// How much of the reason of a denial is kept, in bytes.
const LONGEST_REASON: usize = 300;

/// The denied actions of all sessions, which the hooks of a host share.
pub(crate) struct DeniedActions {
    deeds: Arc<dyn Deeds>,
    kept: Kept<OfSession>,
    /// Whether a hook notes denials.
    pub(crate) is_noted: AtomicBool,
}

/// The denied actions of a session, the oldest first.
#[derive(Debug, Default, Serialize, Deserialize)]
struct OfSession(VecDeque<DeniedAction>);

#[derive(Debug, Serialize, Deserialize)]
struct DeniedAction {
    /// What must be done again to be the same action.
    deeds: Value,
    first: FirstDenial,
    tries: u64,
    counted: Counted,
}

/// The denial with which an action came into the list.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct FirstDenial {
    step: String,
    by: String,
    reason: String,
}

/// How often an action was tried, with this step.
#[derive(Debug)]
pub(crate) struct Tries {
    pub(crate) number: u64,
    first: FirstDenial,
}

impl fmt::Display for Tries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FirstDenial { step, by, reason } = &self.first;
        write!(f, "tried {} times; first denied at step {step} by `{by}`", self.number)?;
        if reason.is_empty() { Ok(()) } else { write!(f, ": {reason}") }
    }
}

impl DeniedActions {
    /// Remembers in the state of a host, if it has one.
    pub(crate) fn new(deeds: Arc<dyn Deeds>, home: Option<Arc<dyn StateHome>>) -> Self {
        let kept = Kept::new("denied actions", MAX_SESSIONS).in_home(home);
        Self { deeds, kept, is_noted: AtomicBool::new(false) }
    }

    /// Counts a step that repeats a denied action. Counting and looking are one step, so of two tries at the same
    /// time one is the later.
    pub(crate) fn tried(&self, call: &Invocation<'_>) -> Result<Option<Tries>, StateError> {
        let session = StateScope::Session(call.context().session_id);
        let repeats = |action: &DeniedAction| self.deeds.repeats(call.envelope, &action.deeds);
        let is_known =
            |kept: Option<&OfSession>| kept.is_some_and(|kept| kept.0.iter().any(repeats));
        if !self.kept.look(session, "", is_known)? {
            return Ok(None);
        }
        self.kept.update(session, "", |kept| kept.count(call, &*self.deeds))
    }

    /// Notes that a step was denied.
    pub(crate) fn note(
        &self,
        call: &Invocation<'_>,
        decision: &Observed<'_>,
    ) -> Result<(), StateError> {
        let session = StateScope::Session(call.context().session_id);
        let Some(deeds) = self.deeds.denied(call.envelope) else { return Ok(()) };
        // A guard that has failed says nothing of the action.
        let is_of_hook = decision.reason_code.is_none_or(|code| code.is_for_hooks());
        if !is_of_hook {
            return self.tried(call).map(drop);
        }
        self.kept.update(session, "", |kept| {
            if kept.count(call, &*self.deeds).is_some() {
                return;
            }
            if kept.0.len() >= MAX_ACTIONS {
                kept.0.pop_front();
            }
            let mut counted = Counted::default();
            counted.is_new(call);
            let reason = decision.reason.unwrap_or_default();
            let reason = reason.get(..at_or_before(reason, LONGEST_REASON)).unwrap_or_default();
            let first = FirstDenial {
                step: call.envelope.step_id().to_owned(),
                by: decision.by.join("`, `"),
                reason: reason.to_owned(),
            };
            kept.0.push_back(DeniedAction { deeds, first, tries: 1, counted });
        })
    }

    /// Says why nothing would ever be found, when all hooks have been read.
    pub(crate) fn doubt(&self) -> Option<String> {
        let is_noted = self.is_noted.load(Ordering::Relaxed);
        (!is_noted).then(|| {
            "no hook notes what is denied: add one with the builtin `note_denials` at the same event, or write \
             `[escalate]`, which adds both"
                .to_owned()
        })
    }
}

impl OfSession {
    /// Counts a step once for each action that it repeats. Returns the one that was tried most.
    fn count(&mut self, call: &Invocation<'_>, deeds: &dyn Deeds) -> Option<Tries> {
        let mut most: Option<Tries> = None;
        for action in &mut self.0 {
            if !deeds.repeats(call.envelope, &action.deeds) {
                continue;
            }
            if action.counted.is_new(call) {
                action.tries = action.tries.saturating_add(1);
            }
            if most.as_ref().is_none_or(|most| most.number < action.tries) {
                most = Some(Tries { number: action.tries, first: action.first.clone() });
            }
        }
        most
    }
}
