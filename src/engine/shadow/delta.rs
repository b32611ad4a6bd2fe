//! How the decision of a shadow differs from the one that was made.

use serde::{Deserialize, Serialize};

use crate::decision::Outcome;
use crate::hook_id::HookId;
use crate::report::Report;

/// What was decided about a step, and what a shadow would have decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ShadowDelta {
    /// The step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// The session of the step.
    pub session_id: String,
    /// The event.
    pub event: Option<String>,
    /// The tool that the step is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// What was decided.
    pub live: ShadowSide,
    /// What the shadow would have decided.
    pub shadow: ShadowSide,
    /// Whether the step would have gone on with other values of its fields, or with another answer.
    pub final_differs: bool,
    /// The hooks of the shadow that would have been asked about this step and were not called. They count as without
    /// an opinion, so what they would have said is not known.
    pub not_called: Vec<HookId>,
}

impl ShadowDelta {
    /// Returns whether both have come to the same: the outcome, the final values and the answer are equal. That other
    /// hooks have decided is no difference.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live.decision == self.shadow.decision && !self.final_differs
    }
}

/// One side of a [`ShadowDelta`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ShadowSide {
    /// What came out.
    pub decision: Outcome,
    /// The hooks that voted for it.
    pub by: Vec<HookId>,
}

impl ShadowSide {
    pub(super) fn of(report: &Report) -> Self {
        Self { decision: report.decision, by: report.by.clone() }
    }
}
