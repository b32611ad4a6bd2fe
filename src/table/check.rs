//! Checks of a table as a whole: its limits, the ids and events of its hooks, and their order.
//!
//! What concerns one hook at one event is checked in [`super::event_check`]. All checks run,
//! whatever the others find, and each is linear in the number of hooks; only looking for similar
//! ids is not, so that is done for a few of them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use hookgate_contract::settings::LONGEST;
use hookgate_contract::suggest::Suggestion;
use hookgate_contract::{Event, Mode};

use super::build_error::{BuildError, BuildProblem};
use super::compiled_hook::CompiledHook;
use super::contracts::{Contracts, own_event};
use super::definition::HookDefinition;
use super::event_selector::EventSelector;
use super::limits::Limits;
use super::shared_list::SharedList;
use super::spec::HookSpec;
use crate::decision::ENGINE;
use crate::hook_id::SCOPE;
use crate::require::REQUIRE;

/// The largest number of waiting background calls and of concurrent calls: more would bound
/// nothing.
const MOST_CALLS: u64 = 1 << 20;

/// The largest size of an envelope or an answer, in bytes.
const MOST_BYTES: u64 = 1 << 40;

/// Refuses limits that bound nothing; some of them would overflow.
pub(super) fn check_limits(limits: &Limits, errors: &mut Vec<BuildError>) {
    let longest = [("limits.dispatch_deadline", limits.dispatch_deadline)];
    let per_kind = limits.timeout.values().map(|timeout| ("limits.timeout", *timeout));
    for (key, duration) in longest.into_iter().chain(per_kind) {
        if duration > LONGEST {
            errors.push(BuildError::of_limits(BuildProblem::TooLong(key)));
        }
    }
    for (key, value, most) in [
        ("limits.background_queue", limits.background_queue, MOST_CALLS),
        ("limits.concurrency", limits.concurrency, MOST_CALLS),
        ("limits.payload", limits.payload, MOST_BYTES),
        ("limits.output", limits.output, MOST_BYTES),
    ] {
        if u64::try_from(value).is_ok_and(|value| value > most) {
            errors.push(BuildError::of_limits(BuildProblem::TooMany { key, most }));
        }
    }
}

/// Checks that the id of each hook can be one, and that it has at least one event and names none twice. Ids
/// appear in records, logs and reasons, so their characters are limited to those that are safe
/// there. (That no id is used twice is checked where they are indexed: `definitions.rs`.)
pub(super) fn check_ids<'h>(
    hooks: impl Iterator<Item = &'h Arc<HookDefinition>>,
    errors: &mut Vec<BuildError>,
) {
    for hook in hooks {
        let id = hook.spec.id();
        let mut report = |key, problem| errors.push(BuildError::of_hook(&hook.spec, key, problem));
        for reserved in [REQUIRE, ENGINE] {
            if id == reserved {
                report("id", BuildProblem::ReservedId(reserved));
            }
        }
        if id.starts_with(SCOPE) && !hook.spec.is_of_scope() {
            report("id", BuildProblem::ReservedId(SCOPE));
        }
        let allowed = |c: char| c.is_alphanumeric() || "-_.:/".contains(c);
        if id.is_empty() || !id.chars().all(allowed) {
            report("id", BuildProblem::BadId);
        }
        let events = hook.spec.events();
        if events.is_empty() && !hook.spec.unread.events {
            report("event", BuildProblem::NoEvent);
        }
        let mut named = HashSet::new();
        // Most hooks have one event, for which no set is made.
        for selector in events.iter().filter(|_| events.len() > 1) {
            if !named.insert(selector.name()) {
                report("event", BuildProblem::DuplicateEvent(selector.name().to_owned()));
            }
        }
    }
}

/// Refuses events of the embedder whose contract is not known: hooks there would be checked against
/// another contract than the steps have.
pub(super) fn check_contracts<'h>(
    hooks: impl Iterator<Item = &'h Arc<HookDefinition>>,
    contracts: &Contracts,
    errors: &mut Vec<BuildError>,
) {
    for hook in hooks {
        for selector in hook.spec.events() {
            let name = selector.name();
            if own_event(name).is_none() && !contracts.contains_key(name) {
                let event = name.to_owned();
                let known = contracts.keys().map(String::as_str);
                let problem = if name.starts_with("x.") {
                    let near = Suggestion::nearest(name, &known.collect::<Vec<_>>());
                    BuildProblem::UnknownContract { event, near }
                } else {
                    let all = Event::NAMED.iter().map(|event| event.name()).chain(known);
                    let near = Suggestion::nearest(name, &all.collect::<Vec<_>>());
                    BuildProblem::UnknownEvent { event, near }
                };
                errors.push(BuildError::of_hook(&hook.spec, "event", problem).at(name));
            }
        }
    }
}

