//! `[require]`: what must be guarded.

use std::collections::HashMap;
use std::ops::Range;

use hookgate_contract::settings::{Node, NodeValue, Settings};
use hookgate_contract::suggest::nearest;
use hookgate_contract::{Event, alias};

use super::{ConfigProblem, Placed, Reading};
use crate::require::Require;
use crate::table::{EventSelector, MOST_HINTS};

impl Reading<'_> {
    /// Reads what must be guarded, and compares it with the hooks of the file.
    pub(super) fn require(&mut self, mut settings: Settings<'_>, hooks: &[Placed]) -> Require {
        let mut require = Require::default();
        let events: Vec<String> = owned(settings.one_or_more("events"));
        let listed = places(&mut settings, "events");
        for (index, name) in events.iter().enumerate() {
            let span = item(&listed, index);
            for event in self.required_events(name, &span) {
                require = require.named(event);
            }
        }
        let ids: Vec<String> = owned(settings.one_or_more("hooks"));
        let listed = places(&mut settings, "hooks");
        let mut by_id: HashMap<&str, &Placed> = HashMap::new();
        for hook in hooks {
            by_id.entry(hook.spec.id()).or_insert(hook);
        }
        let known: Vec<_> = hooks.iter().map(|hook| hook.spec.id().as_str()).collect();
        // To look for a similar id takes as long as there are ids.
        let mut hints = MOST_HINTS;
        for (index, id) in ids.iter().enumerate() {
            let span = item(&listed, index);
            let Some(hook) = by_id.get(id.as_str()) else {
                let known = if hints > 0 { known.as_slice() } else { &[] };
                hints = hints.saturating_sub(1);
                let near = nearest(id, known).map(str::to_owned);
                self.error(span, ConfigProblem::RequiredHook { id: id.clone(), near });
                continue;
            };
            let guardable = hook.spec.events().iter().any(|on| self.can_deny(on.name()));
            if guardable {
                require = require.hook(id);
            } else if hook.events_known {
                self.error(span, ConfigProblem::NotGuardable(id.clone()));
            }
        }
        self.finish(settings);
        require
    }

    /// The events that a name stands for, as far as they can be guarded.
    fn required_events(&mut self, name: &str, span: &Range<usize>) -> Vec<String> {
        let Some(on) = EventSelector::named(name) else {
            let aliases = alias::ALIASES.iter().map(|alias| alias.name);
            let known: Vec<_> = Event::all().map(Event::name).chain(aliases).collect();
            let near = nearest(name, &known).map(str::to_owned);
            let problem = ConfigProblem::UnknownEvent { name: name.to_owned(), near };
            self.error(span.clone(), problem);
            return Vec::new();
        };
        let registered = || self.registry.contracts().iter().any(|known| known.name == name);
        if name.starts_with("x.") && !registered() {
            let problem = ConfigProblem::UnverifiedEvent(name.to_owned());
            if self.allow_unverified {
                self.warn(span.clone(), problem);
            } else {
                self.error(span.clone(), problem);
                return Vec::new();
            }
        }
        let mut events = Vec::new();
        for on in &on {
            if self.can_deny(on.name()) {
                events.push(on.name().to_owned());
            } else {
                self.error(span.clone(), ConfigProblem::NotGuardable(on.name().to_owned()));
            }
        }
        events
    }

    fn can_deny(&self, event: &str) -> bool {
        match Event::from_name(event) {
            Some(known) if known != Event::Custom => known.contract().deny(),
            _ => {
                let contracts = self.registry.contracts();
                let known = contracts.iter().find(|contract| contract.name == event);
                known.is_none_or(|contract| contract.deny())
            }
        }
    }
}

fn owned(names: Option<Vec<&str>>) -> Vec<String> {
    names.unwrap_or_default().into_iter().map(str::to_owned).collect()
}

/// The place of a value, and those of its items if it is a list.
fn places(settings: &mut Settings<'_>, key: &'static str) -> (Range<usize>, Vec<Range<usize>>) {
    let items = match settings.node(key) {
        Some(Node { value: NodeValue::List(items), .. }) => items.as_slice(),
        _ => &[],
    };
    (settings.span_of(key), items.iter().map(|item| item.span.clone()).collect())
}

/// The place of an item of a list, or of the value that stands alone.
fn item((whole, items): &(Range<usize>, Vec<Range<usize>>), index: usize) -> Range<usize> {
    items.get(index).unwrap_or(whole).clone()
}
