//! Which hooks depend on which others, beyond their order.
//!
//! | key | what it says | if the other one has failed |
//! |---|---|---|
//! | `after`, `before` | the order at the events that both have | nothing; but if the other one is `required`, this one is skipped |
//! | `needs` | the order as well, and that the other one has answered in the same turn, at whatever event | this one is skipped, and if the other one was not called, too |
//!
//! A skipped hook fails with class `skipped`, so its posture decides what that counts as: a guard that was not asked
//! does not let the step pass by itself.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use hookgate_contract::{EventKind, Mode};

use super::build_error::{BuildError, BuildProblem};
use super::compiled_hook::CompiledHook;
use super::contracts::own_event;
use super::definition::HookDefinition;
use super::event_selector::EventSelector;
use super::shared_list::SharedList;
use super::spec::HookSpec;
use crate::hook_id::HookId;

/// What a hook depends on at one event, and whether others depend on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Dependencies {
    /// Whether it matters to other hooks how it ends.
    pub(crate) noted: bool,
    /// The hooks whose end decides whether it is called.
    pub(crate) needs: Box<[Need]>,
    /// The hooks of the event that must be over before it is called.
    pub(crate) follows: Box<[HookId]>,
}

/// A hook whose end decides whether another one is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Need {
    /// The hook.
    pub(crate) id: HookId,
    /// Whether it is called at the same event, so that how it ends is known within the dispatch.
    pub(crate) here: bool,
    /// Whether it must have been called. If not, only its failure counts.
    pub(crate) must_be_called: bool,
}

impl Dependencies {
    /// Returns whether anything is to be done about them at a call.
    pub(super) fn any(&self) -> bool {
        self.noted || !self.needs.is_empty()
    }
}

/// The hooks of a table that others need.
#[derive(Default)]
pub(super) struct Needed(HashSet<String>);

impl Needed {
    /// Finds them among the hooks that are not off.
    pub(super) fn find(hooks: &SharedList<Arc<HookDefinition>>) -> Self {
        let on = hooks.iter().filter(|hook| hook.spec.mode != Mode::Off);
        Self(on.flat_map(|hook| hook.spec.needs.iter().cloned()).collect())
    }

    /// Returns whether it matters to others how a hook ends.
    pub(super) fn notes(&self, spec: &HookSpec) -> bool {
        spec.required || self.0.contains(spec.id().as_str())
    }

    /// Returns whether that was so when a hook was compiled.
    pub(super) fn are_noted(&self, hook: &CompiledHook) -> bool {
        hook.dependencies.noted == self.notes(&hook.definition.spec)
    }
}

/// Sets the dependencies of the hooks of one event, which are in their order.
pub(super) fn link_dependencies(hooks: &mut [Arc<CompiledHook>], needed: &Needed) {
    let depends = |hook: &Arc<CompiledHook>| {
        hook.definition.spec.is_ordered()
            || hook.dependencies != Dependencies::default()
            || needed.notes(&hook.definition.spec)
    };
    if !hooks.iter().any(depends) {
        return;
    }
    let specs: Vec<Arc<HookSpec>> =
        hooks.iter().map(|hook| Arc::clone(&hook.definition.spec)).collect();
    let by_id: HashMap<&str, &HookSpec> =
        specs.iter().map(|spec| (spec.id().as_str(), &**spec)).collect();
    let mut before: HashMap<&str, Vec<&str>> = HashMap::new();
    for spec in &specs {
        for second in &spec.before {
            before.entry(second).or_default().push(spec.id());
        }
    }
    for (hook, spec) in hooks.iter_mut().zip(&specs) {
        let of_others = before.get(spec.id().as_str()).into_iter().flatten().copied();
        let after = spec.after.iter().map(String::as_str).chain(of_others);
        let mut needs: Vec<Need> = Vec::new();
        let mut follows: Vec<HookId> = Vec::new();
        for id in &spec.needs {
            let here = by_id.contains_key(id.as_str());
            needs.push(Need { id: id.as_str().into(), here, must_be_called: true });
            follows.extend(here.then(|| HookId::from(id.as_str())));
        }
        for first in after.filter_map(|id| by_id.get(id)) {
            if first.required && !needs.iter().any(|need| need.id == *first.id()) {
                let id = first.id().clone();
                needs.push(Need { id, here: true, must_be_called: false });
            }
            follows.push(first.id().clone());
        }
        let noted = needed.notes(spec);
        let dependencies = Dependencies { noted, needs: needs.into(), follows: follows.into() };
        if hook.dependencies != dependencies {
            *hook = Arc::new(CompiledHook::clone(hook).depending(dependencies));
        }
    }
}

