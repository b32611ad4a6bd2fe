//! The result of asking a model about one rule: the finding, its origin and what it used.
//!
//! An opinion is what the cache keeps and what steps share, so everything in it has to fit all of them:
//! its reason has been checked against the prompt, secrets are hidden, and the usage is that of the one
//! request. Who pays is decided later: a step that did not start the request reports a usage of 0.

use std::fmt::Write as _;
use std::sync::Arc;

use hookgate_contract::Failure;

use super::finding::Finding;
use crate::parameter::Parameters;

/// What a judge came to, as it is cached and shared. Its reason is fit to be shown already.
#[derive(Debug, Clone)]
pub(crate) struct Opinion {
    pub(crate) finding: Result<Finding, Failure>,
    /// The model that answered; empty if none did.
    pub(crate) model: Arc<str>,
    /// A hash of the prompt without its nonce; empty if none was sent.
    pub(crate) prompt_hash: Arc<str>,
    /// Whether a fallback answered.
    pub(crate) fallback: bool,
    /// The parameters that the model refuses.
    pub(crate) refused: Parameters,
    /// How many bytes of the step the model was not shown.
    pub(crate) omitted: usize,
    /// The text of the model, if `keep_answer` is set.
    pub(crate) answer: Option<Arc<str>>,
    pub(crate) usage: Usage,
}

impl Opinion {
    /// Makes the opinion of a judge that failed before a model answered.
    pub(crate) fn failed(failure: Failure) -> Self {
        Self {
            finding: Err(failure),
            model: Arc::from(""),
            prompt_hash: Arc::from(""),
            fallback: false,
            refused: Parameters::default(),
            omitted: 0,
            answer: None,
            usage: Usage::default(),
        }
    }

    /// Tells whether the opinion may be cached: it is not a failure (which includes `unsure`), and
    /// the answer is that of the configured model, not of a fallback.
    pub(crate) const fn is_cacheable(&self) -> bool {
        self.finding.is_ok() && !self.fallback
    }

    /// Appends to the note of a vote what a reader of the record should know.
    pub(crate) fn append_note(&self, note: &mut String) {
        // Writing into a `String` cannot fail.
        if self.omitted > 0 {
            let _ = write!(note, "; {} bytes were not shown", self.omitted);
        }
        if !self.refused.is_empty() {
            let _ = write!(note, "; without {}, which the model refuses", self.refused);
        }
        if let Some(answer) = &self.answer {
            let _ = write!(note, "; it said: {answer}");
        }
    }
}

/// What requests used: how many there were, their tokens and their cost.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Usage {
    pub(crate) calls: u32,
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
    /// In the currency of `prices`; 0 for a model without a price.
    pub(crate) cost: f64,
}

impl Usage {
    /// Returns the tokens of both directions.
    pub(crate) const fn tokens(&self) -> u64 {
        self.prompt_tokens.saturating_add(self.completion_tokens)
    }

    /// Adds what other requests used. Servers may report any number, so the sums saturate.
    pub(crate) fn add(&mut self, other: Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.prompt_tokens = self.prompt_tokens.saturating_add(other.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(other.completion_tokens);
        self.cost += other.cost;
    }

    /// Returns the share of one of several rules that were asked about together. The shares add up
    /// to the whole: the first rule has the calls and what cannot be divided.
    pub(crate) fn share(self, index: usize, rules: usize) -> Self {
        if rules <= 1 {
            return self;
        }
        let parts = rules as u64;
        let rest = |whole: u64| if index == 0 { whole % parts } else { 0 };
        Self {
            calls: if index == 0 { self.calls } else { 0 },
            prompt_tokens: self.prompt_tokens / parts + rest(self.prompt_tokens),
            completion_tokens: self.completion_tokens / parts + rest(self.completion_tokens),
            cost: self.cost / parts as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_a_batch_add_up_to_the_whole() {
        let whole = Usage { calls: 2, prompt_tokens: 101, completion_tokens: 7, cost: 3.0 };
        for rules in 1..=16 {
            let mut sum = Usage::default();
            (0..rules).for_each(|index| sum.add(whole.share(index, rules)));
            assert!((sum.cost - whole.cost).abs() < 1e-9, "{rules}");
            assert_eq!(Usage { cost: 0.0, ..sum }, Usage { cost: 0.0, ..whole }, "{rules}");
        }
    }
}
