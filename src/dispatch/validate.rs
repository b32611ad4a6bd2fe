//! An answer is checked once: what of it is legal, what counts, what it would change.
//!
//! [`validate`] compares a reply with the contract of the event and with the role and mode of the
//! hook. Its result, [`Checked`], holds all that the rest of the dispatch needs: the ballot that is
//! merged into the decision, the patch to apply, and whether hooks after it are still called. Records
//! and events read the same value, so an answer is never interpreted twice.
//!
//! A verdict that is well-formed but says what it must not (a guard that patches, a deny where nothing
//! can be denied) is a *failure* of class `illegal`. Its ask, deny or halt is salvaged: a failure
//! counts as the stricter of the hook's posture and of the decision that it was found to hold, so
//! damage never makes an answer weaker.
//!
//! | mode of the hook | ballot | patch | stops the hooks after it |
//! |---|---|---|---|
//! | `enforce` | the verdict, or what the failure counts as | applied | as `limits.stop_at` says: at deny and halt |
//! | `warn` | a message that says what the hook would do | – | never |
//! | `shadow` | – | – | never |
//!
//! In every mode the vote in a report says what the hook answered. A failure that does not count as ask,
//! deny or halt is still shown to the user: that a guard did not guard is never kept quiet.

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{
    Contract, Failure, FailureClass, Mode, Parts, Patch, ReasonCode, Reply, Role, VerdictDecision,
};

use super::legality::{find_illegal, find_inexact, find_undeclared};
use super::patch::{find_changes, find_untaken};
use crate::decision::{Ballot, Left, Uncounted, failure_reason};
use crate::log;
use crate::table::CompiledHook;

/// The version of a step that an answer is about.
#[derive(Clone, Copy)]
pub(super) struct Version<'s> {
    pub(super) payload: &'s dyn AnyPayload,
    /// Whether it is that of the final round, in which nothing is rewritten.
    pub(super) is_final: bool,
}

/// An answer, checked.
pub(super) struct Checked {
    /// What kind of answer it is.
    pub(super) kind: AnswerKind,
    /// The decision of the verdict, or the one that the failure counts as. It need not count: see the
    /// ballot.
    pub(super) decision: Option<VerdictDecision>,
    /// What counts of the answer.
    pub(super) ballot: Option<Ballot>,
    /// The fields to set; empty if the mode of the hook lets nothing be set.
    pub(super) patch: Patch,
    /// Whether the step does not happen because of it: it counts as a deny or a halt, or was cancelled.
    pub(super) denies: bool,
    /// Whether the hooks after this one are not called any more.
    pub(super) stops: bool,
}

/// The kind of an answer.
pub(super) enum AnswerKind {
    /// The handler has no opinion, and perhaps a note on why.
    Silent(Option<String>),
    /// It gave a verdict that may be given here: the one in the ballot, or this one, which does not
    /// count because the hook only warns or is in shadow.
    Verdict(Option<Box<Parts>>),
    /// It failed.
    Failed(Failure),
    /// It was cancelled by the host: it says nothing, and that is not its fault.
    Cancelled,
}

impl Checked {
    fn silent(note: Option<String>) -> Self {
        let kind = AnswerKind::Silent(note);
        let patch = Patch::new();
        Self { kind, decision: None, ballot: None, patch, denies: false, stops: false }
    }

    /// No hook after it is called, since all would be cancelled.
    const fn cancelled() -> Self {
        let patch = Patch::new();
        let kind = AnswerKind::Cancelled;
        Self { kind, decision: None, ballot: None, patch, denies: true, stops: true }
    }

    /// Returns the verdict, whether it counts or not.
    pub(super) fn verdict(&self) -> Option<&Parts> {
        match &self.kind {
            AnswerKind::Verdict(uncounted) => {
                uncounted.as_deref().or(self.ballot.as_ref().map(|ballot| &*ballot.parts))
            }
            AnswerKind::Silent(_) | AnswerKind::Failed(_) | AnswerKind::Cancelled => None,
        }
    }
}

/// Checks an answer of the hook at an index of the deciders.
///
/// A failure is counted for the hook and logged here, once. The cost is that of the answer: a silent one
/// is returned at once, and of a verdict the texts are moved, not copied.
#[inline]
pub(super) fn validate(
    hook: &CompiledHook,
    index: usize,
    contract: &'static Contract,
    version: Version<'_>,
    reply: Reply,
) -> Checked {
    let mut checked = check(hook, index, contract, version, reply);
    // All that may deny evaluate the final bytes: no ask spares them.
    checked.stops &= checked.denies || !version.is_final;
    checked
}

