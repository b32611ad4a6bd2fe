//! What a host has said of the steps that a session has asked about: hooks that judge such a step again, when a person has
//! answered, are to know it as those did that have asked. It is in no question, so nobody can change it there.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hookgate::envelope::Header;

/// How many open questions a session may have. What was asked before is not answered any more.
const OPEN: usize = 256;

/// The headers of steps, by the ids of their questions, in the order in which they were asked.
#[derive(Default)]
pub(super) struct AskedSteps(Mutex<VecDeque<(String, Box<Header>)>>);

impl AskedSteps {
    /// Keeps the header of a step until its question is answered.
    pub(super) fn keep(&self, question: &str, header: Box<Header>) {
        let mut open = self.lock();
        open.retain(|(id, _)| id != question);
        if open.len() >= OPEN {
            open.pop_front();
        }
        open.push_back((question.to_owned(), header));
    }

    /// Takes the header of the step that a question is about.
    pub(super) fn take(&self, question: &str) -> Option<Box<Header>> {
        let mut open = self.lock();
        let place = open.iter().position(|(id, _)| id == question)?;
        open.remove(place).map(|(_, header)| header)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(String, Box<Header>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
