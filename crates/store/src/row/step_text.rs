//! What is chained of the record of a step: the record without what lies in the body.
//!
//! It is written from the record itself, since a record of each step is written: a JSON value of it would be made and
//! dropped for nothing. A test compares the fields with those that a record has.

use hookgate::decision::{Outcome, Vote, VoteOutcome};
use hookgate::recorder::{DispatchEnd, Record};
use hookgate::{ConfigHash, FailureClass, Generation, HookId, Mode, Report};
use hookgate_contract::{ReasonCode, VerdictDecision};
use serde::Serialize;

/// The kind of such an entry.
pub(super) const KIND: &str = "step";

#[derive(Serialize)]
pub(super) struct StepText<'r> {
    kind: &'static str,
    time: u64,
    end: DispatchEnd,
    turn: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_use_id: Option<&'r str>,
    report: ReportText<'r>,
}

#[derive(Serialize)]
struct ReportText<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    step_id: Option<&'r str>,
    event: Option<&'r str>,
    session_id: &'r str,
    generation: Generation,
    #[serde(skip_serializing_if = "Option::is_none")]
    config_hash: Option<ConfigHash>,
    decision: Outcome,
    by: &'r [HookId],
    reason_code: Option<ReasonCode>,
    patched: &'r [String],
    votes: Vec<VoteText<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_us: Option<u64>,
}

#[derive(Serialize)]
struct VoteText<'r> {
    hook: &'r str,
    kind: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    layers: Option<u32>,
    mode: Mode,
    round: u8,
    outcome: VoteOutcome,
    decision: Option<VerdictDecision>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rewrote: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    added_context: bool,
    failure: Option<FailureClass>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    failed_attempts: &'r [FailureClass],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    fallback: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    waited_us: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_us: Option<u64>,
}

impl<'r> StepText<'r> {
    pub(super) fn of(record: &'r Record) -> Self {
        Self {
            kind: KIND,
            time: record.time,
            end: record.end,
            turn: record.turn,
            agent_id: record.agent_id.as_deref(),
            tool_name: record.tool_name.as_deref(),
            tool_use_id: record.tool_use_id.as_deref(),
            report: ReportText::of(&record.report),
        }
    }
}

impl<'r> ReportText<'r> {
    fn of(report: &'r Report) -> Self {
        Self {
            step_id: report.step_id.as_deref(),
            event: report.event.as_deref(),
            session_id: &report.session_id,
            generation: report.generation,
            config_hash: report.config_hash,
            decision: report.decision,
            by: &report.by,
            reason_code: report.reason_code,
            patched: &report.patched,
            votes: report.votes.iter().map(VoteText::of).collect(),
            duration_us: report.duration_us,
        }
    }
}

impl<'r> VoteText<'r> {
    fn of(vote: &'r Vote) -> Self {
        Self {
            hook: vote.hook.as_str(),
            kind: &vote.kind,
            layers: (vote.layers > 0).then_some(vote.layers),
            mode: vote.mode,
            round: vote.round,
            outcome: vote.outcome,
            decision: vote.decision,
            rewrote: vote.rewrote,
            added_context: vote.added_context,
            failure: vote.failure,
            failed_attempts: &vote.failed_attempts,
            fallback: vote.fallback,
            waited_us: vote.waited_us,
            duration_us: vote.duration_us,
        }
    }
}
