//! A program that was written for another agent: it gets that agent's envelope and variables, and answers
//! in its form.

use hookgate_contract::dialect::{ScriptAgent, ScriptCall, ScriptOutput};
use hookgate_contract::{Failure, Invocation, Reply};
use hookgate_secrets::Secrets;

use crate::exit_failure::exit_failure;
use crate::reply::held_stdout;
use crate::run::{Completed, ProgramExit, shim_failure};

/// One run of such a program.
pub(crate) struct Script<'a> {
    call: ScriptCall<'a>,
    bytes: Vec<u8>,
}

impl<'a> Script<'a> {
    /// Prepares the run for a step.
    ///
    /// # Errors
    /// If the agent has no such event, or the envelope cannot be made.
    pub(crate) fn new(
        agent: &'a ScriptAgent,
        invocation: &Invocation<'_>,
    ) -> Result<Self, Failure> {
        let call = agent.call(invocation)?;
        let bytes = call.bytes();
        Ok(Self { call, bytes })
    }

    /// Returns what goes to stdin.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the variables that the agent sets.
    pub(crate) fn variables(&self) -> &[(String, String)] {
        &self.call.input().variables
    }

    /// Reads the reply of a program that has ended.
    ///
    /// # Errors
    /// If it has failed, or has answered in a form that its agent does not obey.
    pub(crate) fn read_reply(&self, completed: &Completed, secrets: &Secrets) -> Reply {
        let stdout = completed.stdout.bytes();
        let salvaged = completed.stdout.salvage();
        // Before anything is cut: a piece of a secret could not be recognised.
        let stderr = secrets.hide(&completed.stderr.lossy_text());
        let status = match completed.exit {
            ProgramExit::Status(status) => status,
            exit => {
                let failure = exit_failure("the program", exit, &stderr, secrets);
                return Err(failure.with_salvaged(salvaged));
            }
        };
        if let Some(failure) = shim_failure(status, &stderr) {
            return Err(failure);
        }
        let reply = self.call.reply(&ScriptOutput::new(status, stdout, &stderr));
        let is_silent = stdout.iter().all(u8::is_ascii_whitespace);
        if completed.is_stdout_held && status != 2 && (is_silent || reply.is_err()) {
            return Err(held_stdout(salvaged));
        }
        reply
    }
}
