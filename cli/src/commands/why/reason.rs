//! Why a hook ran or not: the table, the conditions and the votes of a step, read together.

use std::sync::Arc;

use hookgate::contract::{Truth, VerdictDecision};
use hookgate::decision::{Vote, VoteOutcome};
use hookgate::envelope::Incoming;
use hookgate::table::{Called, ExplainedHook, TableBuilder};
use hookgate::{FailureClass, HandlerTable, HookId, HookSpec, Mode, Outcome, Report, Role};

use super::because::Because;

/// What is said of a hook with a mistake where it would be called.
const SET_ASIDE: &str = "it is set aside, and one that always fails stands in its place";

/// A reason, in words.
#[derive(Debug)]
pub(super) struct Reason {
    /// The sort of it.
    pub(super) because: Because,
    /// What exactly, for those of one sort to be told apart: the condition, the hook that decided.
    pub(super) what: String,
    /// The whole of it.
    pub(super) why: String,
    /// The hooks that are meant by it.
    pub(super) by: Vec<HookId>,
}

impl Reason {
    fn new(because: Because, what: impl Into<String>, why: impl Into<String>) -> Self {
        Self { because, what: what.into(), why: why.into(), by: Vec::new() }
    }

    fn by(self, by: Vec<HookId>) -> Self {
        Self { by, ..self }
    }
}

/// Explains the conditions of a hook; of one that is off as if it were in shadow. `None` if it is for
/// other events.
pub(super) fn conditions(
    table: &Arc<HandlerTable>,
    hook: &HookSpec,
    step: &Incoming,
) -> Option<ExplainedHook> {
    let explain = |table: &HandlerTable| {
        let all = table.explain(step.payload.as_ref(), &step.header.context());
        all.into_iter().find(|explained| explained.hook == *hook.id())
    };
    if hook.mode() != Mode::Off {
        return explain(table);
    }
    let mut builder = TableBuilder::from_table(table);
    builder.replace(hook.clone().unordered().with_mode(Mode::Shadow));
    builder.build().ok().and_then(|table| explain(&table))
}

/// Returns the reason as far as it is known before the hooks are called; `None` if the hook is called,
/// unless something before it prevents that.
pub(super) fn before_the_call(
    hook: &HookSpec,
    table: &HandlerTable,
    conditions: Option<&ExplainedHook>,
    event: &str,
) -> Option<Reason> {
    if hook.mode() == Mode::Off {
        let why = match hook.switched_off_by() {
            Some(layer) => format!("the layer `{layer}` has switched it off (`[[disable]]`)"),
            None => "it is off (`mode = \"off\"`)".to_owned(),
        };
        return Some(Reason::new(Because::Off, "", why));
    }
    let Some(explained) = conditions else {
        let events: Vec<&str> = hook.events().iter().map(|on| on.name()).collect();
        let why = format!("it is for {}, and the step is {event}", events.join(", "));
        return Some(Reason::new(Because::OtherEvent, event, why));
    };
    let find = |truth| explained.conditions.iter().find(move |one| one.truth == truth);
    match explained.called {
        Called::Yes => None,
        Called::No => Some(match find(Truth::False) {
            Some(one) => {
                let why = format!("`{}` is false: {}", one.written, one.why);
                Reason::new(Because::Condition, one.written.as_str(), why)
            }
            None => Reason::new(Because::Condition, "", "its conditions do not hold"),
        }),
        _ => {
            let listed = table.listing().find(|one| one.id() == hook.id() && one.event == event);
            let posture = listed.map(|listed| listed.posture(FailureClass::Unclear).name());
            let posture = posture.unwrap_or("a failure");
            Some(match find(Truth::Unknown) {
                Some(one) => {
                    let why = format!(
                        "`{}` cannot be told, which counts as {posture}: {}",
                        one.written, one.why
                    );
                    Reason::new(Because::Unclear, one.written.as_str(), why)
                }
                None => Reason::new(Because::Unclear, "", "its conditions cannot be told"),
            })
        }
    }
}

