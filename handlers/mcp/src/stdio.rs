//! A server that is a process: messages line by line, on stdin and stdout.

use hookgate_command::server::{Conversation, LineError, LineProcess};
use hookgate_contract::{Failure, FailureClass, Invocation, VerdictDecision};
use hookgate_secrets::Secrets;
use serde_json::json;

use crate::message::{
    Lifecycle, Message, Outcome, Request, answer_to, cancelled, decision_in, initialized, random_id,
};

/// How many calls that were given up are remembered: their answers may still come.
const MOST_ABANDONED: usize = 16;

/// This client's side of one process.
#[derive(Debug, Clone, Default)]
pub(crate) struct StdioSession {
    /// The id of the handshake, once it was sent.
    handshake: Option<u64>,
    lifecycle: Option<Lifecycle>,
    /// The call that was sent last.
    open: Option<u64>,
    /// Whether somebody has waited for its answer.
    was_awaited: bool,
    /// Requests whose answers may still come, and are of no use to anybody.
    abandoned: Vec<u64>,
}

/// What is written beside requests is shorter than what a pipe takes at once (4 KiB), so a cancellation
/// never leaves half a message behind. A request may be longer: a process that has half of one is ended.
impl Conversation for StdioSession {
    type Request = Request;
    type Answer = Outcome;

    const NAME: &'static str = "server";

    fn decision_in(unread: &[u8]) -> Option<VerdictDecision> {
        decision_in(unread)
    }

    /// Makes the handshake.
    async fn ready(&mut self, process: &mut LineProcess) -> Result<(), LineError> {
        if self.lifecycle.is_none() {
            let id = match self.handshake {
                Some(id) => id,
                None => {
                    let id = random_id().map_err(LineError::Protocol)?;
                    write_line(process, Request::initialize().to_bytes(id, None)).await?;
                    *self.handshake.insert(id)
                }
            };
            let outcome = self.await_answer(process, &[id]).await?;
            self.lifecycle = Some(Lifecycle::read(&outcome).map_err(LineError::Protocol)?);
        }
        match self.lifecycle {
            // It does no harm twice.
            Some(Lifecycle::Agreed(_)) => write_line(process, initialized()).await,
            _ => Ok(()),
        }
    }

    async fn send(
        &mut self,
        process: &mut LineProcess,
        _: Invocation<'_>,
        request: &Request,
    ) -> Result<(), LineError> {
        let id = random_id().map_err(LineError::Protocol)?;
        write_line(process, request.to_bytes(id, self.lifecycle.as_ref())).await?;
        (self.open, self.was_awaited) = (Some(id), false);
        Ok(())
    }

    /// Waits for the answer. If it is called again because the first caller has given up, the call is
    /// cancelled: the server need not answer it any more, but must answer a ping.
    async fn answer(
        &mut self,
        process: &mut LineProcess,
        _: &Secrets,
    ) -> Result<Outcome, LineError> {
        let Some(open) = self.open else { return Err(LineError::Died) };
        if !std::mem::replace(&mut self.was_awaited, true) {
            return self.await_answer(process, &[open]).await;
        }
        let ping = random_id().map_err(LineError::Protocol)?;
        write_line(process, cancelled(open)).await?;
        let request = Request::new("ping", json!({}));
        write_line(process, request.to_bytes(ping, self.lifecycle.as_ref())).await?;
        let outcome = self.await_answer(process, &[open, ping]).await?;
        self.abandon(open);
        self.abandon(ping);
        Ok(outcome)
    }
}

impl StdioSession {
    /// Reads until the answer to one of the requests comes. What the server asks meanwhile is answered.
    async fn await_answer(
        &mut self,
        process: &mut LineProcess,
        ids: &[u64],
    ) -> Result<Outcome, LineError> {
        loop {
            let line = process.read_line().await?;
            let message = Message::parse(&line).map_err(|problem| {
                let detail = format!(
                    "a line of the server is no message of MCP: {problem}: a server prints nothing \
                     else to stdout"
                );
                out_of_step(detail, &line)
            })?;
            match message {
                Message::Notification => {}
                Message::Request(id, method) => {
                    write_line(process, answer_to(&id, &method)).await?
                }
                Message::Answer(id, outcome) if ids.contains(&id) => return Ok(outcome),
                Message::Answer(id, _) if self.abandoned.contains(&id) => {}
                Message::Answer(..) => {
                    let detail = "the server answers a request that was not made";
                    return Err(out_of_step(detail.to_owned(), &line));
                }
            }
        }
    }

    fn abandon(&mut self, id: u64) {
        if self.abandoned.len() == MOST_ABANDONED {
            self.abandoned.remove(0);
        }
        self.abandoned.push(id);
    }
}

fn out_of_step(detail: String, line: &[u8]) -> LineError {
    let failure = Failure::new(FailureClass::Malformed, detail);
    LineError::Protocol(failure.with_salvaged(decision_in(line)))
}

async fn write_line(process: &mut LineProcess, mut bytes: Vec<u8>) -> Result<(), LineError> {
    bytes.push(b'\n');
    process.write(&bytes).await
}
