//! Steps that the engine itself refuses, without a word of a hook: as far as their event lets it.

use hookgate_contract::payload::AnyPayload;
use hookgate_contract::{Contract, Parts, ReasonCode, Refusal, VerdictDecision};

use super::{DispatchContext, DispatchState, Evaluated, contract, nesting};
use crate::decision::{Ballot, Ballots, Decision, ENGINE, Outcome, SmallList, merge};
use crate::generation::Generation;
use crate::hook_id::HookId;
use crate::log;
use crate::step::unlike_table;
use crate::table::HandlerTable;

impl DispatchContext<'_> {
    /// Returns what becomes of a step whose own contract is not the one that the table has for its event: what hooks
    /// say would be measured by rules that their authors do not know, so none is called. `None` if it is the same.
    #[inline]
    pub(super) fn refuse_unlike(&self, payload: &dyn AnyPayload) -> Option<Evaluated> {
        // A step of the engine has the contract that every table has.
        if payload.is_built_in() { None } else { self.refuse_unlike_table(payload) }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn refuse_unlike_table(&self, payload: &dyn AnyPayload) -> Option<Evaluated> {
        let (own, registered) = (contract(self.bucket, payload), self.bucket.contract);
        let problem = unlike_table(own, registered)?;
        let refusal = strictest(registered).or_else(|| strictest(own));
        Some(self.refuse(refuse_as_illegal(refusal, problem)))
    }

    /// Returns what becomes of a step that a hook of the same event, or the recorder, has dispatched: no hook is
    /// called.
    #[cold]
    #[inline(never)]
    pub(super) fn refuse_nested(&self) -> Evaluated {
        self.refuse(self.nested_refusal())
    }

    /// Returns what becomes of a step whose payload panicked where no hook has to do with it.
    #[cold]
    #[inline(never)]
    pub(super) fn refuse_broken(&self) -> Evaluated {
        let contract = self.bucket.contract;
        let problem = "a method of its payload panicked".to_owned();
        let mut evaluated = self.refuse(refuse_as_illegal(strictest(contract), problem));
        if contract.limits_denials {
            self.limit_denied_stops(evaluated.decision.as_deref_mut(), None);
        }
        evaluated
    }

    fn refuse(&self, ballot: Option<Ballot>) -> Evaluated {
        let Some(ballot) = ballot else { return Evaluated::default() };
        let mut ballots = Ballots::default();
        ballots.push(ballot);
        let (decision, answer) = merge(ballots, SmallList::new(), self.table.generation());
        Evaluated { decision: Some(decision), answer, votes: Vec::new() }
    }

    /// Returns the ballot of the engine about a step that has to do with one that was refused; `None` if nothing is
    /// refused at the event. That is logged.
    #[cold]
    #[inline(never)]
    pub(super) fn nested_refusal(&self) -> Option<Ballot> {
        let contract = self.bucket.contract;
        refuse_as_illegal(strictest(contract), nesting::problem(contract.name))
    }
}

impl DispatchState<'_> {
    /// Adds what a hook has said of a part of the step, before the whole was dispatched, unless the whole is refused anyway.
    #[cold]
    #[inline(never)]
    pub(super) fn add_refusal(&mut self, refusal: &Refusal) {
        let is_refused = |ballot: &Ballot| ballot.parts.decision >= Some(VerdictDecision::Deny);
        if self.ballots.iter().any(is_refused) {
            return;
        }
        let hook = HookId::from(refusal.hook.as_str());
        let index = self.context.set.deciders.iter().position(|decider| *decider.id() == hook);
        let mut parts = Box::<Parts>::default();
        parts.decision = Some(refusal.decision);
        parts.reason = Some(refusal.reason.clone());
        self.ballots.push(Ballot {
            index: index.unwrap_or(usize::MAX),
            hook,
            parts,
            approves: false,
            failed: None,
            uncounted: None,
        });
    }
}

impl Evaluated {
    /// Refuses a step of an event at which no hook is any more, since one has refused a part of it.
    #[cold]
    pub(crate) fn refuse_as_before(refusal: &Refusal, table: &HandlerTable) -> Self {
        let mut decision = Box::new(Decision::empty(table.generation()));
        decision.deny_by_engine(&refusal.reason, ReasonCode::PolicyViolation);
        Self { decision: Some(decision), ..Self::default() }
    }

    /// Refuses a step that comes after the engine was closed; `None` if nothing is refused at its event, or only by who
    /// wants to (a stop).
    #[cold]
    pub(crate) fn refuse_closed(
        payload: &dyn AnyPayload,
        table: &HandlerTable,
        why: &str,
    ) -> Option<Self> {
        let contract = match table.bucket(payload) {
            Some(bucket) => contract(bucket, payload),
            None => payload.contract(),
        };
        if contract.fails_open {
            return None;
        }
        let outcome = Outcome::from(strictest(contract)?);
        let mut decision = Box::new(Decision::empty(table.generation()));
        decision.deny_by_engine(why, ReasonCode::RuntimeError);
        decision.outcome = outcome;
        Some(Self { decision: Some(decision), ..Self::default() })
    }

    /// Refuses a step that would go on without its record. Returns the new decision, unless there is none: the step does
    /// not go on anyway, or nothing is refused at its event, which is logged.
    #[cold]
    pub(crate) fn refuse_unrecorded(
        &mut self,
        payload: &dyn AnyPayload,
        generation: Generation,
    ) -> Option<Decision> {
        let outcome = self.decision.as_ref().map_or(Outcome::Allow, |decision| decision.outcome);
        if outcome.is_refusal() {
            return None;
        }
        let contract = payload.contract();
        let problem = "there is no record of the step, and there must be one";
        log::no_record(contract.name, problem);
        let outcome = Outcome::from(strictest(contract)?);
        self.answer = None;
        let decision = self.decision.get_or_insert_with(|| Box::new(Decision::empty(generation)));
        decision.deny_by_engine(problem, ReasonCode::RuntimeError);
        decision.outcome = outcome;
        Some(Decision::clone(decision))
    }
}

/// Returns the decision by which a step is refused at an event; `None` if nothing is refused there.
pub(super) fn strictest(contract: &Contract) -> Option<VerdictDecision> {
    let refusals = [VerdictDecision::Deny, VerdictDecision::Halt, VerdictDecision::Ask];
    refusals.into_iter().find(|refusal| contract.allows(*refusal))
}

/// The ballot of the engine itself, which refuses the step as far as its event lets it.
#[cold]
pub(super) fn refuse_as_illegal(
    refusal: Option<VerdictDecision>,
    problem: String,
) -> Option<Ballot> {
    log::illegal_step(None, &problem);
    let mut parts = Box::<Parts>::default();
    parts.decision = Some(refusal?);
    parts.reason = Some(format!("the step is illegal: {problem}"));
    parts.reason_code = Some(ReasonCode::RuntimeError);
    Some(Ballot {
        index: usize::MAX,
        hook: HookId::from(ENGINE),
        parts,
        approves: false,
        failed: None,
        uncounted: None,
    })
}
