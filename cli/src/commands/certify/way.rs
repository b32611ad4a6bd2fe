//! The way of a step to a hook and back: the envelope of the agent, the conditions, the handler, its answer, and that of
//! the agent.

use std::sync::Arc;

use hookgate::certify::{Came, LoneHook, Way};
use hookgate::contract::VerdictDecision;
use hookgate::contract::dialect::{
    Dialect, HostEffect, HostStep, ScriptAgent, ScriptInput, ScriptOutput,
};
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

/// Sends each step as an agent would; without one, as it is written.
pub(super) struct AsAgent<'a>(pub(super) Option<&'a Agent>);

impl Way for AsAgent<'_> {
    async fn send(&self, hook: &LoneHook, step: &Map<String, Value>) -> Result<Came, String> {
        let Some(agent) = self.0 else { return hook.send(step).await };
        let (input, read) = agent.told(step)?;
        let mut came = hook.send(&read.envelope).await?;
        came.disobeyed = agent.disobeys(&input, &read, hook.engine(), &came.report);
        Ok(came)
    }
}
