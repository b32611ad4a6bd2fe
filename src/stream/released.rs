//! What may be shown.

use std::borrow::Cow;

use hookgate_contract::payload::PostLlmResponse;

use super::{Retraction, StreamedStep};
use crate::step::Gate;

/// What may be shown after a part of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Released<'p> {
    /// The text that may be shown now; the part itself, if no hook is at the event.
    pub text: Cow<'p, str>,
    /// How many bytes wait: for what follows them, or for the end.
    pub held: usize,
}

impl<'p> Released<'p> {
    pub(super) const fn new(text: Cow<'p, str>, held: usize) -> Self {
        Self { text, held }
    }
}

/// What came of the whole text.
#[derive(Debug)]
#[must_use = "a text that was not cleared must not be used"]
#[non_exhaustive]
pub struct Ended<S: StreamedStep = PostLlmResponse> {
    /// The whole, as it comes back from a dispatch. A runtime goes on with this, and not with the parts.
    pub gate: Gate<S>,
    /// What is still to be shown, behind what was shown.
    pub rest: String,
    /// What is to be taken back of what was shown.
    pub retraction: Option<Retraction>,
}
