//! Checks of one hook against the contract of one of its events.
//!
//! The contract says which roles, decisions and postures an event has. A hook that asks for more is
//! refused when the table is built, and not adapted: a guard that cannot deny, or a rewriter at an
//! event whose payload cannot be changed, would look like protection and be none.

use hookgate_contract::settings::LONGEST;
use hookgate_contract::{Contract, EventKind, Handler, Posture, Role};

use super::build_error::{BuildError, BuildProblem};
use super::spec::{HookSpec, override_key};
use crate::matcher::MatchSpec;

/// Returns whether the handler of a hook runs on the thread of the dispatch, however large the step is.
pub(crate) fn cannot_be_stopped(spec: &HookSpec) -> bool {
    let built = spec.built();
    matches!(built.handler, Handler::Sync(_)) && !built.heavy && !spec.matcher().is_heavy()
}

/// Reports everything of a hook that makes no sense at an event: a handler that can do nothing
/// there, a role or a posture that the event does not have, a condition that can never hold.
pub(super) fn check_at_event(
    spec: &HookSpec,
    event: &str,
    contract: &Contract,
    role: Role,
    errors: &mut Vec<BuildError>,
) {
    let named = || event.to_owned();
    let mut report = |key, problem| errors.push(BuildError::of_hook(spec, key, problem).at(event));
    if let Some(Err(why)) = spec.built().supports.map(|supports| supports(contract)) {
        report("event", BuildProblem::Unfit { event: named(), why });
    }
    if spec.matcher().names_tools() && !contract.tool {
        report(tool_key(spec.matcher()), BuildProblem::NoTool { event: named() });
    }
    for (built, _) in spec.matcher().all_registered() {
        if let Some(Err(why)) = built.supports().map(|supports| supports(contract)) {
            let key = built.key();
            report(key, BuildProblem::UnfitCondition { key, event: named(), why });
        }
    }
    let sees_decision = role == Role::Observe && contract.kind != EventKind::Observe;
    for (key, field) in spec.matcher().unknown_fields(contract, sees_decision) {
        report(key, BuildProblem::Match(field));
    }
    if spec.timeout.is_some_and(|timeout| timeout > LONGEST) {
        report("timeout", BuildProblem::TooLong("timeout"));
    } else if spec.timeout.is_some() && spec.is_closure() && cannot_be_stopped(spec) {
        report("timeout", BuildProblem::NoTimeout);
    }
    // What follows is about the role; a role that could not be read was reported.
    if spec.unread.role {
        return;
    }
    if !contract.takes_role(role) {
        report("role", BuildProblem::Role { event: named(), role: role.name() });
    }
    let in_background =
        role == Role::Observe || (role == Role::Rewrite && contract.kind == EventKind::Result);
    if spec.background && !in_background {
        report("background", BuildProblem::Background { event: named() });
    }
    let refused = |posture: &Posture| !takes_posture(contract, role, *posture);
    let problem = |posture: Posture| BuildProblem::Posture {
        event: named(),
        posture: posture.name(),
        role: role.name(),
    };
    if let Some(posture) = spec.on_failure.filter(refused) {
        report("on_failure", problem(posture));
    }
    for (&class, &posture) in spec.on.iter().filter(|(_, posture)| refused(posture)) {
        report(override_key(class), problem(posture));
    }
}

/// Returns whether a failure of a hook of this role can count so at an event. An observer decides
/// nothing, so its failure can only count as allow.
pub(super) fn takes_posture(contract: &Contract, role: Role, posture: Posture) -> bool {
    contract.takes_posture(posture) && (role != Role::Observe || posture == Posture::Allow)
}

/// Returns the first key of hooks.toml that makes a hook one about tools.
fn tool_key(matcher: &MatchSpec) -> &'static str {
    if !matcher.tool.is_empty() {
        "tool"
    } else if !matcher.tool_glob.is_empty() {
        "tool_glob"
    } else if !matcher.tool_regex.is_empty() {
        "tool_regex"
    } else if !matcher.safety.is_empty() {
        "safety"
    } else {
        "any"
    }
}
