//! `[require]`: what must be guarded.

use std::ops::Range;

use hookgate_contract::near::nearest;
use hookgate_contract::settings::{Node, NodeValue, Settings};
use hookgate_contract::{Event, alias};

use super::{ConfigProblem, Placed, Reading};
use crate::require::Require;
use crate::table::On;

impl Reading<'_> {
    /// Reads what must be guarded, and compares it with the hooks of the file.
    pub(super) fn require(&mut self, mut settings: Settings<'_>, hooks: &[Placed]) -> Require {
        let mut require = Require::default();
        let events: Vec<String> = owned(settings.one_or_more("events"));
        for (index, name) in events.iter().enumerate() {
            let span = item(&mut settings, "events", index);
            for event in self.required_events(name, &span) {
                require = require.named(event);
            }
        }
        let ids: Vec<String> = owned(settings.one_or_more("hooks"));
        for (index, id) in ids.iter().enumerate() {
            let span = item(&mut settings, "hooks", index);
            let Some(hook) = hooks.iter().find(|hook| hook.spec.id() == id) else {
                let known: Vec<_> = hooks.iter().map(|hook| hook.spec.id()).collect();
                let near = nearest(id, &known).map(str::to_owned);
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
        let Some(on) = On::named(name) else {
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

/// The place of an item of a list, or of the value that stands alone.
fn item(settings: &mut Settings<'_>, key: &'static str, index: usize) -> Range<usize> {
    match settings.node(key) {
        Some(Node { value: NodeValue::List(items), span }) => {
            items.get(index).map_or_else(|| span.clone(), |item| item.span.clone())
        }
        _ => settings.span_of(key),
    }
}