#[inline]
fn check(
    hook: &CompiledHook,
    index: usize,
    contract: &'static Contract,
    version: Version<'_>,
    reply: Reply,
) -> Checked {
    let mut parts = match reply.map(hookgate_contract::Verdict::into_parts) {
        Ok(None) => return Checked::silent(None),
        Ok(Some(parts)) if parts.is_silent() => return Checked::silent(parts.note),
        Ok(Some(parts)) => parts,
        // What it had said of a refusal before stands.
        Err(failure) if failure.is_by_host() && failure.salvaged < Some(VerdictDecision::Deny) => {
            return Checked::cancelled();
        }
        Err(failure) => return fail(hook, index, contract, failure),
    };
    if let Some(failure) = find_wrong(hook, contract, version, &mut parts) {
        let salvaged = parts.decision.filter(|decision| *decision > VerdictDecision::Allow);
        return fail(hook, index, contract, failure.with_salvaged(salvaged));
    }
    // A patch that changes nothing may have been all that the verdict held.
    if version.is_final && parts.is_silent() {
        return Checked::silent(parts.note);
    }
    count_verdict(hook, index, contract, parts)
}

/// Returns what is wrong with a verdict. Of its patch only what can have an effect is left.
#[inline]
pub(super) fn find_wrong(
    hook: &CompiledHook,
    contract: &'static Contract,
    version: Version<'_>,
    parts: &mut Parts,
) -> Option<Failure> {
    find_illegal(parts, hook.role, contract)
        .or_else(|| find_undeclared(parts, hook))
        .map(|why| Failure::new(FailureClass::Illegal, why).shown())
        .or_else(|| find_inexact(parts, hook.integers))
        .or_else(|| settle_patch(hook, contract, version, parts))
}

/// Returns the failure of a hook as an answer: it counts as the stricter of the hook's posture and
/// of the decision that was salvaged.
///
/// A decision that the event does not have becomes the nearest one that it has (an ask where the user
/// cannot be asked is a deny); if it has none, the failure cannot count, and the user is warned.
pub(super) fn fail(
    hook: &CompiledHook,
    index: usize,
    contract: &'static Contract,
    failure: Failure,
) -> Checked {
    let class = failure.class;
    hook.definition.count_failure(class);
    let posture = hook.posture_at(contract, class).decision();
    let posture = posture.and_then(|decision| contract.nearest(decision));
    let salvaged = failure.salvaged.and_then(|decision| contract.nearest(decision));
    // An observer is called after the decision: nothing of it can count.
    let decision = if hook.role == Role::Observe { None } else { posture.max(salvaged) };
    log_failure(hook, contract, class, decision);
    Checked {
        decision,
        ballot: count_failure(hook, index, &failure, decision),
        kind: AnswerKind::Failed(failure),
        patch: Patch::new(),
        denies: denies(hook, decision),
        // The author of an illegal verdict meant another step from here on.
        stops: stops(hook, decision) || (class == FailureClass::Illegal && denies(hook, decision)),
    }
}

/// Returns whether a decision counts as a deny or a halt.
fn denies(hook: &CompiledHook, decision: Option<VerdictDecision>) -> bool {
    hook.mode == Mode::Enforce && decision >= Some(VerdictDecision::Deny)
}

/// Returns whether a decision ends the dispatch for the hooks after it.
fn stops(hook: &CompiledHook, decision: Option<VerdictDecision>) -> bool {
    hook.mode == Mode::Enforce && decision >= Some(hook.stop_at)
}

/// Refuses a patch that cannot have its effect: one that the payload does not take, and in the final round,
/// in which nothing is rewritten, one that would change the step. There one that would not is dropped.
fn settle_patch(
    hook: &CompiledHook,
    contract: &'static Contract,
    version: Version<'_>,
    parts: &mut Parts,
) -> Option<Failure> {
    if parts.patch.is_empty() || hook.mode != Mode::Enforce {
        return None;
    }
    let (merge, step) = (hook.definition.spec.merge, version.payload);
    if let Some(failure) = find_untaken(contract, merge, &parts.patch, step) {
        return Some(failure);
    }
    if !version.is_final {
        return None;
    }
    let patch = std::mem::take(&mut parts.patch);
    let changed = find_changes(contract, merge, patch, step);
    if changed.is_empty() {
        return None;
    }
    let detail = format!(
        "it would rewrite `{}` once more in the final round, where nothing is rewritten: call it \
         after the other rewriters (`after`), or let it leave envelopes with `rejudge` alone",
        changed.join("`, `"),
    );
    Some(Failure::new(FailureClass::Illegal, detail).shown())
}

/// Returns what counts of a legal verdict.
fn count_verdict(
    hook: &CompiledHook,
    index: usize,
    contract: &'static Contract,
    mut parts: Box<Parts>,
) -> Checked {
    let decision = parts.decision;
    let (uncounted, ballot, patch) = match hook.mode {
        Mode::Enforce => {
            let patch = std::mem::take(&mut parts.patch);
            // Where the user would be asked, an allow is an approval, which not every hook may give.
            let approves = !contract.allow_approves || hook.definition.spec.may_allow;
            let hook = hook.id().clone();
            let ballot = Ballot { index, hook, parts, approves, failed: None, uncounted: None };
            (None, Some(ballot), patch)
        }
        Mode::Warn => {
            let message = verdict_warning(hook.id(), &parts);
            (Some(parts), Some(warning(hook, index, message)), Patch::new())
        }
        Mode::Shadow | Mode::Off => (Some(parts), None, Patch::new()),
    };
    let kind = AnswerKind::Verdict(uncounted);
    let (denies, stops) = (denies(hook, decision), stops(hook, decision));
    Checked { kind, decision, ballot, patch, denies, stops }
}

