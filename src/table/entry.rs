//! One hook at one event, compiled.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hookgate_contract::json::Integers;
use hookgate_contract::settings::LONGEST;
use hookgate_contract::{Contract, FailureClass, Handler, Mode, Posture, Role};

use super::Limits;
use super::on::EventSelector;
use super::problem::{BuildError, BuildProblem};
use super::spec::HookSpec;
use crate::hook_id::HookId;
use crate::matcher::{Conditions, MatchSpec, ToolPatterns};

/// A hook whose patterns are compiled, shared by its entries and by later tables.
#[derive(Debug)]
pub(crate) struct HookDefinition {
    pub(crate) spec: HookSpec,
    pub(crate) patterns: ToolPatterns,
    /// The conditions, for each event of the specification.
    conditions: Vec<Arc<Conditions>>,
    /// How often the hook failed, per class.
    failures: [AtomicU64; FailureClass::COUNT],
    /// How many of its background calls were dropped.
    dropped: AtomicU64,
}

impl HookDefinition {
    /// Compiles the patterns of a hook; what is wrong is reported.
    pub(crate) fn new(spec: HookSpec, errors: &mut Vec<BuildError>) -> Self {
        let mut wrong = Vec::new();
        let patterns = ToolPatterns::compile(spec.matcher(), &mut wrong);
        let general = Arc::new(Conditions::compile(spec.matcher(), &mut wrong));
        let conditions = spec
            .events()
            .iter()
            .map(|on| match &on.only {
                None => Arc::clone(&general),
                Some(only) => {
                    let mut matcher = MatchSpec::clone(spec.matcher());
                    matcher.payload.push(only.clone());
                    // What is wrong with the rest was reported.
                    Arc::new(Conditions::compile(&matcher, &mut Vec::new()))
                }
            })
            .collect();
        errors.extend(
            wrong
                .into_iter()
                .map(|(key, error)| BuildError::new(spec.id(), key, BuildProblem::Match(error))),
        );
        Self {
            spec,
            patterns,
            conditions,
            failures: [const { AtomicU64::new(0) }; FailureClass::COUNT],
            dropped: AtomicU64::new(0),
        }
    }