/// Returns the reason if no hook is called.
pub(super) fn without_a_call(hook: &HookSpec, table: &HandlerTable, event: &str) -> Reason {
    if hook.why_set_aside().is_some() {
        let listed = table.listing().find(|one| one.id() == hook.id() && one.event == event);
        let posture = listed.map_or("a failure", |one| one.posture(FailureClass::Spawn).name());
        return Reason::new(
            Because::SetAside,
            "",
            format!("{SET_ASIDE}, which counts as {posture}"),
        );
    }
    let is_decider = |role: Role, mode: Mode| role != Role::Observe && mode == Mode::Enforce;
    let here = table.listing().filter(|listed| listed.event == event);
    let before: Vec<HookId> = here
        .take_while(|listed| listed.id() != hook.id())
        .filter(|listed| is_decider(listed.role(), listed.mode()))
        .map(|listed| listed.id().clone())
        .collect();
    let why = match before.len() {
        0 => "its conditions hold, and no hook is called here; otherwise it would be",
        _ => {
            "its conditions hold, and no hook is called here; otherwise it would be, unless one \
              before it decides or rewrites the step"
        }
    };
    Reason::new(Because::NotCalled, "", why).by(before)
}

/// Returns the reason after the hooks were called.
pub(super) fn after_the_call(
    hook: &HookSpec,
    report: &Report,
    before: Option<Reason>,
    stop_at: VerdictDecision,
) -> Reason {
    let mut votes = report.votes.iter().filter(|vote| vote.hook == *hook.id());
    let last = votes.clone().rfind(|vote| vote.outcome != VoteOutcome::Cancelled);
    let is_unclear = |vote: &Vote| vote.failure == Some(FailureClass::Unclear);
    match (last, before) {
        // It says which condition it is.
        (Some(vote), Some(before)) if is_unclear(vote) && before.because == Because::Unclear => {
            return before;
        }
        (Some(vote), _) => return of_vote(hook, vote, report),
        (None, Some(before)) => return before,
        (None, None) => {}
    }
    if hook.is_background() {
        let why = "its conditions hold: it runs in the background, and leaves no vote";
        return Reason::new(Because::Background, "", why);
    }
    // The engine stops at the first such vote, or at several that came at once.
    let stopped = |vote: &&Vote| vote.mode == Mode::Enforce && vote.decision >= Some(stop_at);
    let stoppers = report.votes.iter().filter(stopped);
    let by: Vec<HookId> = stoppers.clone().map(|vote| vote.hook.clone()).collect();
    let said = stoppers.clone().next_back().and_then(|vote| vote.decision);
    if votes.next().is_some() {
        let why =
            format!("{} while it was running: its answer was not waited for", says(&by, said));
        return Reason::new(Because::Cancelled, names(&by), why).by(by);
    }
    if !by.is_empty() {
        let why = format!("{} before it was its turn", says(&by, said));
        return Reason::new(Because::DecidedBefore, names(&by), why).by(by);
    }
    if !report.patched.is_empty() {
        let fields = report.patched.join("`, `");
        let rewriters = report.votes.iter().filter(|vote| vote.rewrote);
        let why = format!(
            "its conditions hold for the step as it came in, but `{fields}` was rewritten before it \
             was its turn, and they do not hold for the new step"
        );
        let by = rewriters.map(|vote| vote.hook.clone()).collect();
        return Reason::new(Because::Rewritten, "", why).by(by);
    }
    let why = "its conditions hold, and the record does not say why it was not called";
    Reason::new(Because::Unknown, "", why)
}

