//! The hook that is measured: alone in a table, called or replayed.
//!
//! The step goes through a real engine, so that everything that happens in production happens here:
//! conditions, deadlines, the check of the verdict against the contract, and the posture that a
//! failure counts as. Other hooks would mix their decisions into the outcome, so the hook is taken
//! out of its table. Its order (`after`, `before`) is dropped with them, and its mode becomes
//! `enforce`, because a hook in shadow decides nothing.
//!
//! A replay differs only in the handler, which a layer replaces by the recorded replies. What a
//! failure counts as is decided anew, by the posture that the hook has now.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hookgate::contract::VerdictDecision;
use hookgate::decision::Vote;
use hookgate::{Engine, HandlerTable, HookSpec, Mode, Role};
use serde_json::Value;

use crate::eval::error::EvalError;
use crate::eval::metering::{CallNotes, Meter};
use crate::eval::recorded_reply::RecordedReply;
use crate::eval::recording::{Recording, replay_id};
use crate::eval::sample::Sample;
use crate::eval::trial::Trial;

/// A hook, alone in the table of an engine and enforced.
#[derive(Debug)]
pub(crate) struct HookUnderTest {
    engine: Engine,
    hook: String,
    rule: String,
    meter: Meter,
    recording: Option<Arc<Recording>>,
}

impl HookUnderTest {
    /// Takes a hook out of a table. It is called, or replayed if there is a recording.
    pub(crate) fn new(
        table: &HandlerTable,
        hook: &str,
        meter: Meter,
        recording: Option<Arc<Recording>>,
    ) -> Result<Self, EvalError> {
        let spec = find_decider(table, hook)?.unordered().with_mode(Mode::Enforce);
        let rule = rule_of(&spec);
        let spec = match &recording {
            Some(recording) => spec.watch_handler(Arc::clone(recording).replay_layer()),
            None => spec.watch_handler(meter.clone().into_layer()),
        };
        let alone = HandlerTable::builder()
            .limits(table.limits().clone())
            .insert(spec)
            .build()
            .map_err(|errors| EvalError::Table { hook: hook.to_owned(), errors })?;
        Ok(Self { engine: Engine::new(alone), hook: hook.to_owned(), rule, meter, recording })
    }

    /// Returns the hash of the table that holds the hook alone.
    pub(crate) fn config_hash(&self) -> String {
        self.engine.table().config_hash().to_string()
    }

    /// Returns what the hook goes by: the rule of a judge, or the settings of another handler as JSON.
    pub(crate) fn rule(&self) -> &str {
        &self.rule
    }

    /// Evaluates a sample.
    pub(crate) async fn evaluate(&self, sample: &Sample, repeat: u32) -> Result<Trial, EvalError> {
        let step = match &self.recording {
            Some(recording) => recording.replay_id(sample, repeat),
            None => replay_id(sample.key(), repeat),
        };
        let mut incoming = sample
            .incoming(step.clone())
            .ok_or_else(|| EvalError::Internal("a step cannot be read any more".to_owned()))?;
        let started = Instant::now();
        let report = self.engine.evaluate(&mut incoming).await;
        let elapsed = started.elapsed();
        let vote = report.votes.iter().rev().find(|vote| vote.hook == self.hook);
        let recorded = self.recording.as_ref().and_then(|all| all.reply_to(sample, repeat));
        let reply = match recorded {
            Some(recorded) if recorded.invoked != vote.is_some() => {
                let (hook, step) = (self.hook.clone(), sample.summary());
                return Err(EvalError::ConditionsChanged { hook, step });
            }
            Some(recorded) => recorded.clone(),
            None => {
                let reply = RecordedReply::new(sample.key(), repeat);
                record(reply, vote, self.meter.take(&step), elapsed)
            }
        };
        Ok(Trial { outcome: report.decision, reply })
    }
}

/// Fills in what the vote and the notes of a call say.
///
/// The vote knows whether the hook was invoked, how long it took and how it failed in the eyes of the
/// engine; the notes know what the handler itself replied, also if the engine refused it.
fn record(
    reply: RecordedReply,
    vote: Option<&Vote>,
    notes: CallNotes,
    elapsed: Duration,
) -> RecordedReply {
    let elapsed = elapsed.as_micros().try_into().unwrap_or(u64::MAX);
    let mut reply = RecordedReply {
        invoked: vote.is_some(),
        failure: vote.and_then(|vote| vote.failure),
        latency_us: vote.and_then(|vote| vote.duration_us).unwrap_or(elapsed),
        usage: notes.usage,
        ..reply
    };
    match notes.reply {
        Some(Ok(verdict)) => {
            reply.decision = verdict.parts().and_then(|parts| parts.decision);
            reply.reason = verdict.into_parts().and_then(|parts| parts.reason).or(notes.allowed);
            if reply.failure.is_some() {
                // The engine has refused the verdict; a decision in it still counts.
                let strict = |decision: &VerdictDecision| *decision > VerdictDecision::Allow;
                reply.salvaged = reply.decision.take().filter(strict);
            }
        }
        Some(Err(failure)) => reply.salvaged = failure.salvaged,
        None => {}
    }
    reply
}

fn rule_of(hook: &HookSpec) -> String {
    let setting = |key| hook.settings().get(key).and_then(Value::as_str);
    if let Some(rule) = setting("prompt") {
        return rule.to_owned();
    }
    if let Some(file) = setting("prompt_file") {
        let is_meant = |path: &&PathBuf| path.ends_with(file.trim_start_matches("./"));
        let read = hook.sources().iter().find(is_meant).map(std::fs::read_to_string);
        // It was read a moment ago, when the table was built.
        return read.and_then(Result::ok).unwrap_or_else(|| file.to_owned());
    }
    match hook.settings() {
        Value::Null => String::new(),
        settings => format!("{settings:#}"),
    }
}

/// Finds a hook that decides.
fn find_decider(table: &HandlerTable, hook: &str) -> Result<HookSpec, EvalError> {
    let Some(spec) = table.specs().find(|spec| spec.id() == hook) else {
        let known = table.specs().map(|spec| spec.id().to_string()).collect();
        return Err(EvalError::UnknownHook { hook: hook.to_owned(), known });
    };
    let mut listed = table.listing().filter(|listed| listed.id() == hook);
    if spec.is_background() || listed.any(|listed| listed.role() == Role::Observe) {
        return Err(EvalError::DecidesNothing { hook: hook.to_owned() });
    }
    Ok(spec.clone())
}
