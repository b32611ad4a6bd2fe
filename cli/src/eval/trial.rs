//! One evaluation of one sample.

use hookgate::Outcome;

use crate::eval::label::Label;
use crate::eval::recorded_reply::RecordedReply;

/// One evaluation of one sample by the hook.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Trial {
    /// What came out of the dispatch: the verdict, or what the failure counts as.
    pub outcome: Outcome,
    /// What the hook replied.
    pub reply: RecordedReply,
}

impl Trial {
    /// Returns the outcome as a label.
    #[must_use]
    pub fn label(&self) -> Label {
        self.outcome.into()
    }
}
