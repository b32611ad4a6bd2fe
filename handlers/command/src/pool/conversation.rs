//! What the lines of a program that stays mean.

use hookgate_contract::{Invocation, Verdict, VerdictDecision};
use hookgate_secrets::Secrets;

use crate::line_process::{LineError, LineProcess};

/// One process's side of a protocol of lines: the handshake, and calls that are answered one at a time.
///
/// A pool clones it for each process that it starts. A cancelled call does not end the process at
/// once: the rest of its answer is awaited and dropped (`grace`), and so [`ready`](Self::ready) and
/// [`answer`](Self::answer) must be able to go on after their future was dropped.
pub trait Conversation: Clone + Send + Sync + 'static {
    /// What is asked.
    type Request: ?Sized + Sync;
    /// What is answered, be it that the call failed. The process can be called again after it.
    type Answer: Send;

    /// What the program is, in messages: `worker`, `server`.
    const NAME: &'static str;

    /// Variables that the program gets beside those of its hook.
    const VARIABLES: &'static [(&'static str, &'static str)] = &[];

    /// Finds the strictest ask, deny or halt in lines that were not read to their end.
    fn decision_in(unread: &[u8]) -> Option<VerdictDecision> {
        Verdict::salvage_anywhere(unread)
    }

    /// Makes a new process ready for calls.
    ///
    /// # Cancel safety
    /// It can be called again.
    fn ready(
        &mut self,
        process: &mut LineProcess,
    ) -> impl Future<Output = Result<(), LineError>> + Send;

    /// Sends a call.
    ///
    /// # Cancel safety
    /// If the future is dropped, the process has half a call and is ended.
    fn send(
        &mut self,
        process: &mut LineProcess,
        invocation: Invocation<'_>,
        request: &Self::Request,
    ) -> impl Future<Output = Result<(), LineError>> + Send;

    /// Waits for the answer to the last call.
    ///
    /// # Cancel safety
    /// It can be called again.
    fn answer(
        &mut self,
        process: &mut LineProcess,
        secrets: &Secrets,
    ) -> impl Future<Output = Result<Self::Answer, LineError>> + Send;
}
