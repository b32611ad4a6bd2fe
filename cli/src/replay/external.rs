//! What stands in for programs, services and models while recorded steps are judged: they may do something in the
//! world, so they are not called.
//!
//! A hook answers as it did when the step was recorded, if it is the same hook and is called about the same step, and
//! nothing was rewritten. Else it says nothing, and what it would say is unknown.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hookgate::contract::{Reply, VerdictDecision};
use hookgate::decision::{Vote, VoteOutcome};
use hookgate::layer::around;
use hookgate::{ConfigHash, Failure, FailureClass, HookId, HookSpec, Invocation, Verdict};
use serde_json::{Map, Value};

use super::recorded::{RecordedStep, Was};

/// What the engine puts into an envelope itself.
const OF_ENGINE: &[&str] = &["generation", "step_id"];

/// How hooks answer that are programs, services or models.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Programs, services and models")]
pub(crate) struct ExternalArgs {
    /// Call them (those with `pure = true` are called anyway), and look at the branch that is checked out now
    #[arg(long)]
    pub(crate) live: bool,
    /// Let this hook always answer the same: none, allow, ask, deny, halt, or how it fails, such as timeout
    #[arg(long, value_name = "ID=ANSWER")]
    pub(crate) stub: Vec<Stub>,
}

/// An answer that is given for a hook.
#[derive(Debug, Clone)]
pub(crate) struct Stub {
    pub(crate) hook: String,
    reply: Reply,
}

impl FromStr for Stub {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const REASON: &str = "the command line says so";
        let expected = || {
            let classes: Vec<&str> = FailureClass::ALL.iter().map(|class| class.name()).collect();
            format!("write ID=none, allow, ask, deny, halt, or one of {}", classes.join(", "))
        };
        let (hook, answer) = text.split_once('=').ok_or_else(expected)?;
        let failed = FailureClass::ALL.into_iter().find(|class| class.name() == answer);
        let reply = match answer {
            "none" => Ok(Verdict::none()),
            "allow" => Ok(Verdict::allow()),
            "ask" => Ok(Verdict::ask(REASON)),
            "deny" => Ok(Verdict::deny(REASON)),
            "halt" => Ok(Verdict::halt(REASON)),
            _ => Err(Failure::new(failed.ok_or_else(expected)?, REASON)),
        };
        Ok(Self { hook: hook.to_owned(), reply })
    }
}

/// What the stand-ins of a table know of the step that is judged.
#[derive(Debug, Default)]
pub(super) struct Recordings {
    step: Mutex<Current>,
}

#[derive(Debug, Default)]
struct Current {
    envelope: Map<String, Value>,
    /// The votes that hooks can give again, with what they did.
    votes: BTreeMap<String, (Vote, ConfigHash)>,
    /// The answers that were given for this step.
    given: BTreeMap<String, Reply>,
    /// The hooks of which nobody knows what they would say.
    unknown: Vec<HookId>,
}

impl Recordings {
    fn current(&self) -> MutexGuard<'_, Current> {
        self.step.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a step.
    pub(super) fn begin(&self, step: &RecordedStep) {
        let votes = step.was.as_ref().map(votes).unwrap_or_default();
        // Who has nothing to say again needs no step to compare with.
        let envelope = if votes.is_empty() { Map::new() } else { step.envelope.clone() };
        let given = step.given.clone();
        *self.current() = Current { envelope, votes, given, unknown: Vec::new() };
    }

    /// Ends a step, and returns the hooks of which nobody knows what they would say.
    pub(super) fn end(&self) -> Vec<HookId> {
        std::mem::take(&mut *self.current()).unknown
    }

