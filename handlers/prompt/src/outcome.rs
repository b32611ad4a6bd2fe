//! What became of a question.

use std::fmt::Write as _;
use std::sync::Arc;

use hookgate_contract::Failure;

use crate::shape::Finding;

/// What was found, by whom, and what it took.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) finding: Result<Finding, Failure>,
    pub(crate) model: Arc<str>,
    pub(crate) prompt_hash: Arc<str>,
    /// Whether another model than the first had to answer.
    pub(crate) fallback: bool,
    /// How many bytes of the step the model was not shown.
    pub(crate) omitted: usize,
    /// What the model said, where that is kept.
    pub(crate) answer: Option<Arc<str>>,
    pub(crate) took: Took,
}

impl Outcome {
    pub(crate) fn failed(failure: Failure) -> Self {
        Self {
            finding: Err(failure),
            model: Arc::from(""),
            prompt_hash: Arc::from(""),
            fallback: false,
            omitted: 0,
            answer: None,
            took: Took::default(),
        }
    }
}

impl Outcome {
    /// Adds what somebody who reads the record of the vote should know.
    pub(crate) fn tell(&self, note: &mut String) {
        // Writing into a text cannot fail.
        if self.omitted > 0 {
            let _ = write!(note, "; {} bytes were not shown", self.omitted);
        }
        if let Some(answer) = &self.answer {
            let _ = write!(note, "; it said: {answer}");
        }
    }
}

/// What something took.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Took {
    pub(crate) calls: u32,
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
    pub(crate) cost: f64,
}

impl Took {
    pub(crate) const fn tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
        self.cost += other.cost;
    }

    /// The part of one of several rules that were asked together. The parts add up to the whole:
    /// the first has what cannot be divided.
    pub(crate) fn share(self, index: usize, of: usize) -> Self {
        if of <= 1 {
            return self;
        }
        let parts = of as u64;
        let rest = |whole: u64| if index == 0 { whole % parts } else { 0 };
        Self {
            calls: if index == 0 { self.calls } else { 0 },
            prompt_tokens: self.prompt_tokens / parts + rest(self.prompt_tokens),
            completion_tokens: self.completion_tokens / parts + rest(self.completion_tokens),
            cost: self.cost / parts as f64,
        }
    }
}
