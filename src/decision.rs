//! What comes out of a dispatch: the verdicts of many hooks, merged into one decision.
//!
//! Each hook gives a *verdict*, whose decision is allow, ask, deny or halt ([`VerdictDecision`]).
//! The verdicts that count are merged into one [`Decision`] with an [`Outcome`]. Outcomes are a
//! lattice, `halt > deny > cancelled > ask > answered > allow`: the strictest verdict wins, in whatever order the
//! hooks were called, and an allow never weakens anything.
//!
//! | verdicts | outcome | `by` |
//! |---|---|---|
//! | none | allow | empty |
//! | allow, no opinion | allow | the hook that allowed |
//! | allow, deny, deny | deny | both hooks that denied |
//! | ask, an answer | ask | the hook that asked; the answer waits for the user |
//! | ask, halt | halt | the hook that halted |
//!
//! Context, messages, contributions and annotations of all hooks are kept, in the order of the hooks.
//! A [`Vote`] is what a report says of one hook, also of one whose verdict does not count.

mod ballots;
mod contributed;
mod merge;
mod reasons;
mod small_list;
mod unfinished;

use std::borrow::Cow;

use hookgate_contract::{FailureClass, Mode, ReasonCode, VerdictDecision};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::generation::Generation;
use crate::hook_id::HookId;
pub(crate) use ballots::{Ballot, Ballots, Left, Uncounted};
pub use contributed::Contributed;
pub(crate) use merge::merge;
pub(crate) use reasons::{failure as failure_reason, with_cause};
pub use small_list::SmallList;
pub(crate) use unfinished::Unfinished;

/// What came out of a dispatch, the strictest last.
///
/// ```
/// use hookgate::Outcome;
///
/// assert!(Outcome::Halt > Outcome::Deny && Outcome::Deny > Outcome::Ask);
/// assert_eq!(Outcome::Deny.name(), "deny");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// No hook objected: the step goes on.
    Allow,
    /// A hook supplied the result itself.
    Answered,
    /// The user decides whether the step goes on.
    Ask,
    /// The host has cancelled the dispatch before the hooks had decided, or has dropped it: the step does not happen,
    /// and no hook has said so. It is no verdict of a hook.
    Cancelled,
    /// The step does not happen.
    Deny,
    /// The whole run stops.
    Halt,
}

impl Outcome {
    /// Returns the name in records: `deny`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Answered => "answered",
            Self::Ask => "ask",
            Self::Cancelled => "cancelled",
            Self::Deny => "deny",
            Self::Halt => "halt",
        }
    }

    /// Returns whether the step happens neither now nor when a user agrees: it was denied, halted or cancelled.
    ///
    /// ```
    /// use hookgate::Outcome;
    ///
    /// assert!(Outcome::Cancelled.is_refusal() && !Outcome::Ask.is_refusal());
    /// ```
    #[must_use]
    pub const fn is_refusal(self) -> bool {
        matches!(self, Self::Cancelled | Self::Deny | Self::Halt)
    }
}

impl From<VerdictDecision> for Outcome {
    fn from(decision: VerdictDecision) -> Self {
        match decision {
            VerdictDecision::Allow => Self::Allow,
            VerdictDecision::Ask => Self::Ask,
            VerdictDecision::Deny => Self::Deny,
            VerdictDecision::Halt => Self::Halt,
        }
    }
}

/// What came out of a dispatch, with the hooks that decided, their reasons, and what hooks added.
///
/// A gate holds the decision of its step: see [`Gate::decision`](crate::Gate::decision).
///
/// ```
/// use hookgate::contract::BuiltHandler;
/// use hookgate::{Engine, Event, HandlerTable, HookEngine, Hook, Invocation, Outcome};
/// use hookgate::{StepContext, ToolUse, Verdict};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let hook = Hook::sync("freeze", |_| Ok(Verdict::deny("not today").message("denied"))).event(Event::PreToolUse);
/// let engine = Engine::new(HandlerTable::builder().insert(hook).build()?);
/// let gate = engine.dispatch(ToolUse::propose("Bash", "{}").unwrap(), &StepContext::new("s")).await;
///
/// let decision = gate.decision().unwrap();
/// assert_eq!(decision.outcome, Outcome::Deny);
/// assert_eq!((decision.by[0].as_str(), decision.messages[0].as_str()), ("freeze", "denied"));
/// # Ok::<_, hookgate::table::BuildErrors>(()) }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Decision {
    /// What came out.
    pub outcome: Outcome,
    /// The hooks that voted for the outcome. Empty for an allow that no hook asked for.
    pub by: SmallList<HookId>,
    /// The reasons of these hooks, joined by `; `: each stands once, with the hooks that failed for it. What is
    /// joined of several has at most 400 characters; the votes of a report have all of it.
    pub reason: Option<String>,
    /// The class of the reason, for programs.
    pub reason_code: Option<ReasonCode>,
    /// The payload fields that were changed.
    pub patched: SmallList<Cow<'static, str>>,
    /// Text for the model, in the order of the hooks.
    pub context: Vec<String>,
    /// Text for the user, in the order of the hooks.
    pub messages: Vec<String>,
    /// Typed data for the runtime, in the order of the hooks.
    pub contributions: Vec<Contributed>,
    /// The required hooks that have failed, in the order of the hooks: what was gathered is not enough.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_required: Vec<FailedRequired>,
    /// The hooks whose context the host does not show to the model, in their order: see [`StepContext::no_context`](hookgate_contract::StepContext::no_context).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undelivered: Vec<HookId>,
    /// Labels; if two hooks set the same one, that of the later hook is kept.
    pub annotations: Map<String, Value>,
    /// Data that goes with the decision.
    pub payload: Option<Value>,
    /// The generation of the table that decided.
    pub generation: Generation,
    /// The id of the step that hooks and reports have seen; `None` if no id was needed.
    pub step_id: Option<String>,
    /// Whether no hook had an opinion, and the decision is kept for its step id and generation only.
    #[serde(skip)]
    pub(crate) silent: bool,
    /// What is recorded if the step is a tool, and its result is not handed over.
    #[serde(skip)]
    pub(crate) unfinished: Unfinished,
}

