//! The protocol of workers, as a conversation: every line of a worker answers something.

use hookgate_contract::{Invocation, Reply};
use hookgate_secrets::Secrets;

use super::frame;
use crate::line_process::{LineError, LineProcess};
use crate::pool::Conversation;

/// The side of one worker.
#[derive(Debug, Clone, Default)]
pub(super) struct WorkerProtocol {
    /// The id of the last call.
    call_id: u64,
}

impl Conversation for WorkerProtocol {
    type Request = [u8];
    type Answer = Reply;

    const NAME: &'static str = "worker";

    /// By this a program knows that it is a worker.
    const VARIABLES: &'static [(&'static str, &'static str)] = &[("HOOKGATE_WORKER", "1")];

    /// Waits for the first line.
    async fn ready(&mut self, process: &mut LineProcess) -> Result<(), LineError> {
        let line = process.read_line().await?;
        frame::parse_ready(&line).map_err(LineError::Protocol)
    }

    /// Sends a call. Whatever the worker wrote before it is refused: it is not an answer to anything.
    async fn send(
        &mut self,
        process: &mut LineProcess,
        invocation: Invocation<'_>,
        envelope: &[u8],
    ) -> Result<(), LineError> {
        process.expect_no_output(
            "the worker wrote to stdout before a call: it answers each call once, and prints nothing \
             else there",
            &[],
        )?;
        self.call_id = frame::random_call_id().map_err(LineError::Protocol)?;
        process.write(&frame::call_line(self.call_id, &invocation, envelope)).await
    }

    async fn answer(
        &mut self,
        process: &mut LineProcess,
        secrets: &Secrets,
    ) -> Result<Reply, LineError> {
        let line = process.read_line().await?;
        let reply = frame::parse_answer(&line, self.call_id, secrets)?;
        // With two answers it is not known which was meant.
        process.expect_no_output("the worker wrote more than one line for one call", &line)?;
        Ok(reply)
    }
}