/// Returns the reason of a hook that was called.
fn of_vote(hook: &HookSpec, vote: &Vote, report: &Report) -> Reason {
    let reason = vote.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    let mut detail = vote.detail.as_ref().map(|detail| format!(": {detail}")).unwrap_or_default();
    if !vote.failed_attempts.is_empty() {
        let before: Vec<_> = vote.failed_attempts.iter().map(|class| class.name()).collect();
        let number = before.len() + 1;
        detail.push_str(&format!(" (attempt {number}, after {})", before.join(", ")));
    }
    match (vote.outcome, vote.decision) {
        (VoteOutcome::Failed, decision) => {
            let class = vote.failure.unwrap_or(FailureClass::Malformed);
            let counts = match decision {
                Some(decision) if vote.mode == Mode::Enforce => format!("counts as {decision}"),
                _ if vote.fallback => "does not count: its fallback stands in".to_owned(),
                _ if hook.is_required() => "is a gap: it is required".to_owned(),
                _ => "does not count".to_owned(),
            };
            if hook.why_set_aside().is_some() {
                return Reason::new(Because::SetAside, "", format!("{SET_ASIDE}, which {counts}"));
            }
            if class == FailureClass::Unclear {
                let why = format!("its conditions cannot be told, which {counts}{detail}");
                return Reason::new(Because::Unclear, "", why);
            }
            let why = format!("it failed ({class}), which {counts}{detail}");
            Reason::new(Because::Failed, class.name(), why)
        }
        (VoteOutcome::Observed, _) => {
            let why = format!("it was notified after the decision{detail}");
            Reason::new(Because::Observed, "", why)
        }
        (VoteOutcome::Would, decision) => {
            let would = decision.map_or(added(vote), |decision| format!("would {decision}"));
            let mode = vote.mode.name();
            let why = format!("it {would}, which does not count in mode `{mode}`{reason}");
            Reason::new(Because::Would, would, why)
        }
        (VoteOutcome::Verdict, None) if report.by.contains(hook.id()) => {
            Reason::new(Because::Decided, "answered", "it answered in place of the step")
        }
        (VoteOutcome::Verdict, None) => {
            let why = format!("it did not object, and {}", added(vote));
            Reason::new(Because::Added, added(vote), why)
        }
        (VoteOutcome::Verdict, Some(decision)) => of_decision(hook, decision, report, &reason),
        _ => {
            Reason::new(Because::NoOpinion, "", format!("it was called and had no opinion{detail}"))
        }
    }
}

fn of_decision(
    hook: &HookSpec,
    decision: VerdictDecision,
    report: &Report,
    reason: &str,
) -> Reason {
    let outcome = Outcome::from(decision);
    let said = past(decision);
    if report.by.contains(hook.id()) {
        return Reason::new(Because::Decided, decision.name(), format!("it {said}{reason}"));
    }
    let by = &report.by;
    let why = if outcome < report.decision {
        format!("it {said}{reason}; but {}", says(by, None) + " " + report.decision.name())
    } else if outcome > report.decision {
        let why = report.messages.join("; ");
        format!("it {said}{reason}; but the step goes on all the same: {why}")
    } else {
        format!("it {said}{reason}; but its allow is no approval here (`may_allow`)")
    };
    Reason::new(Because::Overruled, names(by), why).by(by.clone())
}

/// Says what a hook did beside deciding.
fn added(vote: &Vote) -> String {
    match (vote.rewrote, vote.added_context) {
        (true, true) => "rewrote the step and added context",
        (true, false) => "rewrote the step",
        (false, true) => "added context",
        (false, false) => "said something to the user or the runtime",
    }
    .to_owned()
}

fn names(by: &[HookId]) -> String {
    by.iter().map(HookId::as_str).collect::<Vec<_>>().join(", ")
}

/// Names hooks, with what they have decided.
fn says(by: &[HookId], decision: Option<VerdictDecision>) -> String {
    let names: Vec<String> = by.iter().map(|id| format!("`{id}`")).collect();
    let names = match names.as_slice() {
        [] => "another hook".to_owned(),
        names => names.join(", "),
    };
    match decision {
        Some(decision) => format!("{names} {}", past(decision)),
        None => format!("{names} said"),
    }
}

const fn past(decision: VerdictDecision) -> &'static str {
    match decision {
        VerdictDecision::Allow => "allowed",
        VerdictDecision::Ask => "asked",
        VerdictDecision::Deny => "denied",
        VerdictDecision::Halt => "halted the run",
    }
}
