//! Whether a table guards what must be guarded.
//!
//! What is required is resolved once, when the table is built: to the events at which some hook
//! must enforce, and to the hooks that must be there, with the events that they had when they were
//! first required. The engine adds what earlier tables required when the table is put in force, and
//! asks again.

use std::collections::HashMap;
use std::sync::Arc;

use hookgate_contract::suggest::Suggestion;
use hookgate_contract::{Mode, Role};

use super::build_error::{BuildError, BuildProblem};
use super::check::MOST_HINTS;
use super::compiled_hook::CompiledHook;
use super::contracts::{contract_of, own_event};
use super::event_selector::EventSelector;
use super::spec::HookSpec;
use super::{Bucket, HandlerTable};
use crate::require::{Need, REQUIRE, Require, Required, RequiredHook};

/// Resolves what is required against the hooks of a table, and against what was required before.
pub(super) fn resolve_required(
    table: &HandlerTable,
    require: &Require,
    before: &Required,
    errors: &mut Vec<BuildError>,
) -> Required {
    let mut required = Required::default();
    let mut report = |key, problem| errors.push(BuildError::new(REQUIRE, key, None, problem));
    for name in require.events() {
        let known = own_event(name).is_some() || hookgate_contract::is_custom_name(name);
        if !known {
            report("events", BuildProblem::UnknownRequiredEvent(name.to_owned()));
        } else if contract_of(&table.contracts, name).deny() {
            required.need(name).any = true;
        } else {
            report("events", BuildProblem::NothingToRequire(name.to_owned()));
        }
    }
    let mut by_id: HashMap<&str, &HookSpec> = HashMap::new();
    if require.hooks().next().is_some() {
        for spec in table.specs() {
            by_id.entry(spec.id()).or_insert(spec);
        }
    }
    // Each hint compares an id with all others.
    let mut hints = MOST_HINTS;
    for hook in require.required_hooks() {
        let id = hook.id.as_str();
        let spec = by_id.get(id).copied();
        let mut events = before.events_of(id);
        let named = spec.into_iter().flat_map(|spec| spec.events().iter().map(EventSelector::name));
        let deniable = named.filter(|event| contract_of(&table.contracts, event).deny());
        events.extend(deniable.map(str::to_owned));
        if events.is_empty() && spec.is_some() {
            report("hooks", BuildProblem::NothingToRequire(id.to_owned()));
        } else if events.is_empty() {
            let ids = table.specs().map(|spec| spec.id().as_str());
            let ids: Vec<_> = ids.take(if hints > 0 { usize::MAX } else { 0 }).collect();
            hints = hints.saturating_sub(1);
            let near = Suggestion::nearest(id, &ids);
            report("hooks", BuildProblem::MissingRequired { id: id.to_owned(), near });
        }
        for event in events {
            required.need(&event).hooks.insert(hook.clone());
        }
    }
    required
}

impl HandlerTable {
    /// Returns the ids of the hooks that the table was built to require.
    pub(crate) fn required_ids(&self) -> impl Iterator<Item = &str> {
        self.require.required_hooks().map(|hook| hook.id.as_str())
    }

    /// Requires also what another table requires.
    pub(crate) fn require_as(&mut self, other: &Self) {
        if !other.required.is_empty() {
            let mut required = Required::clone(&other.required);
            required.extend(&self.required);
            self.required = Arc::new(required);
        }
    }
}

/// Returns whether a hook can keep a step from happening, as the engine requires it: no hook of a scope is its guard.
fn enforces(hook: &CompiledHook) -> bool {
    !hook.definition.spec.is_of_scope()
        && hook.mode == Mode::Enforce
        && !hook.watches()
        && can_refuse(hook)
        && hook.id() != REQUIRE
}

/// Returns whether the handler of a hook can refuse a step; one that only adds context cannot.
fn can_refuse(hook: &CompiledHook) -> bool {
    !hook.definition.spec.built().never_refuses
}

/// Returns why a hook of the id that is required is not the one that is meant.
fn unlike(spec: &HookSpec, required: &RequiredHook) -> Option<String> {
    let layer = spec.origin().layer();
    if let Some(by) = required.layer.filter(|by| *by < layer) {
        return Some(format!(
            "it is of the layer `{layer}`, and the layer `{by}` requires it, which binds more"
        ));
    }
    let meant = required.definition?;
    let found = spec.definition_hash();
    (found != meant).then(|| format!("it has another definition: {found}, and not {meant}"))
}

impl HandlerTable {
    /// Returns what the table was built to require. The engine in which it is put in force may
    /// require more, because of earlier tables.
    #[must_use]
    pub const fn require(&self) -> &Require {
        &self.require
    }

    /// Returns the events that must be guarded and are not, each with what is missing. All their
    /// steps are denied while the table is in force.
    ///
    /// ```
    /// use hookgate::require::Require;
    /// use hookgate::{Event, HandlerTable};
    ///
    /// let require = Require::default().event(Event::PreToolUse);
    /// let table = HandlerTable::builder().require(require).build()?;
    /// let [(event, why)] = &table.unguarded()[..] else { panic!() };
    /// assert_eq!((*event, why.as_str()), ("pre_tool_use", "no hook that enforces is there"));
    /// # Ok::<(), hookgate::table::BuildErrors>(())
    /// ```
    #[must_use]
    pub fn unguarded(&self) -> Vec<(&str, String)> {
        let gap = |(event, need)| Some((event, self.missing(event, need)?));
        self.required.iter().filter_map(gap).collect()
    }

    /// Returns what is missing at an event, in words; `None` if it is guarded as required.
    fn missing(&self, event: &str, need: &Need) -> Option<String> {
        let bucket = self.bucket_of(event);
        let hooks = || bucket.iter().flat_map(|bucket: &&Arc<Bucket>| bucket.entries.iter());
        let mut missing = Vec::new();
        if need.any && !hooks().any(|hook| enforces(hook)) {
            missing.push("no hook that enforces is there".to_owned());
        }
        let mut by_id: HashMap<&str, &CompiledHook> = HashMap::new();
        if !need.hooks.is_empty() {
            for hook in hooks() {
                by_id.entry(hook.id()).or_insert(hook);
            }
        }
        for required in &need.hooks {
            let id = &required.id;
            let why = match by_id.get(id.as_str()).copied() {
                Some(hook) if enforces(hook) => match unlike(&hook.definition.spec, required) {
                    Some(why) => why,
                    None => continue,
                },
                Some(hook) if hook.mode != Mode::Enforce => {
                    format!("its mode is `{}`", hook.mode.name())
                }
                Some(hook) if hook.role == Role::Observe => "it only observes".to_owned(),
                Some(hook) if !can_refuse(hook) => "it never refuses a step".to_owned(),
                Some(_) => "it runs in the background".to_owned(),
                None => match self.specs().find(|spec| spec.id() == id) {
                    Some(spec) if spec.mode == Mode::Off => "it is off".to_owned(),
                    Some(_) => "it is not at this event any more".to_owned(),
                    None => "it is not in the table any more".to_owned(),
                },
            };
            let text = format!("the hook `{id}` is required, but {why}");
            if !missing.contains(&text) {
                missing.push(text);
            }
        }
        (!missing.is_empty()).then(|| missing.join("; "))
    }
}
