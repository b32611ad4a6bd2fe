//! What a verdict consists of.

use crate::name_enum;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::patch::Patch;
use crate::contribution::Contribution;
use crate::decision::VerdictDecision;

name_enum! {
    /// Why a step was refused, for programs.
    ///
    /// A hook may give the first three; the others are given by the engine.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[non_exhaustive]
    pub enum ReasonCode {
        /// It breaks a rule.
        PolicyViolation = "policy_violation",
        /// It is dangerous.
        SafetyViolation = "safety_violation",
        /// It has the wrong form.
        SchemaViolation = "schema_violation",
        /// A hook did not answer in time. Given by the engine.
        Timeout = "timeout",
        /// A hook failed. Given by the engine.
        RuntimeError = "runtime_error",
        /// A budget is used up. Given by the engine.
        Budget = "budget",
        /// What must be guarded is not. Given by the engine.
        Unguarded = "unguarded",
    }
}

impl ReasonCode {
    /// Tells whether a hook may give the code in its verdict.
    #[must_use]
    pub const fn is_for_hooks(self) -> bool {
        matches!(self, Self::PolicyViolation | Self::SafetyViolation | Self::SchemaViolation)
    }
}

/// The result that a rewriter supplies in place of running the step.
///
/// ```
/// use hookgate_contract::Answer;
///
/// assert!(!Answer::new("42").is_error);
/// assert!(Answer::new("no such file").failed().is_error);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Answer {
    /// The tool's result, or the text of the model.
    pub content: Value,
    /// Whether it is an error of the tool.
    #[serde(default)]
    pub is_error: bool,
}

impl Answer {
    /// Makes the answer of a tool that succeeded, or of the model.
    #[must_use]
    pub fn new(content: impl Into<Value>) -> Self {
        Self { content: content.into(), is_error: false }
    }

    /// Makes it the answer of a tool that failed.
    #[must_use]
    pub const fn failed(mut self) -> Self {
        self.is_error = true;
        self
    }
}

/// The parts of a verdict, as they cross the wire.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
#[non_exhaustive]
pub struct Parts {
    /// The decision, if the hook has an opinion.
    pub decision: Option<VerdictDecision>,
    /// Why.
    pub reason: Option<String>,
    /// Why, for programs.
    pub reason_code: Option<ReasonCode>,
    /// The payload fields to set.
    #[cfg_attr(feature = "schema", schemars(with = "Map<String, Value>"))]
    pub patch: Patch,
    /// Text for the model.
    pub context: Vec<String>,
    /// Text for the user.
    pub message: Option<String>,
    /// The result, supplied.
    pub answer: Option<Answer>,
    /// Typed data for the runtime.
    pub contributions: Vec<Contribution>,
    /// Labels for logs and prompts.
    pub annotations: Map<String, Value>,
    /// Data that goes with the decision.
    pub payload: Option<Value>,
    /// How the handler came to answer, for the record of its vote. Not a part of the format.
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub note: Option<String>,
}

impl Parts {
    /// Tells whether the verdict has no part but perhaps a note.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        let Self {
            decision,
            reason,
            reason_code,
            patch,
            context,
            message,
            answer,
            contributions,
            annotations,
            payload,
            note: _,
        } = self;
        decision.is_none()
            && reason.is_none()
            && reason_code.is_none()
            && patch.is_empty()
            && context.is_empty()
            && message.is_none()
            && answer.is_none()
            && contributions.is_empty()
            && annotations.is_empty()
            && payload.is_none()
    }
}