/// Refuses hooks that need one which comes later in every turn, and hooks that need each other in a circle that no
/// single event shows.
pub(super) fn check_needs(hooks: &SharedList<Arc<HookDefinition>>, errors: &mut Vec<BuildError>) {
    let on = || hooks.iter().filter(|hook| hook.spec.mode != Mode::Off).map(|hook| &*hook.spec);
    let by_id: HashMap<&str, &HookSpec> = on().map(|spec| (spec.id().as_str(), spec)).collect();
    for spec in on() {
        for id in &spec.needs {
            let Some(other) = by_id.get(id.as_str()) else { continue };
            let problem = if other.background {
                // At a common event the order is refused.
                if shares_event(spec, other) {
                    continue;
                }
                BuildProblem::AfterBackground(id.clone())
            } else if is_later(other, spec) {
                BuildProblem::LaterDependency(id.clone())
            } else {
                continue;
            };
            errors.push(BuildError::of_hook(spec, "needs", problem));
        }
    }
    let mut done: HashSet<&str> = HashSet::new();
    for spec in on().filter(|spec| !spec.needs.is_empty()) {
        if let Some(circle) = circle_from(spec, &by_id, &mut done) {
            let pairs = circle.iter().zip(circle.iter().skip(1));
            let mut pairs = pairs.filter_map(|(a, b)| by_id.get(a).zip(by_id.get(b)));
            // What is a circle at one event is refused where its hooks are ordered.
            if pairs.any(|(a, b)| !shares_event(a, b)) {
                let names = circle.iter().map(|id| (*id).to_owned()).collect();
                let first = circle.first().and_then(|id| by_id.get(id)).copied().unwrap_or(spec);
                errors.push(BuildError::of_hook(first, "needs", BuildProblem::Cycle(names)));
            }
        }
    }
}

/// Finds a circle of needs that can be reached from a hook and has not been found before. Each hook is looked at
/// once.
fn circle_from<'h>(
    spec: &'h HookSpec,
    by_id: &HashMap<&'h str, &'h HookSpec>,
    done: &mut HashSet<&'h str>,
) -> Option<Vec<&'h str>> {
    // The way to where we are: a hook, and how many of its needs were looked at.
    let mut path: Vec<(&HookSpec, usize)> = vec![(spec, 0)];
    if !done.insert(spec.id()) {
        return None;
    }
    while let Some((at, looked)) = path.last_mut() {
        let Some(id) = at.needs.get(*looked) else {
            path.pop();
            continue;
        };
        *looked += 1;
        let Some(next) = by_id.get(id.as_str()).copied() else { continue };
        if let Some(start) = path.iter().position(|(on_path, _)| on_path.id() == next.id()) {
            let circle = path.iter().skip(start).map(|(on_path, _)| on_path.id().as_str());
            return Some(circle.chain([next.id().as_str()]).collect());
        }
        if done.insert(next.id()) {
            path.push((next, 0));
        }
    }
    None
}

fn shares_event(one: &HookSpec, other: &HookSpec) -> bool {
    let mut events = one.events().iter().map(EventSelector::name);
    events.any(|event| other.events().iter().any(|selector| selector.name() == event))
}

/// Returns whether all events of a hook come after all those of another one, in every turn: the events at which
/// something is gathered have a fixed order.
fn is_later(other: &HookSpec, spec: &HookSpec) -> bool {
    let gathers = |selector: &EventSelector| {
        let event = own_event(selector.name())?;
        (event.contract().kind == EventKind::Contribute).then(|| event.index())
    };
    let all = |spec: &HookSpec| spec.events().iter().map(gathers).collect::<Option<Vec<usize>>>();
    let first = all(other).and_then(|events| events.into_iter().min());
    let last = all(spec).and_then(|events| events.into_iter().max());
    first.zip(last).is_some_and(|(first, last)| first > last)
}
