//! One process of a pool, and how far its conversation is.

use hookgate_contract::{Failure, Invocation, VerdictDecision};
use hookgate_secrets::Secrets;

use super::conversation::Conversation;
use crate::call_log::log_answer;
use crate::line_process::{LineError, LineProcess};

/// A process of a pool. It is ended when it is dropped.
pub(super) struct Member<C> {
    process: LineProcess,
    conversation: C,
    calls: u64,
}

impl<C: Conversation> Member<C> {
    /// Begins a conversation with a process.
    pub(super) const fn new(process: LineProcess, conversation: C) -> Self {
        Self { process, conversation, calls: 0 }
    }

    /// Returns how many calls were made.
    pub(super) const fn calls(&self) -> u64 {
        self.calls
    }

    /// Returns the strictest decision in what it wrote and no call has read.
    pub(super) fn unread_decision(&self) -> Option<VerdictDecision> {
        self.process.unread_decision()
    }

    /// Returns whether it can be called: it runs, and this runtime wakes its pipes.
    pub(super) fn is_usable(&self) -> bool {
        self.process.is_usable()
    }

    /// Waits until it can be called.
    pub(super) async fn ready(&mut self) -> Result<(), LineError> {
        self.conversation.ready(&mut self.process).await
    }

    /// Sends a call.
    pub(super) async fn send(
        &mut self,
        invocation: Invocation<'_>,
        request: &C::Request,
    ) -> Result<(), LineError> {
        self.calls += 1;
        self.conversation.send(&mut self.process, invocation, request).await
    }

    /// Waits for the answer to the last call.
    pub(super) async fn answer(&mut self, secrets: &Secrets) -> Result<C::Answer, LineError> {
        self.conversation.answer(&mut self.process, secrets).await
    }

    /// Logs what it has written to stderr since the last time.
    pub(super) fn log_stderr(&mut self, hook: &str, secrets: &Secrets) {
        self.process.log_stderr(hook, secrets);
    }

    /// Logs the last call, which it has answered.
    pub(super) fn log_call(&mut self, hook: &str, secrets: &Secrets) {
        self.log_stderr(hook, secrets);
        log_answer(hook, C::NAME, self.calls);
    }

    /// Ends it and says why it failed.
    pub(super) async fn into_failure(
        self,
        error: LineError,
        when: &str,
        hook: &str,
        secrets: &Secrets,
    ) -> Failure {
        self.process.into_failure(error, when, hook, secrets).await
    }
}
