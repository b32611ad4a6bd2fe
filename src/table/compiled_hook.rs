//! One hook at one event, as it is called there.
//!
//! Everything that can be decided when the table is built is decided here: the role, the deadline,
//! and what a failure of each class counts as. A dispatch only reads the result.
//!
//! The role is the first of: what the hook sets, what a name of another system says, what the
//! handler declares, the default of the event. What a failure counts as is the first of: what the
//! hook sets for the class, what it sets for all classes, what a name of another system says, the
//! default of the event for the role. Two classes follow their own key only: an oversized step counts
//! as deny, and an unclear hook as ask or else as deny.

use std::sync::Arc;
use std::time::Duration;

use hookgate_contract::json::Integers;
use hookgate_contract::{
    Condition, Contract, Envelope, FailureClass, Handler, Invocation, Mode, Posture, Role,
    VerdictDecision,
};

use super::Limits;
use super::build_error::BuildError;
use super::definition::HookDefinition;
use super::dependency::Dependencies;
use super::event_check::{
    check_at_event, check_fallback, check_retry, check_text_window, takes_posture,
};
use super::event_selector::EventSelector;
use super::retrying::retrying;
use super::spec::HookSpec;
use crate::hook_id::HookId;
use crate::matcher::{Conditions, Holding};

/// Conditions of other hooks that want to be told of a hook.
pub(super) type Watchers = Arc<[Arc<dyn Condition>]>;

/// One hook at one event.
#[derive(Debug, Clone)]
pub(crate) struct CompiledHook {
    pub(crate) definition: Arc<HookDefinition>,
    pub(crate) handler: Handler,
    pub(crate) conditions: Arc<Conditions>,
    /// Conditions of other hooks that want to be told when the conditions of this one hold.
    watchers: Watchers,
    /// Whether there is anything to do beside the call: it has conditions, watchers or dependencies, or its answer
    /// can be late.
    pub(crate) checks: bool,
    /// Whether it answers at once and has a timeout of its own: an answer after that is late.
    pub(crate) can_be_late: bool,
    /// Whether its handler answers the same whatever the step is.
    pub(crate) static_answer: bool,
    pub(crate) role: Role,
    pub(crate) mode: Mode,
    pub(crate) timeout: Duration,
    /// Which integers its answers may contain.
    pub(crate) integers: Integers,
    /// From which decision of it on the hooks after it are not called any more.
    pub(crate) stop_at: VerdictDecision,
    /// Whether it is called about one version of a step only.
    pub(crate) once: bool,
    /// Whether its calls take places for processes or requests.
    pub(crate) takes_place: bool,
    /// Neighbours of the same group may be called at the same time: see [`super::groups`].
    pub(crate) group: u32,
    /// The contract that the table has for the event.
    contract: &'static Contract,
    /// Whether its conditions or its handler do work that grows with the step.
    pub(crate) heavy: bool,
    /// Which other hooks it depends on, and which depend on it.
    pub(crate) dependencies: Dependencies,
    /// What a failure counts as, by class.
    postures: [Posture; FailureClass::COUNT],
}

impl CompiledHook {
    /// Resolves role, deadline and postures of a hook at one of its events, and checks them against
    /// the contract of the event.
    pub(super) fn new(
        definition: &Arc<HookDefinition>,
        event_index: usize,
        selector: &EventSelector,
        contract: &'static Contract,
        limits: &Limits,
        errors: &mut Vec<BuildError>,
    ) -> Self {
        let spec = &definition.spec;
        let built = spec.built();
        let role = spec
            .role
            // Under a name that only observes, a handler that is made to decide still decides.
            .or(selector.role.filter(|role| *role != Role::Observe || built.role.is_none()))
            .or(built.role)
            .unwrap_or(contract.default_role());
        check_at_event(spec, selector.name(), contract, role, errors);
        // A script that was written for another system keeps what its failures count as there; a
        // handler of our own fails as the event says.
        let foreign = selector
            .posture
            .filter(|posture| spec.is_foreign() && takes_posture(contract, role, *posture));
        let postures = FailureClass::ALL.map(|class| posture(spec, foreign, role, contract, class));
        let timeout = spec.timeout.unwrap_or_else(|| limits.timeout_of(spec.kind()));
        if spec.retry.is_some() {
            check_retry(spec, timeout, errors);
        }
        check_text_window(spec, selector.name(), role, errors);
        check_fallback(spec, selector.name(), contract, &postures, errors);
        let can_be_late = spec.timeout.is_some() && matches!(built.handler, Handler::Sync(_));
        Self {
            handler: retrying(&built.handler, spec.retry(), timeout),
            dependencies: Dependencies::default(),
            checks: definition.conditions_at(event_index).any() || can_be_late,
            can_be_late,
            conditions: definition.conditions_at(event_index),
            watchers: Watchers::default(),
            static_answer: built.static_answer && role != Role::Observe,
            role,
            mode: spec.mode,
            timeout,
            integers: limits.integers,
            stop_at: limits.stop_at.decision(),
            once: built.once,
            takes_place: built.resource.is_some(),
            group: 0,
            contract,
            heavy: built.heavy || spec.matcher().is_heavy(),
            postures,
            definition: Arc::clone(definition),
        }
    }