    /// Counts a background call that was dropped; how many there were with it.
    pub(crate) fn count_dropped(&self) -> u64 {
        // ORDERING: as for the failures.
        self.dropped.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn count_failure(&self, class: FailureClass) {
        if let Some(counter) = self.failures.get(class.index()) {
            // ORDERING: a statistic, read by nobody who relies on other memory.
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn failures(&self, class: FailureClass) -> u64 {
        self.failures.get(class.index()).map_or(0, |counter| counter.load(Ordering::Relaxed))
    }
}

/// One hook at one event. All that can be decided beforehand is.
#[derive(Debug, Clone)]
pub(crate) struct CompiledHook {
    pub(crate) hook: Arc<HookDefinition>,
    pub(crate) handler: Handler,
    pub(crate) conditions: Arc<Conditions>,
    pub(crate) role: Role,
    pub(crate) mode: Mode,
    pub(crate) timeout: Duration,
    /// Which integers its answers may have.
    pub(crate) integers: Integers,
    /// Neighbours of the same group may be asked at the same time.
    pub(crate) group: u32,
    /// What the table knows of the event.
    contract: &'static Contract,
    /// Whether its conditions or its handler do work that grows with the step.
    pub(crate) heavy: bool,
    postures: [Posture; FailureClass::COUNT],
}

impl CompiledHook {
    /// Resolves role, deadline and postures of a hook at an event, and checks them against its
    /// contract.
    pub(super) fn new(
        hook: &Arc<HookDefinition>,
        place: usize,
        on: &EventSelector,
        contract: &'static Contract,
        limits: &Limits,
        errors: &mut Vec<BuildError>,
    ) -> Self {
        let spec = &hook.spec;
        let event = on.name();
        let mut wrong =
            |key, problem| errors.push(BuildError::new(spec.id(), key, problem).at(event));
        let built = spec.built();
        if let Some(Err(why)) = built.supports.map(|fits| fits(contract)) {
            wrong("event", BuildProblem::Unfit { event: event.to_owned(), why });
        }
        let role = spec
            .role
            // Under a name that only observes, a handler that is made to decide still decides.
            .or(on.role.filter(|role| *role != Role::Observe || built.role.is_none()))
            .or(built.role)
            .unwrap_or(contract.default_role());
        if !contract.takes_role(role) {
            wrong("role", BuildProblem::Role { event: event.to_owned(), role: role.name() });
        }
        if spec.matcher().names_tools() && !contract.tool {
            wrong(tool_key(spec.matcher()), BuildProblem::NoTool { event: event.to_owned() });
        }
        for (key, field) in spec.matcher().unknown_fields(contract) {
            wrong(key, BuildProblem::Match(field));
        }
        let in_background = role == Role::Observe
            || (role == Role::Rewrite && contract.kind == hookgate_contract::EventKind::Result);
        if spec.background && !in_background {
            wrong("background", BuildProblem::Background { event: event.to_owned() });
        }
        let takes = |posture| {
            contract.takes_posture(posture) && (role != Role::Observe || posture == Posture::Allow)
        };
        let refused = |posture: Posture| BuildProblem::Posture {
            event: event.to_owned(),
            posture: posture.name(),
            role: role.name(),
        };
        if let Some(posture) = spec.on_failure.filter(|posture| !takes(*posture)) {
            wrong("on_failure", refused(posture));
        }
        for (&class, &posture) in &spec.on {
            if !takes(posture) {
                wrong(super::spec::override_key(class), refused(posture));
            }
        }
        // A script that was written for another system; what is our own fails as ever.
        let foreign = on.posture.filter(|posture| spec.is_foreign() && takes(*posture));
        let postures = FailureClass::ALL.map(|class| resolve(spec, foreign, role, contract, class));
        if spec.timeout.is_some_and(|timeout| timeout > LONGEST) {
            wrong("timeout", BuildProblem::TooLong("timeout"));
        }
        Self {
            handler: built.handler.clone(),
            conditions: hook.conditions.get(place).cloned().unwrap_or_default(),
            role,
            mode: spec.mode,
            timeout: spec.timeout.unwrap_or_else(|| limits.timeout_of(spec.kind())),
            integers: limits.integers,
            group: 0,
            contract,
            heavy: built.heavy || looks_into_fields(spec.matcher()),
            postures,
            hook: Arc::clone(hook),
        }
    }

    pub(crate) fn id(&self) -> &str {
        self.hook.spec.id()
    }

    pub(crate) fn hook_id(&self) -> &HookId {
        self.hook.spec.id()
    }

    /// Whether the hook is told after the decision, or in the background.
    pub(crate) fn watches(&self) -> bool {
        self.role == Role::Observe || self.hook.spec.background
    }

    /// Whether the handler waits for something while the dispatch waits for it.
    pub(crate) fn waits(&self) -> bool {
        matches!(self.handler, Handler::Async(_)) && !self.hook.spec.background
    }

    pub(crate) fn posture(&self, class: FailureClass) -> Posture {
        self.postures.get(class.index()).copied().unwrap_or(Posture::Deny)
    }

    /// The posture at a step whose contract may be another one than the table knows.
    pub(crate) fn posture_at(&self, contract: &'static Contract, class: FailureClass) -> Posture {
        if std::ptr::eq(contract, self.contract) {
            self.posture(class)
        } else {
            resolve(&self.hook.spec, None, self.role, contract, class)
        }
    }
}

/// What a hook counts as at an event when it fails in a way.
fn resolve(
    spec: &HookSpec,
    foreign: Option<Posture>,
    role: Role,
    contract: &Contract,
    class: FailureClass,
) -> Posture {
    match spec.on.get(&class) {
        Some(&posture) => posture,
        // The judged party can make an envelope large, so this class does not follow the rest.
        None if class == FailureClass::Oversize
            && role != Role::Observe
            && contract.takes_posture(Posture::Deny) =>
        {
            Posture::Deny
        }
        None => spec.on_failure.or(foreign).unwrap_or(contract.default_posture(role)),
    }
}

/// Whether a hook has conditions on fields, whose values the judged party makes as long as it likes.
const fn looks_into_fields(matcher: &MatchSpec) -> bool {
    !(matcher.input.is_empty() && matcher.payload.is_empty())
}

/// The first key of hooks.toml that makes a hook one about tools.
const fn tool_key(matcher: &MatchSpec) -> &'static str {
    if !matcher.tool.is_empty() {
        "tool"
    } else if !matcher.tool_glob.is_empty() {
        "tool_glob"
    } else if !matcher.tool_regex.is_empty() {
        "tool_regex"
    } else {
        "safety"
    }
}
