//! The record of a dispatch: what was decided, by which hooks and why, as one JSON object.
//!
//! A [`Report`] is what `hookgate run` and `eval` print and what
//! [`Engine::dispatch_reported`](crate::Engine::dispatch_reported) returns. It is written with plain
//! `serde_json` and read back with [`Report::from_json`]: a report that this build has written is read
//! as an equal report and written again as the same bytes.
//!
//! Reading is strict. A field that is not known is refused and not skipped, as is a key that is there
//! twice and a value that does not fit: a record of a newer version that is read in part would look
//! complete. A number keeps its value; `serde_json::from_str` alone can miss a double by its last bit.

use std::borrow::Cow;

use hookgate_contract::StepId;
use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Answer, Event, FailureClass, ReasonCode, StepContext, VerdictDecision};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::config_hash::ConfigHash;
use crate::decision::{Contributed, Decision, FailedRequired, Outcome, Vote, VoteOutcome};
use crate::dispatch::{Evaluated, PatchEnvelope, present};
use crate::generation::Generation;
use crate::hook_id::HookId;
use crate::panic_boundary::catch;
use crate::read_json::read_json;
use crate::table::HandlerTable;

/// How many characters of what was wrong with an unreadable step are kept.
const MALFORMED: usize = 1000;

/// The id under which the engine itself votes.
const ENGINE: &str = "hookgate";

/// The decision record of one step.
///
/// ```
/// use hookgate::{Engine, Report, StepContext, ToolUse};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let engine = Engine::without_hooks();
/// let context = StepContext::new("session-1").step_id("s-1");
/// let bash = ToolUse::propose("Bash", r#"{"command":"ls"}"#).unwrap();
/// let (gate, report) = engine.dispatch_reported(bash, &context).await;
/// assert!(gate.cleared().is_some());
///
/// let line = serde_json::to_string(&report)?;
/// let read = Report::from_json(line.as_bytes())?;
/// assert_eq!(read, report);
/// assert_eq!(serde_json::to_string(&read)?, line);
/// assert!(Report::from_json(line.replacen('{', r#"{"new":1,"#, 1).as_bytes()).is_err());
/// # Ok::<_, serde_json::Error>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Report {
    /// The step: the id that the host gave, or one that was made for the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_id: Option<String>,
    /// The name of the event; `None` if the step could not be read that far.
    pub event: Option<String>,
    /// The session; empty if the step could not be read.
    pub session_id: String,
    /// The table that decided.
    pub generation: Generation,
    /// What that table was made of; `None` in a record that was made [`stable`](Self::stable).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_hash: Option<ConfigHash>,
    /// What came out.
    pub decision: Outcome,
    /// The hooks that voted for it; empty for an allow that no hook spoke for.
    pub by: Vec<HookId>,
    /// Why, in the words of these hooks.
    pub reason: Option<String>,
    /// Why, for programs.
    pub reason_code: Option<ReasonCode>,
    /// The fields of the payload that hooks have changed.
    pub patched: Vec<String>,
    /// The values of these fields after the last change; null for a field that was removed.
    #[serde(rename = "final")]
    pub final_fields: Map<String, Value>,
    /// The result that a hook supplied in place of the step.
    pub answer: Option<Answer>,
    /// Texts for the model, in the order of the hooks.
    pub context: Vec<String>,
    /// Texts for the user, in the order of the hooks.
    pub messages: Vec<String>,
    /// Typed data for the runtime, in the order of the hooks.
    pub contributions: Vec<Contributed>,
    /// The required hooks that have failed, in the order of the hooks: what was gathered is not enough.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_required: Vec<FailedRequired>,
    /// The hooks whose context the host does not show to the model, in their order: see [`StepContext::no_context`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undelivered: Vec<HookId>,
    /// Labels; of two hooks that give the same one the later counts.
    pub annotations: Map<String, Value>,
    /// Data that goes with the decision.
    pub payload: Option<Value>,
    /// The vote of each hook that was invoked.
    pub votes: Vec<Vote>,
    /// Patches that background hooks have published for this session since its last report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<PatchEnvelope>,
    /// How long the dispatch took, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<u64>,
    /// The step as it came to the engine, before any hook has changed it: the envelope that handlers
    /// read. Only in a record that was asked for it, see [`with_envelope`](Self::with_envelope).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub envelope: Option<Value>,
}

