//! What comes of a step, as the host is told.

use hookgate::approval::Parked;
use hookgate::{Outcome, Report};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// What comes of a step. It is always said; that no hook has spoken is a word of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// No hook has decided: the step goes on, as it stands in `step`.
    Pass,
    /// A hook has allowed it: the step goes on, as it stands in `step`.
    Allow,
    /// A hook has supplied the result, which stands in `report.answer`: the step does not run.
    Answered,
    /// A person is asked: the step waits for `ask.answer` with `question`.
    Ask,
    /// The judgement was cancelled: the step does not happen.
    Cancelled,
    /// The step does not happen; `report.reason` says why.
    Deny,
    /// The step does not happen, and the whole run ends.
    Halt,
}

impl Verdict {
    /// Every verdict.
    pub(super) const ALL: [Self; 7] = [
        Self::Pass,
        Self::Allow,
        Self::Answered,
        Self::Ask,
        Self::Cancelled,
        Self::Deny,
        Self::Halt,
    ];

    /// Returns the name on the wire.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Allow => "allow",
            Self::Answered => "answered",
            Self::Ask => "ask",
            Self::Cancelled => "cancelled",
            Self::Deny => "deny",
            Self::Halt => "halt",
        }
    }

    fn of(report: &Report) -> Self {
        match report.decision {
            Outcome::Allow if report.by.is_empty() => Self::Pass,
            Outcome::Allow => Self::Allow,
            Outcome::Answered => Self::Answered,
            Outcome::Ask => Self::Ask,
            Outcome::Cancelled => Self::Cancelled,
            Outcome::Deny => Self::Deny,
            Outcome::Halt => Self::Halt,
        }
    }

    /// Whether the step goes on.
    pub(super) const fn goes_on(self) -> bool {
        matches!(self, Self::Pass | Self::Allow)
    }
}

/// A step that was judged.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Judged {
    /// What comes of it.
    pub(crate) verdict: Verdict,
    /// The payload of the step as it was judged, after all rewriters: what the host runs. Only of a step that goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<Map<String, Value>>,
    /// The signed question, which `ask.answer` takes as it is. Only if a person is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    question: Option<Box<Parked>>,
    /// The decision record, as `hookgate run` prints it.
    report: Report,
}

impl Judged {
    /// Puts together what came of a step. What is not of the verdict is left out: a step that does not happen is not
    /// handed over.
    pub(super) fn new(
        report: Report,
        step: Option<Map<String, Value>>,
        question: Option<Box<Parked>>,
    ) -> Self {
        let verdict = Verdict::of(&report);
        let step = step.filter(|_| verdict.goes_on());
        let question = question.filter(|_| verdict == Verdict::Ask);
        Self { verdict, step, question, report }
    }

    /// Whether it is what its verdict says: a step that goes on is there, and so is a question that is asked.
    pub(super) const fn is_whole(&self) -> bool {
        self.step.is_some() == self.verdict.goes_on()
            && self.question.is_some() == matches!(self.verdict, Verdict::Ask)
    }

    pub(super) const fn report(&self) -> &Report {
        &self.report
    }
}