    fn answer(&self, hook: &HookId, definition: ConfigHash, call: &Invocation<'_>) -> Reply {
        let mut current = self.current();
        if let Some(reply) = current.given.get(hook.as_str()) {
            return reply.clone();
        }
        let recorded = current.votes.get(hook.as_str()).filter(|(_, then)| *then == definition);
        if let Some((vote, _)) = recorded
            && is_about(call, &current.envelope)
        {
            return reply(vote);
        }
        if !current.unknown.contains(hook) {
            current.unknown.push(hook.clone());
        }
        Ok(Verdict::none())
    }
}

/// Returns the votes of a record that can be given again, each with what its hook did: those about the step as it came.
fn votes(was: &Was) -> BTreeMap<String, (Vote, ConfigHash)> {
    let (Some(definitions), []) = (&was.definitions, was.report.patched.as_slice()) else {
        return BTreeMap::new();
    };
    let is_answer = |vote: &&Vote| {
        use VoteOutcome::{Abstained, Failed, Observed, Verdict, Would};
        let said = matches!(vote.outcome, Verdict | Abstained | Failed | Observed | Would);
        said && vote.layers == 0 && vote.round == 1 && !vote.rewrote
    };
    let votes = was.report.votes.iter().filter(is_answer);
    let votes = votes.filter_map(|vote| {
        let definition = *definitions.get(vote.hook.as_str())?;
        Some((vote.hook.to_string(), (vote.clone(), definition)))
    });
    votes.collect()
}

/// Whether a hook is called about the recorded step, and not about what a rewriter has made of it.
fn is_about(call: &Invocation<'_>, recorded: &Map<String, Value>) -> bool {
    let Ok(Value::Object(now)) = call.json() else { return false };
    let of_step = |key: &String| !OF_ENGINE.contains(&key.as_str());
    let same = |(key, value): (&String, &Value)| now.get(key) == Some(value);
    recorded.iter().filter(|(key, _)| of_step(key)).all(same)
}

/// Returns what a hook answered.
fn reply(vote: &Vote) -> Reply {
    if let Some(class) = vote.failure {
        return Err(Failure::new(class, vote.detail.clone().unwrap_or_default()));
    }
    let reason = || vote.reason.clone().unwrap_or_default();
    Ok(match vote.decision {
        None => Verdict::none(),
        Some(VerdictDecision::Allow) => Verdict::allow(),
        Some(VerdictDecision::Ask) => Verdict::ask(reason()),
        Some(VerdictDecision::Deny) => Verdict::deny(reason()),
        Some(VerdictDecision::Halt) => Verdict::halt(reason()),
    })
}

/// Returns the hook with what stands in for its handler.
pub(super) fn stand_in(hook: &HookSpec, recordings: &Arc<Recordings>) -> HookSpec {
    let (id, definition) = (hook.id().clone(), hook.definition_hash());
    let recordings = Arc::clone(recordings);
    with_reply(hook, move |call| recordings.answer(&id, definition, call))
}

/// Returns the hook with an answer that is given for it.
pub(super) fn stubbed(hook: &HookSpec, stub: &Stub) -> HookSpec {
    let reply = stub.reply.clone();
    with_reply(hook, move |_| reply.clone())
}

/// A handler that waits is replaced by one that could: its hook may have a deadline.
fn with_reply(
    hook: &HookSpec,
    reply: impl Fn(&Invocation<'_>) -> Reply + Send + Sync + 'static,
) -> HookSpec {
    let reply = Arc::new(reply);
    hook.clone().watch_handler(around(move |_, call| {
        let reply = reply(&call);
        Box::pin(std::future::ready(reply))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stub_is_an_answer_or_a_failure() {
        let reply = |text: &str| text.parse::<Stub>().map(|stub| stub.reply);
        assert_eq!(reply("judge=none").unwrap(), Ok(Verdict::none()));
        assert_eq!(reply("judge=timeout").unwrap().unwrap_err().class, FailureClass::Timeout);
        assert!(reply("judge").unwrap_err().contains("ID=none"));
        assert!(reply("judge=maybe").unwrap_err().contains("timeout"));
    }
}
