//! One hook, alone and enforced, and what comes of a step that is sent to it.

use std::future::Future;
use std::path::Path;

use hookgate_contract::{Mode, Role, Truth};
use serde_json::{Map, Value};

use super::ADD_CANARIES;
use super::came::{Came, note};
use super::fault::fault;
use super::proof::{Fault, NEVER_CALLED, Sent};
use crate::clock;
use crate::decision::Outcome;
use crate::engine::Engine;
use crate::envelope::Incoming;
use crate::table::{Canary, ExplainedCondition, HandlerTable, HookSpec};

/// A hook that is alone in an engine of its own, so that no other one does its work, and nothing that is sent to it is
/// a step of a session.
#[derive(Debug)]
pub struct LoneHook {
    hook: HookSpec,
    engine: Engine,
    /// How the names of its sessions begin: of each trial they are others, so that nothing is counted from one to the
    /// next.
    session: String,
}

/// How a step comes to a hook.
pub trait Way: Sync {
    /// Sends a step.
    ///
    /// # Errors
    /// Why there is no such step.
    fn send(
        &self,
        hook: &LoneHook,
        step: &Map<String, Value>,
    ) -> impl Future<Output = Result<Came, String>> + Send;
}

/// Sends each step as it is written.
#[derive(Debug, Clone, Copy)]
pub struct Direct;

impl Way for Direct {
    async fn send(&self, hook: &LoneHook, step: &Map<String, Value>) -> Result<Came, String> {
        hook.send(step).await
    }
}

impl LoneHook {
    /// Takes a hook out of a table.
    ///
    /// # Errors
    /// It makes no table alone.
    pub fn new(table: &HandlerTable, hook: &HookSpec) -> Result<Self, Fault> {
        let enforced = hook.clone().unordered().with_mode(Mode::Enforce);
        let alone = table.alone(enforced);
        let alone = alone.map_err(|errors| Fault::dead("no_table", errors.to_string()))?;
        let session = format!("canary-{}-{}", hook.id(), clock::step_id());
        Ok(Self { hook: hook.clone(), engine: Engine::new(alone), session })
    }

    /// Returns the hook as it was declared.
    #[must_use]
    pub const fn hook(&self) -> &HookSpec {
        &self.hook
    }

    /// Returns the engine.
    #[must_use]
    pub const fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns a step in a session of its own, in a folder if it names none.
    #[must_use]
    pub fn in_session(
        &self,
        step: &Map<String, Value>,
        number: usize,
        folder: &Path,
    ) -> Map<String, Value> {
        let mut step = step.clone();
        step.insert("session_id".to_owned(), format!("{}-{number}", self.session).into());
        step.entry("cwd").or_insert_with(|| folder.display().to_string().into());
        step
    }

    /// Sends an envelope to the hook.
    ///
    /// # Errors
    /// Why it is none.
    pub async fn send(&self, step: &Map<String, Value>) -> Result<Came, String> {
        let read = || Incoming::from_object(step.clone()).map_err(|error| error.to_string());
        let mut incoming = read()?;
        let report = self.engine.evaluate(&mut incoming).await;
        let vote = report.votes.iter().find(|vote| vote.hook == *self.hook.id()).cloned();
        let may_be_called_elsewhere = match &vote {
            Some(_) => false,
            None => self.may_be_called_elsewhere(&mut read()?),
        };
        Ok(Came { report, vote, may_be_called_elsewhere, disobeyed: None })
    }

    /// Sends the steps that are written for the hook, and notes them.
    ///
    /// # Errors
    /// Why it is not proved.
    pub async fn prove(
        &self,
        way: &impl Way,
        folder: &Path,
        sent: &mut Vec<Sent>,
    ) -> Result<(), Fault> {
        let hook = &self.hook;
        let (mut why, mut unsent): (Option<Fault>, _) = (None, None);
        for canary in hook.canaries() {
            let step = self.in_session(&canary.step, sent.len(), folder);
            let came = way.send(self, &step).await;
            sent.push(note(&step, false, Some(canary.decision), came.as_ref().ok()));
            match came {
                // That it is not even called says more than what it answers.
                Ok(came) => match fault(hook, canary, &came) {
                    Some(found) if why.is_none() || found.how == NEVER_CALLED => why = Some(found),
                    _ => {}
                },
                Err(error) => unsent = unsent.or(Some(error)),
            }
        }
        if let Some(why) = why {
            return Err(why);
        }
        if let Some(error) = unsent {
            return Err(Fault::untested("not_sent", error));
        }
        if only_outcome(hook).is_none() && hook.canaries().iter().all(Canary::stops) {
            let detail = "it stops what it must, but may stop everything: add a canary with `decision = \"allow\"`";
            return Err(Fault::untested("no_pass", detail));
        }
        match self.event_without_canary() {
            Some(event) => {
                let detail =
                    format!("nobody has said what it must stop at `{event}`: {ADD_CANARIES}");
                Err(Fault::untested("no_canary", detail))
            }
            None => Ok(()),
        }
    }

    /// Returns an event at which the hook decides, and for which there is no step that it must stop. A builtin that always
    /// answers the same does so at all of them.
    fn event_without_canary(&self) -> Option<String> {
        if only_outcome(&self.hook).is_some() {
            return None;
        }
        let table = self.engine.table();
        let mut at = table
            .listing()
            .filter(|listed| *listed.id() == *self.hook.id() && listed.role() != Role::Observe);
        let is_tested = |event: &str| {
            self.hook.canaries().iter().any(|canary| canary.stops() && canary.event() == event)
        };
        at.find(|listed| !is_tested(listed.event)).map(|listed| listed.event.to_owned())
    }

    /// Whether only conditions on the time and the place keep the hook from being called about a step.
    fn may_be_called_elsewhere(&self, incoming: &mut Incoming) -> bool {
        let conditions = self.hook.matcher().all_registered();
        let mut keys = Vec::new();
        for (built, _) in conditions {
            if built.condition().depends_on_surroundings() {
                keys.push(built.key());
            }
        }
        if keys.is_empty() {
            return false;
        }
        let Incoming { header, payload, .. } = incoming;
        let explained = self.engine.table().explain(payload.as_payload_mut(), &header.context());
        let own = explained.into_iter().find(|hook| hook.hook == *self.hook.id());
        own.is_some_and(|hook| hook.conditions.iter().all(|one| may_hold(one, &keys)))
    }
}

/// Whether a condition holds, or may hold elsewhere because of one of these keys.
fn may_hold(condition: &ExplainedCondition, keys: &[&str]) -> bool {
    condition.truth != Truth::False
        || keys.contains(&condition.key)
        || match condition.key {
            "any" => condition
                .parts
                .iter()
                .any(|table| table.parts.iter().all(|one| may_hold(one, keys))),
            "not" => condition.parts.iter().any(|one| keys.contains(&one.key)),
            _ => false,
        }
}

/// Returns what comes of every step that a hook is called about, if it is a builtin that always answers the same.
#[must_use]
pub fn only_outcome(hook: &HookSpec) -> Option<Outcome> {
    let settings = hook.settings();
    match (hook.kind(), settings.get("name").unwrap_or(settings).as_str()?) {
        ("builtin", "deny") => Some(Outcome::Deny),
        ("builtin", "ask") => Some(Outcome::Ask),
        ("builtin", "answer") => Some(Outcome::Answered),
        _ => None,
    }
}