    /// Sets which conditions of other hooks are told when the conditions of this one hold.
    pub(super) fn watched_by(mut self, watchers: Watchers) -> Self {
        self.watchers = watchers;
        self.checks = self.has_checks();
        self
    }

    /// Sets which other hooks it depends on, and which depend on it.
    pub(super) fn depending(mut self, dependencies: Dependencies) -> Self {
        self.dependencies = dependencies;
        self.checks = self.has_checks();
        self
    }

    fn has_checks(&self) -> bool {
        self.conditions.any()
            || !self.watchers.is_empty()
            || self.can_be_late
            || self.dependencies.any()
    }

    /// Puts the hook in the group of an earlier one whose place it takes; `None` if it would belong to
    /// another one.
    pub(super) fn grouped_as(self, earlier: &Self) -> Option<Self> {
        let key = |hook: &Self| (hook.watches(), hook.role == Role::Rewrite, hook.once);
        let grouped = (key(&self) == key(earlier)).then_some(Self { group: earlier.group, ..self });
        grouped.map(|hook| hook.depending(earlier.dependencies.clone()))
    }

    /// Returns whether these conditions of other hooks are told.
    pub(super) fn is_watched_by(&self, watchers: &Watchers) -> bool {
        let same = |(ours, theirs)| Arc::ptr_eq(ours, theirs);
        self.watchers.len() == watchers.len() && self.watchers.iter().zip(&**watchers).all(same)
    }

    /// Tells all who want to know that the hook is about to be called, or that it is unclear whether it
    /// should be.
    pub(crate) fn note_held(&self, step: &Envelope<'_>, holding: Holding) {
        self.conditions.note_held(step, holding);
        for watcher in &*self.watchers {
            self.conditions.tell(&**watcher, step);
        }
    }

    /// Returns the invocation of the hook for a step.
    #[inline]
    pub(crate) fn invocation<'a>(&'a self, step: &'a Envelope<'a>) -> Invocation<'a> {
        let invocation = Invocation::new(self.id(), step);
        if self.conditions.has_further() { invocation.under(&*self.conditions) } else { invocation }
    }

    /// Returns the id of the hook.
    pub(crate) fn id(&self) -> &HookId {
        self.definition.spec.id()
    }

    /// Returns whether the hook cannot influence the decision: it is called after it, or in the
    /// background.
    pub(crate) fn watches(&self) -> bool {
        self.role == Role::Observe || self.definition.spec.background
    }

    /// Returns whether the dispatch has to wait for the handler.
    pub(crate) fn waits(&self) -> bool {
        matches!(self.handler, Handler::Async(_)) && !self.definition.spec.background
    }

    /// Returns what a failure of this class counts as.
    pub(crate) fn posture(&self, class: FailureClass) -> Posture {
        self.postures.get(class.index()).copied().unwrap_or(Posture::Deny)
    }

    /// Returns what a failure counts as at a step whose contract may differ from the one that the
    /// table knows.
    pub(crate) fn posture_at(&self, contract: &'static Contract, class: FailureClass) -> Posture {
        if std::ptr::eq(contract, self.contract) {
            self.posture(class)
        } else {
            posture(&self.definition.spec, None, self.role, contract, class)
        }
    }
}

/// Returns what an unclear hook counts as that does not say it: an ask where the user can be asked, else
/// a deny where something can be denied.
fn unclear_posture(role: Role, contract: &Contract) -> Posture {
    let takes = |posture: &Posture| takes_posture(contract, role, *posture);
    [Posture::Ask, Posture::Deny].into_iter().find(takes).unwrap_or(Posture::Allow)
}

/// Resolves what a failure of a class counts as: what the hook says of the class, of all classes,
/// what the name of the event brings with it, what the contract says.
fn posture(
    spec: &HookSpec,
    foreign: Option<Posture>,
    role: Role,
    contract: &Contract,
    class: FailureClass,
) -> Posture {
    match spec.on.get(&class) {
        Some(&posture) => posture,
        // The agent under guard can make an envelope large on purpose, so a general `on_failure` does
        // not let oversized steps pass.
        None if class == FailureClass::Oversize
            && role != Role::Observe
            && contract.takes_posture(Posture::Deny) =>
        {
            Posture::Deny
        }
        // Nor what it has counted: a general `on_failure` does not make a limit that was deleted start anew.
        None if class == FailureClass::State && contract.default_posture(role) == Posture::Deny => {
            Posture::Deny
        }
        // A hook that never refuses has nothing to ask about: the step goes on without what it would add.
        None if class == FailureClass::Unclear && spec.built().never_refuses => Posture::Allow,
        // What cannot be told is no defect, so it is for the user to say, whoever broken hooks are for.
        None if class == FailureClass::Unclear => unclear_posture(role, contract),
        None => spec.on_failure.or(foreign).unwrap_or(contract.default_posture(role)),
    }
}
