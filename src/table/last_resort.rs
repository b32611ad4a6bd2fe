//! The deny that stands where a required guard does not.

use std::collections::HashMap;
use std::sync::Arc;

use hookgate_contract::suggest::nearest;
use hookgate_contract::{
    BuiltHandler, Event, Invocation, Mode, Posture, ReasonCode, Role, Verdict,
};

use super::builder::{contract_of, group};
use super::check::MOST_HINTS;
use super::{
    Bucket, BuildError, BuildProblem, CompiledHook, EventSelector, HandlerTable, HookDefinition,
    HookSpec,
};
use crate::require::{Need, REQUIRE, Require, Required};

/// Resolves what is required against the hooks of a table, and what was required before.
pub(super) fn resolve(
    table: &HandlerTable,
    require: &Require,
    before: &Required,
    errors: &mut Vec<BuildError>,
) -> Required {
    let mut required = Required::default();
    let mut wrong = |key, problem| errors.push(BuildError::new(REQUIRE, key, problem));
    for name in require.events() {
        let known = Event::from_name(name).is_some_and(|event| event != Event::Custom)
            || hookgate_contract::event::is_custom_name(name);
        if !known {
            wrong("events", BuildProblem::UnknownRequiredEvent(name.to_owned()));
        } else if contract_of(&table.contracts, name).deny() {
            required.need(name).any = true;
        } else {
            wrong("events", BuildProblem::NothingToRequire(name.to_owned()));
        }
    }
    let mut by_id: HashMap<&str, &HookSpec> = HashMap::new();
    for spec in table.specs().filter(|_| require.hooks().next().is_some()) {
        by_id.entry(spec.id()).or_insert(spec);
    }
    let mut hints = MOST_HINTS;
    for id in require.hooks() {
        let spec = by_id.get(id).copied();
        let mut events = before.events_of(id);
        let of_hook =
            spec.into_iter().flat_map(|spec| spec.events().iter().map(EventSelector::name));
        let deniable = of_hook.filter(|event| contract_of(&table.contracts, event).deny());
        events.extend(deniable.map(str::to_owned));
        if events.is_empty() && spec.is_some() {
            wrong("hooks", BuildProblem::NothingToRequire(id.to_owned()));
        } else if events.is_empty() {
            let ids = table.specs().map(|spec| spec.id().as_str());
            let ids: Vec<_> = ids.take(if hints > 0 { usize::MAX } else { 0 }).collect();
            hints = hints.saturating_sub(1);
            let near = nearest(id, &ids).map(str::to_owned);
            wrong("hooks", BuildProblem::MissingRequired { id: id.to_owned(), near });
        }
        for event in events {
            required.need(&event).hooks.insert(id.to_owned());
        }
    }
    required
}

/// Whether a hook can keep a step from happening.
fn enforces(entry: &CompiledHook) -> bool {
    entry.mode == Mode::Enforce && !entry.watches() && entry.id() != REQUIRE
}

impl HandlerTable {
    /// What the table was built to require. The engine that it is put in force in may require more,
    /// of earlier tables.
    #[must_use]
    pub const fn require(&self) -> &Require {
        &self.require
    }

    /// The events that are required to be guarded and are not, each with what is missing. All their
    /// steps are denied while the table is in force.
    #[must_use]
    pub fn unguarded(&self) -> Vec<(&str, String)> {
        let gap = |(event, need)| Some((event, self.missing(event, need)?));
        self.required.iter().filter_map(gap).collect()
    }

    /// What is missing at an event, if anything.
    fn missing(&self, event: &str, need: &Need) -> Option<String> {
        let bucket = self.bucket_of(event);
        let entries = || bucket.iter().flat_map(|bucket| bucket.entries.iter());
        let mut missing = Vec::new();
        if need.any && !entries().any(enforces) {
            missing.push("no hook that enforces is there".to_owned());
        }
        let mut by_id: HashMap<&str, &CompiledHook> = HashMap::new();
        for entry in entries().filter(|_| !need.hooks.is_empty()) {
            by_id.entry(entry.id()).or_insert(entry);
        }
        for id in &need.hooks {
            let why = match by_id.get(id.as_str()).copied() {
                Some(entry) if enforces(entry) => continue,
                Some(entry) if entry.mode != Mode::Enforce => {
                    format!("its mode is `{}`", entry.mode.name())
                }
                Some(entry) if entry.role == Role::Observe => "it only observes".to_owned(),
                Some(_) => "it runs in the background".to_owned(),
                None => match self.specs().find(|spec| spec.id() == id) {
                    Some(spec) if spec.mode == Mode::Off => "it is off".to_owned(),
                    Some(_) => "it is not at this event any more".to_owned(),
                    None => "it is not in the table any more".to_owned(),
                },
            };
            missing.push(format!("the hook `{id}` is required, but {why}"));
        }
        (!missing.is_empty()).then(|| missing.join("; "))
    }

    /// Compiles the last resort into the events that are not guarded as required.
    pub(super) fn deny_unguarded(&mut self) {
        let gaps: Vec<_> =
            self.unguarded().into_iter().map(|(e, why)| (e.to_owned(), why)).collect();
        for (event, why) in gaps {
            let Some(bucket) = self.last_resort(&event, &why) else { continue };
            let known = Event::from_name(&event).unwrap_or(Event::Custom);
            self.armed |= known.bit();
            match self.buckets.get_mut(known.index()) {
                Some(slot) if known != Event::Custom => *slot = Some(Arc::new(bucket)),
                _ => {
                    self.custom.insert(event, Arc::new(bucket));
                }
            }
        }
    }

    /// The hooks of an event, with one before them that denies.
    fn last_resort(&self, event: &str, why: &str) -> Option<Bucket> {
        let reason = format!(
            "`{event}` must be guarded, and {why}: put the guard in force again, or have whoever \
             runs the agent change what is required"
        );
        let deny = Verdict::deny(reason).reason_code(ReasonCode::Unguarded);
        let on = match Event::from_name(event) {
            Some(known) if known != Event::Custom => EventSelector::event(known),
            _ => EventSelector::custom(event),
        };
        let spec = HookSpec::new(
            REQUIRE,
            "engine",
            BuiltHandler::from_sync(move |_: Invocation<'_>| Ok(deny.clone())),
        )
        .event_selectors([on.clone()])
        .role(Role::Guard)
        .on_failure(Posture::Deny);
        // INVARIANT: this hook has nothing that could be wrong with it, and patterns that were
        // joined before can be joined again.
        let contract = contract_of(&self.contracts, event);
        let mut errors = Vec::new();
        let hook = Arc::new(HookDefinition::new(spec, &mut errors));
        let first = CompiledHook::new(&hook, 0, &on, contract, &self.limits, &mut errors);
        let mut entries = vec![first.clone()];
        if let Some(bucket) = self.bucket_of(event) {
            entries.extend(bucket.entries.iter().filter(|entry| entry.id() != REQUIRE).cloned());
        }
        group(&mut entries);
        let made = Bucket::new(contract, entries).or_else(|_| Bucket::new(contract, vec![first]));
        let mut bucket = made.ok()?;
        bucket.last_resort = true;
        Some(bucket)
    }

    /// The hooks of an event, by its name.
    fn bucket_of(&self, event: &str) -> Option<&Arc<Bucket>> {
        match Event::from_name(event) {
            Some(known) if known != Event::Custom => self.buckets.get(known.index())?.as_ref(),
            _ => self.custom.get(event),
        }
    }
}
