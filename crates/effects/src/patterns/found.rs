//! What a list of patterns found in the effects of a step.

use super::truth::Truth;

/// What a list of patterns found: the answer, and what of the effects made it so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The answer.
    pub truth: Truth,
    /// What made it true or unknown; `None` if it is false.
    pub cause: Option<Cause>,
}

/// The effect that made an answer true or unknown, as its place in its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// In [`Effects::runs`](crate::Effects::runs).
    Run(usize),
    /// In [`Effects::reads`](crate::Effects::reads).
    Read(usize),
    /// In [`Effects::writes`](crate::Effects::writes).
    Write(usize),
    /// In [`Effects::deletes`](crate::Effects::deletes).
    Delete(usize),
    /// In [`Effects::mentions`](crate::Effects::mentions).
    Mention(usize),
    /// In [`Effects::connects`](crate::Effects::connects).
    Connect(usize),
    /// In [`Effects::shows_env`](crate::Effects::shows_env).
    Variable(usize),
    /// In [`Effects::pushes`](crate::Effects::pushes).
    Push(usize),
    /// In [`Effects::unclear`](crate::Effects::unclear).
    Unclear(usize),
}

impl Found {
    /// Nothing.
    pub(crate) const NOTHING: Self = Self { truth: Truth::False, cause: None };

    /// Takes up another answer if it is stronger; the first cause of the same strength stays.
    pub(crate) fn add(&mut self, truth: Truth, cause: Cause) {
        if truth > self.truth {
            *self = Self { truth, cause: Some(cause) };
        }
    }
}
