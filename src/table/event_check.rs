//! Checks of one hook against the contract of one of its events.
//!
//! The contract says which roles, decisions and postures an event has. A hook that asks for more is
//! refused when the table is built, and not adapted: a guard that cannot deny, or a rewriter at an
//! event whose payload cannot be changed, would look like protection and be none.

use std::time::Duration;

use hookgate_contract::contribution::Contribution;
use hookgate_contract::settings::LONGEST;
use hookgate_contract::{Contract, EventKind, Handler, Posture, Role};
use serde_json::Value;

use super::build_error::{BuildError, BuildProblem};
use super::retry::{MOST_RETRIES, Retry};
use super::spec::{HookSpec, override_key};
use super::text_window::STREAMED;
use crate::matcher::MatchSpec;
use crate::timer::format_timeout;

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
    if let Some(capabilities) = spec.capabilities()
        && !capabilities.may_be_at(event)
    {
        let declared = capabilities.events.clone().unwrap_or_default().join("`, `");
        let declared =
            if declared.is_empty() { "none".to_owned() } else { format!("`{declared}`") };
        report("event", BuildProblem::UndeclaredEvent { event: named(), declared });
    }
    if spec.required && (contract.deny() || role == Role::Observe) {
        let instead = match role {
            Role::Observe => "a hook that only observes adds nothing that could be missing",
            _ => "a failure can be denied there: write `on_failure = \"deny\"`",
        };
        report("required", BuildProblem::NotRequired { event: named(), instead });
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

/// Refuses to retry a handler for which that is nothing, or is done already.
pub(super) fn check_retry(spec: &HookSpec, timeout: Duration, errors: &mut Vec<BuildError>) {
    let Some(retry) = spec.retry() else { return };
    let mut report = |problem| errors.push(BuildError::of_hook(spec, "retry", problem));
    if matches!(spec.built().handler, Handler::Sync(_)) || spec.kind() == "builtin" {
        return report(BuildProblem::NothingToRetry);
    }
    // Its own retries follow what the service asks for, and pay each attempt from its budget.
    let own = spec.settings().get("retries").and_then(Value::as_u64);
    if spec.kind() == "prompt" && own != Some(0) {
        report(BuildProblem::RetriesItself);
    }
    if retry.times == 0 || retry.times > MOST_RETRIES {
        report(BuildProblem::RetryTimes(MOST_RETRIES));
    }
    if retry.on.is_empty() {
        report(BuildProblem::RetryOnNothing);
    }
    for class in retry.on.iter().filter(|class| !Retry::CLASSES.contains(class)) {
        report(BuildProblem::FinalFailure(*class));
    }
    let at_least = retry.attempt.unwrap_or_default().saturating_add(retry.backoff);
    if at_least >= timeout {
        report(BuildProblem::NoTimeToRetry { timeout: format_timeout(timeout).to_string() });
    }
}

/// Refuses windows of a text to a hook that cannot judge by them: one that changes the text, which a window may not, or
/// whose answer to a window is not what it says of this piece of the text.
pub(super) fn check_text_window(
    spec: &HookSpec,
    event: &str,
    role: Role,
    errors: &mut Vec<BuildError>,
) {
    let Some(window) = spec.text_window() else { return };
    let is_streamed = |event: &str| STREAMED.iter().any(|streamed| streamed.name() == event);
    let mut report = |problem| errors.push(BuildError::of_hook(spec, "stream", problem));
    if let Some(problem) = window.problem() {
        report(BuildProblem::WindowSize(problem));
    }
    if !spec.events().iter().any(|event| is_streamed(event.name())) {
        report(BuildProblem::NoTextToStream);
    }
    if !is_streamed(event) || spec.unread.role {
        return;
    }
    if role != Role::Guard {
        report(BuildProblem::Windowless("the hook is a guard, which changes nothing"));
    }
    if !spec.matcher().reads_no_text() {
        report(BuildProblem::Windowless("none of its conditions looks at the text"));
    }
    if spec.keeps_state() || spec.depends_on_history() || !spec.needs.is_empty() {
        report(BuildProblem::Windowless(
            "it counts nothing, remembers nothing and needs no other hook",
        ));
    }
}

/// Refuses contributions that could never stand in for those of a failed hook.
pub(super) fn check_fallback(
    spec: &HookSpec,
    event: &str,
    contract: &Contract,
    postures: &[Posture],
    errors: &mut Vec<BuildError>,
) {
    if spec.fallback.is_empty() {
        return;
    }
    let mut report =
        |problem| errors.push(BuildError::of_hook(spec, "fallback", problem).at(event));
    let kinds = || spec.fallback.iter().map(Contribution::kind);
    if let Some(kind) = kinds().find(|kind| !contract.contributions.contains(kind)) {
        let (kind, event) = (kind.name(), event.to_owned());
        report(BuildProblem::FallbackKind { kind, event });
    }
    let declared = spec.capabilities();
    let undeclared = |kind| declared.is_some_and(|declared| !declared.may_contribute(kind));
    if let Some(kind) = kinds().find(|kind| undeclared(*kind)) {
        report(BuildProblem::UndeclaredFallback(kind.name()));
    }
    let observes = spec.role == Some(Role::Observe);
    if spec.required || observes || postures.iter().all(|posture| *posture != Posture::Allow) {
        report(BuildProblem::UnusedFallback { event: event.to_owned() });
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
