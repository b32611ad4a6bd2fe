//! The record of a dispatch, for those who want to know.

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{
    Answer, Contribution, FailureClass, ReasonCode, StepContext, VerdictDecision,
};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::decision::{Outcome, Vote, VoteOutcome};
use crate::dispatch::{Evaluated, PatchEnvelope};
use crate::table::HandlerTable;

/// How many characters of what was wrong with an unreadable step are kept.
const MALFORMED: usize = 1000;

/// The decision record: what `run` and `eval` print, one JSON object a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Report {
    /// The step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// The event; none where the line could not be read that far.
    pub event: Option<String>,
    /// The session.
    pub session_id: String,
    /// The table that decided.
    pub generation: u64,
    /// What the table was made of.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub config_hash: String,
    /// What came out.
    pub decision: Outcome,
    /// The hooks that voted for it.
    pub by: Vec<String>,
    /// Why.
    pub reason: Option<String>,
    /// Why, for programs.
    pub reason_code: Option<ReasonCode>,
    /// The fields that were changed.
    pub patched: Vec<String>,
    /// What these fields are now.
    #[serde(rename = "final")]
    pub final_fields: Map<String, Value>,
    /// The result that a hook supplied.
    pub answer: Option<Answer>,
    /// Text for the model.
    pub context: Vec<String>,
    /// Text for the user.
    pub messages: Vec<String>,
    /// Typed data for the runtime.
    pub contributions: Vec<Contribution>,
    /// Labels.
    pub annotations: Map<String, Value>,
    /// Data that goes with the decision.
    pub payload: Option<Value>,
    /// What each hook was found to say.
    pub votes: Vec<Vote>,
    /// Patches that background hooks have published for this session since its last report.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<PatchEnvelope>,
    /// How long the dispatch took, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<u64>,
}

impl Report {
    /// The report of a step about which nobody said anything.
    pub(crate) fn silent(
        event: Option<String>,
        session_id: String,
        generation: u64,
        config_hash: String,
    ) -> Self {
        Self {
            step_id: None,
            event,
            session_id,
            generation,
            config_hash,
            decision: Outcome::Allow,
            by: Vec::new(),
            reason: None,
            reason_code: None,
            patched: Vec::new(),
            final_fields: Map::new(),
            answer: None,
            context: Vec::new(),
            messages: Vec::new(),
            contributions: Vec::new(),
            annotations: Map::new(),
            payload: None,
            votes: Vec::new(),
            published: Vec::new(),
            duration_us: None,
        }
    }

    /// Returns the report of a dispatch, without what only its end knows: the id of the step, the
    /// published patches, the duration.
    pub(crate) fn new(
        evaluated: &Evaluated,
        payload: &dyn AnyPayload,
        context: &StepContext<'_>,
        table: &HandlerTable,
    ) -> Self {
        let event = Some(payload.event_name().to_owned());
        let session_id = context.session_id.to_owned();
        let hash = table.config_hash().to_owned();
        let mut report = Self::silent(event, session_id, table.generation(), hash);
        report.votes.clone_from(&evaluated.votes);
        let Some(decision) = evaluated.decision.as_deref().cloned() else { return report };
        if decision.outcome == Outcome::Answered {
            report.answer.clone_from(&evaluated.answer);
        }
        let final_value = |&name: &&'static str| {
            // A field that was cleared is not there any more.
            let value = payload.field(name).map(|field| field.to_value());
            (name.to_owned(), value.unwrap_or_default())
        };
        report.final_fields = decision.patched.iter().map(final_value).collect();
        report.decision = decision.outcome;
        report.by = decision.by;
        report.reason = decision.reason;
        report.reason_code = decision.reason_code;
        report.patched = decision.patched.into_iter().map(str::to_owned).collect();
        report.context = decision.context;
        report.messages = decision.messages;
        report.contributions = decision.contributions;
        report.annotations = decision.annotations;
        report.payload = decision.payload;
        report
    }

    /// The report of a step that could not be read: a deny, with the failure that it counts as.
    #[must_use]
    pub fn malformed(
        reason: impl Into<String>,
        generation: u64,
        config_hash: impl Into<String>,
    ) -> Self {
        // It repeats what stood in the step.
        let detail = hookgate_contract::visible::line(&reason.into(), MALFORMED);
        let reason = format!("the step could not be read: {detail}");
        Self {
            decision: Outcome::Deny,
            reason: Some(reason.clone()),
            reason_code: Some(ReasonCode::SchemaViolation),
            votes: vec![Vote {
                hook: "hookgate".to_owned(),
                kind: "engine".to_owned(),
                mode: hookgate_contract::Mode::Enforce,
                round: 1,
                outcome: VoteOutcome::Failed,
                decision: Some(VerdictDecision::Deny),
                reason: Some(reason),
                failure: Some(FailureClass::Malformed),
                detail: Some(detail),
                duration_us: None,
            }],
            by: vec!["hookgate".to_owned()],
            ..Self::silent(None, String::new(), generation, config_hash.into())
        }
    }

    /// Leaves out what differs from run to run and from config to config that decides alike: times,
    /// the hash of the config, and the names of steps that were made up.
    #[must_use]
    pub fn stable(mut self, made_up_id: bool) -> Self {
        self.duration_us = None;
        self.config_hash = String::new();
        for vote in &mut self.votes {
            vote.duration_us = None;
        }
        for patch in &mut self.published {
            patch.time = 0;
        }
        if made_up_id {
            self.step_id = None;
        }
        self
    }
}
