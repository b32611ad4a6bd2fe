//! A step that is denied whatever the policy says: `hookgate doctor` sends it through the config of an
//! agent, to see whether the agent would obey.

use hookgate::contract::Verdict;
use hookgate::contract::dialect::Dialect;
use hookgate::{Event, HandlerTable, Hook, Mode, Role};

use crate::kinds::manifests;
use crate::terminal::phrase::count;
use crate::unreached::{Reach, begins_later};

/// The variable that makes `hookgate hook` take a step for a canary. Whoever sets it can only deny.
pub(crate) const VARIABLE: &str = "HOOKGATE_CANARY";

/// How the reason of the deny begins. What follows says how many hooks would have judged the step.
pub(crate) const SIGN: &str = "hookgate canary: ";

/// What follows if no hook of the policy is enforced at the event: the command answers, and guards nothing.
pub(crate) const NO_HOOK: &str = "no hook is enforced";

/// How the reason begins instead if a hook at the event has a mistake. What follows says which.
pub(crate) const SIGN_OF_MISTAKE: &str = "hookgate canary, a hook is set aside: ";

/// Tells whether this process judges a canary.
pub(crate) fn is_sent() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|value| !value.is_empty())
}

/// Returns a table that denies every step at an event, if anything can be denied there. The policy was
/// loaded, so it is in force; its hooks are not called, since nothing has happened. Only hooks count that can refuse a
/// step of this agent now. `problem` says why one of them
/// would fail.
pub(crate) fn deny_all_table(
    policy: &HandlerTable,
    event: &str,
    problem: Option<&str>,
    dialect: &dyn Dialect,
) -> HandlerTable {
    let Some(event) = Event::from_name(event) else { return HandlerTable::empty() };
    let manifests = manifests(policy);
    let reach = Reach { dialect, manifests: &manifests, called_at: None };
    let enforcing: Vec<_> = policy
        .listing()
        .filter(|listed| listed.event == event.name() && listed.mode() == Mode::Enforce)
        .filter(|listed| listed.role() != Role::Observe && begins_later(listed.spec()).is_none())
        .filter(|listed| reach.why_never(listed.spec()).is_none())
        .collect();
    let set_aside = enforcing.iter().find_map(|listed| listed.spec().why_set_aside());
    let reason = match set_aside.or(problem) {
        Some(why) => format!("{SIGN_OF_MISTAKE}{why}"),
        None if enforcing.is_empty() => format!("{SIGN}{NO_HOOK}"),
        None => format!("{SIGN}{}", count(enforcing.len(), "hook")),
    };
    let deny = Hook::sync("hookgate-canary", move |_| Ok(Verdict::deny(reason.as_str())));
    HandlerTable::builder()
        .insert(deny.event(event))
        .build()
        .unwrap_or_else(|_| HandlerTable::empty())
}
