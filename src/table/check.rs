//! Checks of a table: its limits, the ids and contracts of its hooks, what comes after what.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use hookgate_contract::settings::LONGEST;
use hookgate_contract::suggest::nearest;
use hookgate_contract::{Contract, Event, Mode};

use super::entry::{CompiledHook, HookDefinition};
use super::limits::Limits;
use super::on::EventSelector;
use super::problem::{BuildError, BuildProblem};
use super::spec::HookSpec;
use crate::require::REQUIRE;

/// How many background calls can be let wait, and how many hooks be asked at the same time: more
/// would be no bound.
const MOST_CALLS: u64 = 1 << 20;

/// How many bytes an envelope or an answer can be let have.
const MOST_BYTES: u64 = 1 << 40;

/// A limit that limits nothing is a mistake, and some would overflow.
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

pub(super) fn check_ids(hooks: &[Arc<HookDefinition>], errors: &mut Vec<BuildError>) {
    let mut seen: HashMap<&str, usize> = HashMap::new();
    for hook in hooks {
        let id = hook.spec.id();
        let occurrence = seen.entry(id).and_modify(|n| *n += 1).or_insert(0);
        if *occurrence > 0 {
            let error = BuildError::new(id, "id", BuildProblem::DuplicateId);
            errors.push(error.occurrence(*occurrence));
        }
        if id == REQUIRE {
            errors.push(BuildError::new(id, "id", BuildProblem::ReservedId(REQUIRE)));
        }
        let good = |c: char| c.is_alphanumeric() || "-_.:/".contains(c);
        if id.is_empty() || !id.chars().all(good) {
            errors.push(BuildError::new(id, "id", BuildProblem::BadId));
        }
        let events = hook.spec.events();
        if events.is_empty() {
            errors.push(BuildError::new(id, "event", BuildProblem::NoEvent));
        }
        let mut named = HashSet::new();
        for on in events {
            if !named.insert(on.name()) {
                let problem = BuildProblem::DuplicateEvent(on.name().to_owned());
                errors.push(BuildError::new(id, "event", problem));
            }
        }
    }
}

/// An event of the embedder whose contract is not known would be judged by another one than that of
/// its steps.
pub(super) fn check_contracts(
    hooks: &[Arc<HookDefinition>],
    contracts: &BTreeMap<String, &'static Contract>,
    errors: &mut Vec<BuildError>,
) {
    for hook in hooks {
        for on in hook.spec.events() {
            let name = on.name();
            let ours = Event::from_name(name).is_some_and(|event| event != Event::Custom);
            if !ours && !contracts.contains_key(name) {
                let problem = BuildProblem::UnknownContract(name.to_owned());
                errors.push(BuildError::new(hook.spec.id(), "event", problem).at(name));
            }
        }
    }
}

/// For how many ids that do not exist a similar one is looked for.
pub(crate) const MOST_HINTS: usize = 32;

pub(super) fn check_dependencies(hooks: &[Arc<HookDefinition>], errors: &mut Vec<BuildError>) {
    if hooks.iter().all(|hook| hook.spec.after.is_empty() && hook.spec.before.is_empty()) {
        return;
    }
    let by_id: HashMap<&str, &HookSpec> =
        hooks.iter().map(|hook| (hook.spec.id().as_str(), &hook.spec)).collect();
    // To look for a similar id takes as long as there are ids.
    let mut hints = MOST_HINTS;
    for hook in hooks.iter().filter(|hook| hook.spec.mode != Mode::Off) {
        let spec = &hook.spec;
        let own: HashSet<&str> = spec.events().iter().map(EventSelector::name).collect();
        let after = spec.after.iter().map(|id| ("after", id));
        for (key, id) in after.chain(spec.before.iter().map(|id| ("before", id))) {
            let shares = |other: &HookSpec| other.events().iter().any(|on| own.contains(on.name()));
            let problem = match by_id.get(id.as_str()) {
                None => {
                    let ids = hooks.iter().map(|hook| hook.spec.id().as_str());
                    let ids = ids.filter(|other| *other != spec.id());
                    let ids: Vec<_> = ids.take(if hints > 0 { usize::MAX } else { 0 }).collect();
                    hints = hints.saturating_sub(1);
                    let near = nearest(id, &ids).map(str::to_owned);
                    BuildProblem::MissingDependency { id: id.clone(), near }
                }
                Some(other) if other.mode == Mode::Off => {
                    BuildProblem::DisabledDependency(id.clone())
                }
                Some(other) if !shares(other) => BuildProblem::UnrelatedDependency(id.clone()),
                Some(_) => continue,
            };
            errors.push(BuildError::new(spec.id(), key, problem));
        }
    }
}

/// What was said of an order: at which hook and key, of which other hook, and whether that one runs in
/// the background. A hook at several events is told once.
pub(super) type Disorder = (String, &'static str, String, bool);

/// Refuses an order that no dispatch could keep: nothing that decides comes after those that are
/// told what was decided, and nothing waits for the background.
pub(super) fn check_order(
    entries: &[CompiledHook],
    told: &mut HashSet<Disorder>,
    errors: &mut Vec<BuildError>,
) {
    let ordered = |entry: &CompiledHook| {
        !(entry.hook.spec.after.is_empty() && entry.hook.spec.before.is_empty())
    };
    if !entries.iter().any(ordered) {
        return;
    }
    let by_id: HashMap<&str, &CompiledHook> =
        entries.iter().map(|entry| (entry.id(), entry)).collect();
    for entry in entries {
        let spec = &entry.hook.spec;
        let find = |id: &String| by_id.get(id.as_str()).copied();
        let after = spec.after.iter().filter_map(find).map(|first| ("after", first, entry));
        let before = spec.before.iter().filter_map(find).map(|second| ("before", entry, second));
        for (key, first, second) in after.chain(before) {
            let id = || first.id().to_owned();
            let problem = if first.hook.spec.is_background() {
                BuildProblem::AfterBackground(id())
            } else if first.watches() && !second.watches() {
                BuildProblem::AfterObserver(id())
            } else {
                continue;
            };
            let background = first.hook.spec.is_background();
            if told.insert((spec.id().to_string(), key, id(), background)) {
                errors.push(BuildError::new(spec.id(), key, problem));
            }
        }
    }
}
