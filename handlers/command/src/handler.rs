//! Plain mode: a program that is started for each step.
//!
//! 1. The envelope is serialised, once for all hooks of a dispatch; for a program that was written for
//!    another agent it is that agent's (`script`).
//! 2. The program is started in the folder of the session, after its pins were checked.
//! 3. It is fed, read, and awaited (`run_to_completion`).
//! 4. Its exit and its output become a reply (`reply`).
//! 5. Secrets that it was given are hidden in all texts of the reply, and only then the reason is cut:
//!    a piece of a secret could not be recognised.

use std::path::Path;

use hookgate_contract::dialect::ScriptAgent;
use hookgate_contract::{
    AsyncHandler, Invocation, Reply, ReplyFuture, Resource, Verdict, VerdictDecision,
};
use hookgate_secrets::Secrets;

use crate::call_log::log_exit;
use crate::reply;
use crate::run::{Spawner, check_runtime, run_to_completion};
use crate::script::Script;
use crate::settings::ReplyFormat;

/// The note of a vote whose program could not run in the folder of the session.
const RAN_IN_CONFIG_FOLDER: &str = "ran in the config's folder: the session's cwd does not exist";

/// A handler that starts a program for each step.
///
/// It holds no state between two steps, so any number of them may run at the same time.
pub(crate) struct CommandHandler {
    pub(crate) spawner: Spawner,
    pub(crate) format: ReplyFormat,
    /// The agent that the program was written for, if it is not hookgate.
    pub(crate) agent: Option<ScriptAgent>,
    /// How many bytes stdout may have.
    pub(crate) max_output: usize,
}

impl AsyncHandler for CommandHandler {
    fn handle<'a>(&'a self, invocation: Invocation<'a>) -> ReplyFuture<'a> {
        Box::pin(async move {
            let secrets = self.spawner.environment.secrets(invocation.context().env);
            match self.run(invocation, &secrets).await {
                Ok(verdict) => Ok(reply::cut_reason(verdict.map_texts(|text| secrets.hide(text)))),
                Err(failure) => Err(failure.map_detail(|text| secrets.hide(text))),
            }
        })
    }
}

impl CommandHandler {
    /// Runs the program once. Secrets in the reply are not hidden yet.
    async fn run(&self, invocation: Invocation<'_>, secrets: &Secrets) -> Reply {
        let script = match &self.agent {
            Some(agent) => Some(Script::new(agent, &invocation)?),
            None => None,
        };
        let envelope = match &script {
            Some(script) => script.bytes(),
            None => invocation.envelope.bytes()?,
        };
        check_runtime()?;
        let cwd = invocation.context().cwd.map(Path::new);
        let found = cwd.filter(|cwd| cwd.is_dir());
        let folder = found.unwrap_or(&self.spawner.base);
        // Until the program has ended, and its pipes are closed.
        let _place = invocation.place(Resource::Process).await?;
        let started = self.spawner.spawn_with_files(invocation, folder, |command| {
            self.spawner.environment.apply_step(command, &invocation);
            if let Some(script) = &script {
                self.spawner.environment.apply_script(command, script.variables());
            }
        });
        let mut program = started.await?;
        let compared = std::mem::take(&mut program.compared);
        let format = self.format.stdout;
        let completed =
            run_to_completion(program, envelope, (invocation, secrets), format, self.max_output)
                .await?;
        log_exit(invocation.hook, completed.exit);
        let reply = match &script {
            Some(script) => script.read_reply(&completed, secrets),
            None => reply::read_reply(&completed, self.format, &invocation, secrets),
        };
        // A refusal counts, whoever says it.
        if !reply.as_ref().is_ok_and(refuses) {
            self.spawner.is_still(&compared)?;
        }
        if cwd.is_some() && found.is_none() {
            return reply.map(|verdict| verdict.note(RAN_IN_CONFIG_FOLDER));
        }
        reply
    }
}

/// Tells whether a verdict refuses the step.
fn refuses(verdict: &Verdict) -> bool {
    let decision = verdict.parts().and_then(|parts| parts.decision);
    decision.is_some_and(|decision| decision >= VerdictDecision::Deny)
}
