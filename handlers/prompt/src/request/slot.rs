//! One question of a request, and what has become of it.
//!
//! A slot remembers the strictest decision of every reply that could not be read, over retries, models
//! and both rounds. That memory only ever makes the result stricter:
//!
//! | earlier, unreadable | later, readable | result |
//! |---|---|---|
//! | deny | deny | deny |
//! | deny | allow or ask | `unsure`, which counts as no less than deny |
//! | ask | deny | deny |
//! | none | any | what was read |

use hookgate_contract::{Failure, FailureClass, VerdictDecision};

use crate::answer::finding::Finding;
use crate::answer::opinion::Opinion;
use crate::question::Question;

/// The slot of a question in a request.
pub(super) struct Slot {
    pub(super) question: Question,
    pub(super) opinion: Opinion,
    /// Whether the question has to be asked (again).
    pub(super) open: bool,
    /// The ask or deny in the replies that could not be read.
    pub(super) salvaged: Option<VerdictDecision>,
}

impl Slot {
    pub(super) fn new(question: Question) -> Self {
        let failure = Failure::new(FailureClass::Cancelled, "no request was sent to the model");
        Self { question, opinion: Opinion::failed(failure), open: true, salvaged: None }
    }

    /// Ends the question with a failure.
    pub(super) fn fail(&mut self, failure: Failure) {
        let salvaged = failure.salvaged.max(self.salvaged);
        self.opinion.finding = Err(failure.with_salvaged(salvaged));
        self.open = false;
    }

    /// Keeps the strictest decision of replies that could not be read.
    pub(super) fn salvage(&mut self, decision: Option<VerdictDecision>) {
        if self.question.decides() {
            self.salvaged = self.salvaged.max(decision);
        }
    }

    /// Returns what a reply comes to after those that could not be read. A later reply does not make
    /// an earlier one weaker: a judge that said deny and then allow cannot tell.
    pub(super) fn reconcile(
        &mut self,
        finding: Result<Finding, Failure>,
    ) -> Result<Finding, Failure> {
        match finding {
            Ok(finding) if finding.decision().is_some() && finding.decision() < self.salvaged => {
                let detail = "the judge's answer: it is weaker than one before, which could not be \
                              read";
                Err(Failure::new(FailureClass::Unsure, detail).with_salvaged(self.salvaged))
            }
            Ok(finding) => Ok(finding),
            Err(failure) => {
                self.salvaged = self.salvaged.max(failure.salvaged);
                Err(failure.with_salvaged(self.salvaged))
            }
        }
    }
}