impl Report {
    /// Returns a report in which every field is empty.
    pub(crate) fn empty() -> Self {
        Self {
            step_id: None,
            event: None,
            session_id: String::new(),
            generation: Generation::UNPUBLISHED,
            config_hash: None,
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
            failed_required: Vec::new(),
            undelivered: Vec::new(),
            annotations: Map::new(),
            payload: None,
            votes: Vec::new(),
            published: Vec::new(),
            duration_us: None,
            envelope: None,
        }
    }

    /// Returns the report of a step that no hook has had an opinion on.
    pub(crate) fn begun(
        table: &HandlerTable,
        payload: &dyn AnyPayload,
        context: &StepContext<'_>,
        step_id: &StepId<'_>,
    ) -> Self {
        Self {
            step_id: Some(step_id.get().to_owned()),
            event: Some(payload.event_name().to_owned()),
            session_id: context.session_id.to_owned(),
            generation: table.generation(),
            config_hash: Some(table.config_hash()),
            ..Self::empty()
        }
    }

    /// Returns the report of a dispatch, without what only its end knows: the patches that were
    /// published meanwhile, the duration.
    pub(crate) fn new(
        evaluated: &Evaluated,
        payload: &dyn AnyPayload,
        context: &StepContext<'_>,
        step_id: &StepId<'_>,
        table: &HandlerTable,
    ) -> Self {
        let mut report = Self::begun(table, payload, context, step_id);
        report.votes.clone_from(&evaluated.votes);
        let Some(decision) = evaluated.decision.as_deref().cloned() else { return report };
        if decision.outcome == Outcome::Answered {
            report.answer.clone_from(&evaluated.answer);
        }
        report.decided(decision).with_final_fields(payload)
    }

    /// Adds what was decided, and what the hooks have added.
    pub(crate) fn decided(self, decision: Decision) -> Self {
        Self {
            decision: decision.outcome,
            by: decision.by.into_vec(),
            reason: decision.reason,
            reason_code: decision.reason_code,
            patched: decision.patched.into_iter().map(Cow::into_owned).collect(),
            context: decision.context,
            messages: decision.messages,
            contributions: decision.contributions,
            failed_required: decision.failed_required,
            undelivered: decision.undelivered,
            annotations: decision.annotations,
            payload: decision.payload,
            ..self
        }
    }

    /// Adds the values that the patched fields have in a payload; null for one that was cleared.
    pub(crate) fn with_final_fields(mut self, payload: &dyn AnyPayload) -> Self {
        let value = |name: &String| {
            catch("the payload", || present(payload, name)).ok().flatten().unwrap_or_default()
        };
        self.final_fields = self.patched.iter().map(|name| (name.clone(), value(name))).collect();
        self
    }

    /// Returns the report of a step that could not be read: a deny of the engine itself, with a vote
    /// that failed as `malformed`.
    ///
    /// ```
    /// use hookgate::{HandlerTable, Outcome, Report};
    ///
    /// let table = HandlerTable::empty();
    /// let report = Report::malformed("EOF at line 1", table.generation(), table.config_hash());
    /// assert_eq!(report.decision, Outcome::Deny);
    /// assert_eq!(report.reason.unwrap(), "the step could not be read: EOF at line 1");
    /// ```
    #[must_use]
    pub fn malformed(
        reason: impl Into<String>,
        generation: Generation,
        config_hash: ConfigHash,
    ) -> Self {
        // It repeats what was in the step.
        let detail = hookgate_contract::visible::line(&reason.into(), MALFORMED);
        let reason = format!("the step could not be read: {detail}");
        Self {
            decision: Outcome::Deny,
            reason: Some(reason.clone()),
            reason_code: Some(ReasonCode::SchemaViolation),
            votes: vec![Vote {
                hook: ENGINE.into(),
                kind: "engine".to_owned(),
                layers: 0,
                mode: hookgate_contract::Mode::Enforce,
                round: 1,
                outcome: VoteOutcome::Failed,
                decision: Some(VerdictDecision::Deny),
                reason: Some(reason),
                rewrote: false,
                added_context: false,
                failure: Some(FailureClass::Malformed),
                detail: Some(detail),
                failed_attempts: Vec::new(),
                fallback: false,
                waited_us: None,
                duration_us: None,
            }],
            by: vec![ENGINE.into()],
            generation,
            config_hash: Some(config_hash),
            ..Self::empty()
        }
    }

