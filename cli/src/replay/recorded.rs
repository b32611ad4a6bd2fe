//! One step that was recorded.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hookgate::contract::{Reply, VerdictDecision};
use hookgate::decision::VoteOutcome;
use hookgate::recorder::{DispatchEnd, Record};
use hookgate::{ConfigHash, HookId, Outcome, Report};
use serde_json::{Map, Value};

/// What each hook of a config did, by its id.
pub(crate) type Definitions = Arc<BTreeMap<String, ConfigHash>>;

/// Where a step was recorded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// An entry of a journal.
    Entry(u64),
    /// A line of a file.
    Line(Arc<str>, u64),
}

impl Place {
    /// Puts it into a JSON object.
    pub(crate) fn put_into(&self, object: &mut Map<String, Value>) {
        match self {
            Self::Entry(seq) => {
                object.insert("seq".to_owned(), (*seq).into());
            }
            Self::Line(file, line) => {
                object.insert("file".to_owned(), (**file).into());
                object.insert("line".to_owned(), (*line).into());
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry(seq) => write!(f, "{seq}"),
            Self::Line(file, line) => write!(f, "{file}:{line}"),
        }
    }
}

/// A step that was recorded.
#[derive(Debug)]
pub(crate) struct RecordedStep {
    pub(crate) place: Place,
    /// When it was, if that is known.
    pub(crate) time: Option<SystemTime>,
    pub(crate) envelope: Map<String, Value>,
    /// What was decided, if that was recorded.
    pub(crate) was: Option<Was>,
    /// What programs, services and models answer, by the ids of their hooks, if somebody has said it for this step.
    pub(crate) given: BTreeMap<String, Reply>,
    /// Whether it is asked for. Others are judged as well: what hooks count depends on them.
    pub(crate) is_wanted: bool,
}

/// What was decided about a step.
#[derive(Debug)]
pub(crate) struct Was {
    pub(crate) report: Report,
    /// What each hook did then, if that is known.
    pub(crate) definitions: Option<Definitions>,
}

/// What a hook said about a step that was recorded.
pub(crate) struct Said {
    pub(crate) outcome: Outcome,
    pub(crate) reason: Option<String>,
}

impl Was {
    /// Returns what a hook said that did the same then, also if it was not called; `None` if that is not known.
    pub(crate) fn said_by(&self, hook: &HookId, definition: &ConfigHash) -> Option<Said> {
        let is_same = self.definitions.as_ref()?.get(hook.as_str()) == Some(definition);
        // What it was called about was another step, if that was rewritten.
        if !is_same || !self.report.patched.is_empty() {
            return None;
        }
        let mut votes = self.report.votes.iter().filter(|vote| vote.hook == *hook);
        match votes.next_back() {
            Some(vote) if vote.outcome == VoteOutcome::Cancelled || vote.rewrote => None,
            Some(vote) => Some(Said {
                outcome: vote.decision.map_or(Outcome::Allow, outcome_of),
                reason: vote.reason.clone(),
            }),
            // Of a step that was refused, it may not have been looked at.
            None if self.report.decision.is_refusal() => None,
            None => Some(Said { outcome: Outcome::Allow, reason: None }),
        }
    }
}

/// Returns what a decision makes of a step.
pub(crate) const fn outcome_of(decision: VerdictDecision) -> Outcome {
    match decision {
        VerdictDecision::Allow => Outcome::Allow,
        VerdictDecision::Ask => Outcome::Ask,
        VerdictDecision::Deny => Outcome::Deny,
        VerdictDecision::Halt => Outcome::Halt,
    }
}

/// Why a record is no step that can be judged again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NoStep {
    /// It has no envelope: it was deleted, or only its hash was recorded.
    WithoutEnvelope,
    /// It is about a step that has another record: the user has answered, or its tool has not ended.
    OfOtherStep,
}

impl RecordedStep {
    /// Takes a step out of a record.
    ///
    /// # Errors
    /// There is none in it.
    pub(crate) fn of_record(place: Place, mut record: Record) -> Result<Self, NoStep> {
        let of_other = [DispatchEnd::Approved, DispatchEnd::Rejected, DispatchEnd::Unfinished];
        if of_other.contains(&record.end) {
            return Err(NoStep::OfOtherStep);
        }
        let Some(Value::Object(envelope)) = record.report.envelope.take() else {
            return Err(NoStep::WithoutEnvelope);
        };
        let is_decided = record.end == DispatchEnd::Decided;
        let was = is_decided.then_some(Was { report: record.report, definitions: None });
        let time = UNIX_EPOCH.checked_add(Duration::from_millis(record.time));
        Ok(Self { place, time, envelope, was, given: BTreeMap::new(), is_wanted: true })
    }

    /// Returns what the config was, by which it was decided.
    pub(crate) fn config_hash(&self) -> Option<ConfigHash> {
        self.was.as_ref()?.report.config_hash
    }

    /// Returns a step of a file of envelopes.
    pub(crate) const fn of_envelope(
        place: Place,
        envelope: Map<String, Value>,
        time: Option<SystemTime>,
    ) -> Self {
        Self { place, time, envelope, was: None, given: BTreeMap::new(), is_wanted: true }
    }
}