/// The name in [`Decision::by`] if the engine itself denies.
pub(crate) const ENGINE: &str = "hookgate";

/// The reason of a step whose dispatch was cancelled.
const CANCELLED: &str = "the dispatch was cancelled before the hooks had decided";

impl Decision {
    /// Has the engine itself deny the step, whatever was decided before.
    pub(crate) fn deny_by_engine(&mut self, reason: impl Into<String>, code: ReasonCode) {
        self.outcome = Outcome::Deny;
        self.by = HookId::from(ENGINE).into();
        self.reason = Some(reason.into());
        self.reason_code = Some(code);
    }

    /// Ends what the hooks have not decided: the host has cancelled the dispatch.
    pub(crate) fn cancel(&mut self) {
        self.outcome = Outcome::Cancelled;
        self.by = SmallList::new();
        self.reason = Some(CANCELLED.to_owned());
        self.reason_code = None;
        self.undelivered.clear();
    }

    /// Returns a decision without any ballot: the step is allowed.
    pub(crate) fn empty(generation: Generation) -> Self {
        Self {
            outcome: Outcome::Allow,
            by: SmallList::new(),
            reason: None,
            reason_code: None,
            patched: SmallList::new(),
            context: Vec::new(),
            messages: Vec::new(),
            contributions: Vec::new(),
            failed_required: Vec::new(),
            undelivered: Vec::new(),
            annotations: Map::new(),
            payload: None,
            generation,
            step_id: None,
            silent: false,
            unfinished: Unfinished::default(),
        }
    }

    /// Returns whether all required hooks have answered, for a runtime that gathers something.
    ///
    /// # Errors
    /// They have not: [`RequiredFailed`] names those that have failed.
    pub fn complete(&self) -> Result<(), RequiredFailed> {
        match self.failed_required.as_slice() {
            [] => Ok(()),
            failed => Err(RequiredFailed(failed.to_vec())),
        }
    }

    /// Returns the decision about a step that no hook had an opinion on.
    pub(crate) fn silent(step_id: String, generation: Generation) -> Box<Self> {
        Box::new(Self { step_id: Some(step_id), silent: true, ..Self::empty(generation) })
    }
}

/// A required hook that has failed, at an event that gathers something and cannot be denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FailedRequired {
    /// The hook.
    pub hook: HookId,
    /// In which way it has failed.
    pub class: FailureClass,
    /// What is known about it, if it may be shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// Required hooks have failed, so what was gathered is not enough.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(FailedRequired::told).collect::<Vec<_>>().join("; "))]
pub struct RequiredFailed(Vec<FailedRequired>);

impl RequiredFailed {
    /// Returns the hooks; there is at least one.
    #[must_use]
    pub fn hooks(&self) -> &[FailedRequired] {
        &self.0
    }
}

impl FailedRequired {
    fn told(&self) -> String {
        let text = format!("the required hook `{}` has failed ({})", self.hook, self.class);
        with_cause(text, self.cause.as_deref())
    }
}

/// What became of the call of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum VoteOutcome {
    /// It gave a verdict, which counts.
    Verdict,
    /// It had no opinion.
    Abstained,
    /// It failed.
    Failed,
    /// It was cancelled, because an earlier hook had decided, or the host has cancelled the dispatch.
    Cancelled,
    /// It is an observer and was notified.
    Observed,
    /// It gave a verdict that does not count: the hook is in shadow or only warns.
    Would,
}

/// What a report says of one call of one hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Vote {
    /// The hook.
    pub hook: HookId,
    /// The kind of its handler: `builtin`, `command`, …
    pub kind: String,
    /// How many layers of the host are around the handler: one of them may have answered in its place.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub layers: u32,
    /// The mode of the hook: only the verdict of one that enforces counts.
    pub mode: Mode,
    /// 1, or 2 in the final round after a rewrite.
    pub round: u8,
    /// What became of the call.
    pub outcome: VoteOutcome,
    /// The decision of its verdict, or the one that its failure counts as.
    pub decision: Option<VerdictDecision>,
    /// The reason of the hook, or what its failure counts as.
    pub reason: Option<String>,
    /// Whether its verdict sets fields of the step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rewrote: bool,
    /// Whether its verdict adds context for the model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub added_context: bool,
    /// The class of its failure.
    pub failure: Option<FailureClass>,
    /// What is known about the failure, or what the handler noted, for the author of the hook.
    pub detail: Option<String>,
    /// How its attempts have failed that were followed by another one, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_attempts: Vec<FailureClass>,
    /// Whether its fallback stands in for what it would have contributed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fallback: bool,
    /// How much of that it has waited because others were at work, in microseconds: see `[limits]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waited_us: Option<u64>,
    /// How long it took, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_us: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}