    /// Returns the report of a question that a person has answered: what was decided, and no votes, since no hook was
    /// called. The values of patched fields are left to who has the step.
    ///
    /// ```
    /// use hookgate::{Engine, Event, Gate, HandlerTable, Hook, HookEngine, Report, StepContext, ToolUse, Verdict};
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let hook = Hook::sync("confirm", |_| Ok(Verdict::ask("really?"))).event(Event::PreToolUse);
    /// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?);
    /// let context = StepContext::new("session-1");
    /// let bash = ToolUse::propose("Bash", "{}").unwrap();
    /// let Gate::Asked(asked) = engine.dispatch(bash, &context).await else { panic!() };
    /// let denied = asked.refuse("not today");
    /// let report = Report::answered(denied.decision(), "pre_tool_use", &context, &engine.table());
    /// assert_eq!((report.by[0].as_str(), report.reason.as_deref()), ("the user", Some("not today")));
    /// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
    /// ```
    #[must_use]
    pub fn answered(
        decision: &Decision,
        event: &str,
        context: &StepContext<'_>,
        table: &HandlerTable,
    ) -> Self {
        let step_id = decision.step_id.as_deref().or(context.step_id);
        Self {
            step_id: step_id.map(str::to_owned),
            event: Some(event.to_owned()),
            session_id: context.session_id.to_owned(),
            generation: decision.generation,
            config_hash: Some(table.config_hash()),
            ..Self::empty().decided(decision.clone())
        }
    }

    /// Turns the report into that of a dispatch that was dropped before it had decided.
    pub(crate) fn dropped(self) -> Self {
        Self {
            decision: Outcome::Cancelled,
            reason: Some("the dispatch was dropped before it had decided".to_owned()),
            ..self
        }
    }

    /// Returns the report of a tool whose call has this one, and whose result was not handed over.
    pub(crate) fn unfinished_tool(call: &Self) -> Self {
        Self {
            step_id: call.step_id.clone(),
            event: Some(Event::PostToolUse.name().to_owned()),
            session_id: call.session_id.clone(),
            generation: call.generation,
            config_hash: call.config_hash,
            decision: Outcome::Deny,
            by: vec![ENGINE.into()],
            reason: Some(
                "the tool was started and its result was not handed to `finish`: no hook has seen what it did"
                    .to_owned(),
            ),
            reason_code: Some(ReasonCode::RuntimeError),
            ..Self::empty()
        }
    }

    /// Adds the envelope of the step to the record, for a journal from which steps are replayed.
    ///
    /// [`Engine::evaluate`](crate::Engine::evaluate) is given the envelope by the caller, who can add it
    /// here. A [`Recorder`](crate::recorder::Recorder) that
    /// [asks for envelopes](crate::recorder::Recorder::wants_envelope) gets records that have one.
    #[must_use]
    pub fn with_envelope(mut self, envelope: Value) -> Self {
        self.envelope = Some(envelope);
        self
    }

    /// Reads a report that was written as JSON, exactly and strictly, as the header of this module
    /// says.
    ///
    /// # Errors
    /// What makes the bytes something else than one report.
    pub fn from_json(bytes: &[u8]) -> serde_json::Result<Self> {
        read_json(bytes)
    }

    /// Leaves out what differs from run to run and from config to config that decides alike: times,
    /// the hash of the config, and the ids of steps that were made up.
    ///
    /// Two stable records of the same steps can be compared as text.
    #[must_use]
    pub fn stable(mut self, made_up_id: bool) -> Self {
        self.duration_us = None;
        self.config_hash = None;
        for vote in &mut self.votes {
            vote.duration_us = None;
            vote.waited_us = None;
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