/// For how many unknown ids a similar one is looked up: each lookup compares all ids.
pub(crate) const MOST_HINTS: usize = 32;

/// Checks that the hooks that a hook is ordered against exist, are switched on, and share an event
/// with it. Otherwise the order would silently mean nothing: a guard that must come after a
/// rewriter would see the step as it was before.
pub(super) fn check_dependencies(
    hooks: &SharedList<Arc<HookDefinition>>,
    errors: &mut Vec<BuildError>,
) {
    let by_id: HashMap<&str, &HookSpec> =
        hooks.iter().map(|hook| (hook.spec.id().as_str(), &*hook.spec)).collect();
    let mut hints = MOST_HINTS;
    for hook in hooks.iter().filter(|hook| hook.spec.mode != Mode::Off) {
        let spec = &hook.spec;
        let events: HashSet<&str> = spec.events().iter().map(EventSelector::name).collect();
        let after = spec.after.iter().map(|id| ("after", id));
        let before = spec.before.iter().map(|id| ("before", id));
        let needs = spec.needs.iter().map(|id| ("needs", id));
        for (key, id) in after.chain(before).chain(needs) {
            let shares = |other: &HookSpec| {
                let mut others = other.events().iter();
                others.any(|selector| events.contains(selector.name()))
                    // Events that could not be read may be shared; they were reported.
                    || spec.unread.events
                    || other.unread.events
            };
            let problem = match by_id.get(id.as_str()) {
                None => {
                    let ids = hooks.iter().map(|hook| hook.spec.id().as_str());
                    let ids = ids.filter(|other| *other != spec.id());
                    let ids: Vec<_> = ids.take(if hints > 0 { usize::MAX } else { 0 }).collect();
                    hints = hints.saturating_sub(1);
                    let near = Suggestion::nearest_or_all(id, &ids);
                    BuildProblem::MissingDependency { id: id.clone(), near }
                }
                Some(other) if other.mode == Mode::Off => {
                    BuildProblem::DisabledDependency(id.clone())
                }
                Some(other) if key != "needs" && !shares(other) => {
                    BuildProblem::UnrelatedDependency(id.clone())
                }
                Some(_) => continue,
            };
            errors.push(BuildError::of_hook(spec, key, problem));
        }
    }
}

/// An order that was refused: the hook and key, the other hook, and whether that one runs in the
/// background. It is reported once, at however many events the hooks meet.
pub(super) type Disorder = (String, &'static str, String, bool);

/// Refuses an order that no dispatch could keep: observers are called after the decision, and no
/// hook can wait for one in the background.
pub(super) fn check_order(
    hooks: &[Arc<CompiledHook>],
    reported: &mut HashSet<Disorder>,
    errors: &mut Vec<BuildError>,
) {
    if !hooks.iter().any(|hook| hook.definition.spec.is_ordered()) {
        return;
    }
    let by_id: HashMap<&str, &CompiledHook> =
        hooks.iter().map(|hook| (hook.id().as_str(), &**hook)).collect();
    for hook in hooks.iter().map(|hook| &**hook) {
        let spec = &hook.definition.spec;
        let find = |id: &String| by_id.get(id.as_str()).copied();
        let after = spec.after.iter().filter_map(find).map(|first| ("after", first, hook));
        let before = spec.before.iter().filter_map(find).map(|second| ("before", hook, second));
        let needs = spec.needs.iter().filter_map(find).map(|first| ("needs", first, hook));
        for (key, first, second) in after.chain(before).chain(needs) {
            let id = || first.id().to_string();
            let problem = if first.definition.spec.is_background() {
                BuildProblem::AfterBackground(id())
            } else if first.watches() && !second.watches() {
                BuildProblem::AfterObserver(id())
            } else {
                continue;
            };
            let background = first.definition.spec.is_background();
            if reported.insert((spec.id().to_string(), key, id(), background)) {
                errors.push(BuildError::of_hook(spec, key, problem));
            }
        }
    }
}
