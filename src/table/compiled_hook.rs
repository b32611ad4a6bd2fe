//! One hook at one event, as it is called there.
//!
//! Everything that can be decided when the table is built is decided here: the role, the deadline,
//! and what a failure of each class counts as. A dispatch only reads the result.
//!
//! The role is the first of: what the hook sets, what a name of another system says, what the
//! handler declares, the default of the event. What a failure counts as is the first of: what the
//! hook sets for the class, what it sets for all classes, what a name of another system says, the
//! default of the event for the role. An oversized step is the exception: it counts as deny unless
//! the hook sets that very class.

use std::sync::Arc;
use std::time::Duration;

use hookgate_contract::json::Integers;
use hookgate_contract::{Contract, FailureClass, Handler, Mode, Posture, Role};

use super::Limits;
use super::build_error::BuildError;
use super::definition::HookDefinition;
use super::event_check::{check_at_event, takes_posture};
use super::event_selector::EventSelector;
use super::spec::HookSpec;
use crate::hook_id::HookId;
use crate::matcher::{Conditions, MatchSpec};

/// One hook at one event.
#[derive(Debug, Clone)]
pub(crate) struct CompiledHook {
    pub(crate) definition: Arc<HookDefinition>,
    pub(crate) handler: Handler,
    pub(crate) conditions: Arc<Conditions>,
    pub(crate) role: Role,
    pub(crate) mode: Mode,
    pub(crate) timeout: Duration,
    /// Which integers its answers may contain.
    pub(crate) integers: Integers,
    /// Neighbours of the same group may be called at the same time: see [`super::groups`].
    pub(crate) group: u32,
    /// The contract that the table has for the event.
    contract: &'static Contract,
    /// Whether its conditions or its handler do work that grows with the step.
    pub(crate) heavy: bool,
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
        Self {
            handler: built.handler.clone(),
            conditions: definition.conditions_at(event_index),
            role,
            mode: spec.mode,
            timeout: spec.timeout.unwrap_or_else(|| limits.timeout_of(spec.kind())),
            integers: limits.integers,
            group: 0,
            contract,
            heavy: built.heavy || looks_into_fields(spec.matcher()),
            postures,
            definition: Arc::clone(definition),
        }
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
        None => spec.on_failure.or(foreign).unwrap_or(contract.default_posture(role)),
    }
}

/// Returns whether a hook has conditions on fields, whose values the agent can make as long as it
/// likes.
const fn looks_into_fields(matcher: &MatchSpec) -> bool {
    !(matcher.input.is_empty() && matcher.payload.is_empty())
}
