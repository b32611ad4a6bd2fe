//! Whether one hook works: with what the command line knows of projects, of agents, and of steps that are made up.

use std::path::Path;

use hookgate::certify::{
    ADD_CANARIES, Fault, LoneHook, Proof, Sent, Way as _, fault, note, only_outcome, why_not_sent,
};
use hookgate::config::{ConfigError, ConfigProblem};
use hookgate::table::Canary;
use hookgate::{FailureClass, HandlerTable, HookSpec, Outcome};

use super::made_up::{other_step, steps};
use super::way::{Agent, AsAgent};
use crate::hook_standing::Standing;
use crate::kinds::manifests;
use crate::unreached::{Reach, begins_later};

/// What hooks are proved with.
pub(super) struct Prover<'a> {
    pub(super) table: &'a HandlerTable,
    pub(super) standing: &'a Standing,
    pub(super) agent: Option<&'a Agent>,
    /// The folder of the made-up session.
    pub(super) folder: &'a Path,
    /// What the config is warned of.
    pub(super) warnings: &'a [ConfigError],
}

impl Prover<'_> {
    /// Sends the canaries of a hook to it.
    pub(super) async fn prove(&self, hook: &HookSpec) -> Proof {
        let mut sent = Vec::new();
        let fault = match self.why_not_sent(hook) {
            Some(fault) => Some(fault),
            None => self.send_all(hook, &mut sent).await.err(),
        };
        Proof::new(hook, sent, fault)
    }

    /// Says why nothing is sent to a hook.
    fn why_not_sent(&self, hook: &HookSpec) -> Option<Fault> {
        if let Some(fault) = why_not_sent(hook) {
            return Some(fault);
        }
        if let Some(why) = self.standing.why_refused(hook) {
            return Some(Fault::untested("not_trusted", why));
        }
        if let Some(begin) = begins_later(hook) {
            return Some(Fault::untested("later", format!("it is called from {begin} on")));
        }
        let dialect = &*self.agent?.dialect;
        let manifests = manifests(self.table);
        let reach = Reach { dialect, manifests: &manifests, called_at: None };
        reach.why_never(hook).map(|why| Fault::dead("never_called", why))
    }

    async fn send_all(&self, hook: &HookSpec, sent: &mut Vec<Sent>) -> Result<(), Fault> {
        let lone = LoneHook::new(self.table, hook)?;
        let way = AsAgent(self.agent);
        if hook.canaries().is_empty() {
            self.send_made_up(&lone, &way, sent).await
        } else {
            lone.prove(&way, self.folder, sent).await
        }
    }

    /// Returns what the config is warned of where this hook is written.
    fn warning_about(&self, hook: &HookSpec) -> Option<String> {
        let is_about = |warning: &&ConfigError| {
            let before = self.table.specs().map(|other| (other.origin(), other.id()));
            let before = before.filter(|(origin, _)| {
                origin.file_name() == Some(warning.file())
                    && origin.line().is_some_and(|line| line <= warning.line())
            });
            let last = before.max_by_key(|(origin, _)| origin.line());
            last.is_some_and(|(_, id)| id == hook.id())
        };
        // That another hook comes before it is about the two of them, and here it is alone.
        let is_of_itself =
            |warning: &&ConfigError| !matches!(warning.problem(), ConfigProblem::Shadowed { .. });
        self.warnings.iter().filter(is_of_itself).find(is_about).map(ConfigError::message)
    }

    async fn send_made_up(
        &self,
        lone: &LoneHook,
        way: &AsAgent<'_>,
        sent: &mut Vec<Sent>,
    ) -> Result<(), Fault> {
        let hook = lone.hook();
        let expected = only_outcome(hook);
        let mut called = None;
        for step in steps(hook, self.folder) {
            let step = lone.in_session(&step, 0, self.folder);
            let Ok(came) = way.send(lone, &step).await else { continue };
            // Whether it is called about a step that nobody meant may be unclear.
            let failure = came.vote.as_ref().map(|vote| vote.failure);
            if failure.is_some_and(|failure| failure != Some(FailureClass::Unclear)) {
                called = Some((step, came));
                break;
            }
        }
        let Some((step, came)) = called else {
            let none = "no step was found that it is called about";
            return Err(Fault::untested("no_canary", format!("{none}: {ADD_CANARIES}")));
        };
        sent.push(note(&step, true, expected, Some(&came)));
        let canary = Canary::new(step, expected.unwrap_or(came.report.decision));
        if let Some(why) = fault(hook, &canary, &came) {
            return Err(why);
        }
        if expected.is_none() {
            let answers = "it answers, but what it must stop is not said";
            return Err(Fault::untested("no_canary", format!("{answers}: {ADD_CANARIES}")));
        }
        // A step that is made up from a condition meets it, also if that has a typing error.
        if let Some(warning) = self.warning_about(hook) {
            return Err(Fault::untested("warned", format!("{warning}: {ADD_CANARIES}")));
        }
        let Some(step) = other_step(hook, self.folder) else { return Ok(()) };
        let step = lone.in_session(&step, 1, self.folder);
        // An agent may have no such call.
        let Ok(came) = way.send(lone, &step).await else { return Ok(()) };
        sent.push(note(&step, true, Some(Outcome::Allow), Some(&came)));
        fault(hook, &Canary::new(step, Outcome::Allow), &came).map_or(Ok(()), Err)
    }
}