/// Returns what counts of a failure.
fn count_failure(
    hook: &CompiledHook,
    index: usize,
    failure: &Failure,
    decision: Option<VerdictDecision>,
) -> Option<Ballot> {
    let (id, class) = (hook.id(), failure.class);
    match hook.mode {
        Mode::Shadow | Mode::Off => None,
        Mode::Warn => {
            let uncounted = Some(Uncounted { class, warns: Some(decision), left: Left::Nothing });
            let mut ballot = warning(hook, index, None);
            ballot.parts.reason = failure.is_shown.then(|| failure.detail.to_string());
            Some(Ballot { uncounted, ..ballot })
        }
        Mode::Enforce => {
            let decision = decision.filter(|decision| *decision > VerdictDecision::Allow);
            let mut parts = Box::<Parts>::default();
            parts.decision = decision;
            // What is unclear of a step is told where it counts; of a hook that is not enforced, what is wrong with it.
            let counts = decision.is_some() || failure.is_shown;
            parts.reason = shown_cause(failure).filter(|_| counts).map(str::to_owned);
            parts.reason_code = decision.map(|_| code_of_failure(class));
            // That a guard did not guard is never kept quiet.
            let left = match decision {
                None if hook.role != Role::Observe => what_is_left(hook, &mut parts),
                _ => Left::Nothing,
            };
            let uncounted = decision.is_none().then_some(Uncounted { class, warns: None, left });
            let failed = decision.map(|_| class);
            Some(Ballot { index, hook: id.clone(), parts, approves: false, failed, uncounted })
        }
    }
}

/// Returns what is left of a hook whose failure counts as no decision: what stands in for its contributions, if anything.
fn what_is_left(hook: &CompiledHook, parts: &mut Parts) -> Left {
    let spec = &hook.definition.spec;
    if spec.is_required() {
        return Left::Gap;
    }
    if spec.fallback().is_empty() {
        return Left::Nothing;
    }
    parts.contributions = spec.fallback().to_vec();
    Left::Fallback
}

/// Returns the reason of one failure that counts as a decision, whole.
pub(super) fn whole_reason(id: &str, failure: &Failure, decision: VerdictDecision) -> String {
    failure_reason(shown_cause(failure), failure.class, &[id], decision, usize::MAX)
}

/// Returns what of a failure may stand in a reason: what cannot be told of a step, and what says what to do.
fn shown_cause(failure: &Failure) -> Option<&str> {
    (failure.class == FailureClass::Unclear || failure.is_shown).then_some(&*failure.detail)
}

fn warning(hook: &CompiledHook, index: usize, message: Option<String>) -> Ballot {
    let mut parts = Box::<Parts>::default();
    parts.message = message;
    let hook = hook.id().clone();
    Ballot { index, hook, parts, approves: false, failed: None, uncounted: None }
}

/// Returns what the user reads about a verdict of a hook that only warns.
fn verdict_warning(id: &str, parts: &Parts) -> Option<String> {
    match (parts.decision, &parts.reason) {
        (Some(decision), Some(reason)) => {
            Some(format!("warning: the hook `{id}` would {decision}: {reason}"))
        }
        (Some(decision), None) => Some(format!("warning: the hook `{id}` would {decision}")),
        (None, _) if !parts.patch.is_empty() => {
            Some(format!("warning: the hook `{id}` would rewrite the step"))
        }
        (None, _) => parts.message.clone(),
    }
}

/// Logs a failure, without its detail: that may quote the step.
fn log_failure(
    hook: &CompiledHook,
    contract: &'static Contract,
    class: FailureClass,
    decision: Option<VerdictDecision>,
) {
    let (id, event, class) = (hook.id().as_str(), contract.name, class.name());
    match decision {
        Some(decision) => log::hook_failed(id, event, class, Some(decision.name())),
        // A failure in the background shows up nowhere else.
        None if hook.definition.spec.is_background() => {
            log::background_hook_failed(id, event, class);
        }
        None if hook.role == Role::Observe || hook.mode != Mode::Enforce => {
            log::hook_failed(id, event, class, None);
        }
        None => log::guard_not_enforced(id, event, class),
    }
}

/// Returns the reason code of a hook that failed.
pub(super) const fn code_of_failure(class: FailureClass) -> ReasonCode {
    match class {
        FailureClass::Timeout => ReasonCode::Timeout,
        FailureClass::Budget => ReasonCode::Budget,
        _ => ReasonCode::RuntimeError,
    }
}
