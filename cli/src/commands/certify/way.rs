//! The way of a step to a hook and back: the envelope of the agent, the conditions, the handler, its answer, and that of
//! the agent.

use std::sync::Arc;

use hookgate::contract::VerdictDecision;
use hookgate::contract::dialect::{
    Dialect, HostEffect, HostStep, ScriptAgent, ScriptInput, ScriptOutput,
};
use hookgate::decision::Vote;
use hookgate::envelope::Incoming;
use hookgate::{Engine, Outcome, Report};
use serde_json::{Map, Value};

use crate::abort::Abort;
use crate::agents::dialect_of;
use crate::commands::hook::answer::answer;

/// An agent that sends the steps.
pub(super) struct Agent {
    pub(super) dialect: Arc<dyn Dialect>,
    writer: ScriptAgent,
}

impl Agent {
    /// Finds an agent.
    ///
    /// # Errors
    /// There is none of this name.
    pub(super) fn find(name: &str) -> Result<Self, Abort> {
        let dialect = dialect_of(name)?;
        let writer = ScriptAgent::new(Arc::clone(&dialect), &hookgate_dialects::every());
        Ok(Self { dialect, writer })
    }

    /// Returns a step as the agent sends it, and as it is read.
    fn told(&self, step: &Map<String, Value>) -> Result<(ScriptInput, HostStep), String> {
        let input = self.writer.input(step).map_err(|error| error.to_string())?;
        let Value::Object(native) = input.envelope.clone() else {
            return Err(format!("the envelope of {} is no object", self.dialect.title()));
        };
        let read = self.dialect.read(Some(&input.event), native);
        let read = read.map_err(|error| error.to_string())?;
        Ok((input, read))
    }

    /// Says why the agent would not do what was decided; `None` if it would.
    fn disobeys(
        &self,
        input: &ScriptInput,
        step: &HostStep,
        engine: &Engine,
        report: &Report,
    ) -> Option<String> {
        if report.decision == Outcome::Allow && report.patched.is_empty() {
            return None;
        }
        let answer = answer(&*self.dialect, step, report, &engine.table());
        let output =
            ScriptOutput::new(answer.exit.into(), answer.stdout.as_bytes(), &answer.stderr);
        let obeys = self.dialect.reply(input, &output).is_ok_and(|verdict| {
            verdict.parts().is_some_and(|parts| {
                use VerdictDecision::{Ask, Deny, Halt};
                matches!(parts.decision, Some(Ask | Deny | Halt))
                    || !parts.patch.is_empty()
                    || parts.answer.is_some()
            })
        });
        let lost = answer.losses.first().map(|loss| loss.instead.clone());
        let lost = lost.unwrap_or_else(|| "it goes on as if nothing was said".to_owned());
        let can = !step.event.effects.iter().all(|effect| {
            matches!(effect, HostEffect::Allow | HostEffect::Context | HostEffect::Message)
        });
        (!(obeys && can))
            .then(|| format!("{} at `{}`: {lost}", self.dialect.title(), step.event.name))
    }
}

/// What came of a step.
pub(super) struct Came {
    pub(super) report: Report,
    /// The vote of the hook, if it was called.
    pub(super) vote: Option<Vote>,
    /// Why the agent would not do what was decided.
    pub(super) disobeyed: Option<String>,
}

/// Sends a step to the hook of an engine that has no other one which answers.
///
/// # Errors
/// Why there is no such step.
pub(super) async fn send(
    engine: &Engine,
    hook: &str,
    step: &Map<String, Value>,
    agent: Option<&Agent>,
) -> Result<Came, String> {
    let told = agent.map(|agent| agent.told(step)).transpose()?;
    let envelope = told.as_ref().map_or(step, |(_, read)| &read.envelope);
    let mut incoming =
        Incoming::from_object(envelope.clone()).map_err(|error| error.to_string())?;
    let report = engine.evaluate(&mut incoming).await;
    let vote = report.votes.iter().find(|vote| vote.hook == *hook).cloned();
    let disobeyed = agent
        .zip(told.as_ref())
        .and_then(|(agent, (input, read))| agent.disobeys(input, read, engine, &report));
    Ok(Came { report, vote, disobeyed })
}
