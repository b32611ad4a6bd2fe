//! The events of one `[[hook]]`.

use std::ops::Range;

use hookgate_contract::settings::{Node, NodeValue, SettingError, SettingProblem, Settings};
use hookgate_contract::suggest::nearest;
use hookgate_contract::{Contract, Event, Role, Supports};

use super::{ConfigProblem, Reading};
use crate::envelope::alias;
use crate::matcher::{MatchSpec, event_glob};
use crate::table::EventSelector;

/// The events of a hook, as far as they could be read.
#[derive(Default)]
pub(super) struct Events {
    named: Vec<EventSelector>,
    globs: Vec<Glob>,
    /// Whether these are all that the hook names.
    known: bool,
}

/// Events that a glob takes in.
struct Glob {
    text: String,
    span: Range<usize>,
    contracts: Vec<&'static Contract>,
}

impl Events {
    /// The events that the hook names. Those that a glob takes in are not known before the handler
    /// is, which may not fit all of them.
    pub(super) fn named(&self) -> Vec<Event> {
        let event = |on: &EventSelector| Event::from_name(on.name()).unwrap_or(Event::Custom);
        self.named.iter().map(event).collect()
    }
}

impl Reading<'_> {
    /// Reads the events of a hook.
    pub(super) fn events(&mut self, settings: &mut Settings<'_>) -> Events {
        let Some(names) = settings.one_or_more("event") else {
            if !settings.entries().iter().any(|entry| entry.key == "event") {
                settings.missing("event");
            }
            return Events::default();
        };
        let mut events = Events { known: true, ..Events::default() };
        let node = settings.node("event");
        let alone = settings.span_of("event");
        for (index, &name) in names.iter().enumerate() {
            let span = match node {
                Some(Node { value: NodeValue::List(items), span }) => {
                    items.get(index).map_or_else(|| span.clone(), |item| item.span.clone())
                }
                _ => alone.clone(),
            };
            let read = if name.contains(['*', '?', '[', '{']) {
                self.glob(name, span).map(|glob| events.globs.push(glob))
            } else {
                self.event(name, span).map(|on| events.named.extend(on))
            };
            events.known &= read.is_some();
        }
        events
    }

    /// The events of one name.
    fn event(&mut self, name: &str, span: Range<usize>) -> Option<Vec<EventSelector>> {
        let Some(on) = EventSelector::named(name) else {
            let aliases = alias::ALIASES.iter().map(|alias| alias.name);
            let known: Vec<_> = Event::all().map(Event::name).chain(aliases).collect();
            let near = nearest(name, &known).map(str::to_owned);
            self.error(span, ConfigProblem::UnknownEvent { name: name.to_owned(), near });
            return None;
        };
        let registered = || self.registry.contracts().iter().any(|contract| contract.name == name);
        if name.starts_with("x.") && !registered() {
            let problem = ConfigProblem::UnverifiedEvent(name.to_owned());
            if self.allow_unverified {
                self.warn(span, problem);
            } else {
                self.error(span, problem);
            }
        }
        Some(on)
    }

    /// The events whose own names a glob matches, those of the embedder that are registered
    /// included.
    fn glob(&mut self, text: &str, span: Range<usize>) -> Option<Glob> {
        let matches = match event_glob(text) {
            Ok(matches) => matches,
            Err(error) => {
                let problem =
                    SettingProblem::Invalid { key: "event".into(), problem: error.to_string() };
                let error = SettingError { span: span.clone(), problem };
                self.error(span, ConfigProblem::Setting(error.problem));
                return None;
            }
        };
        let own = Event::all().map(Event::contract);
        let contracts: Vec<_> = own
            .chain(self.registry.contracts().iter().copied())
            .filter(|contract| matches(contract.name))
            .collect();
        if contracts.is_empty() {
            self.error(span, ConfigProblem::NoEventMatches(text.to_owned()));
            return None;
        }
        Some(Glob { text: text.to_owned(), span, contracts })
    }

    /// The events at which the hook is asked, and whether all that it names are known: those that it
    /// names, and of those that a glob takes in the ones at which the hook makes sense. Its role
    /// exists there, its handler fits, and there is a tool where its conditions want one.
    pub(super) fn suiting(
        &mut self,
        events: Events,
        role: Option<Role>,
        fits: Option<Supports>,
        matcher: &MatchSpec,
    ) -> (Vec<EventSelector>, bool) {
        let Events { named: mut on, globs, mut known } = events;
        for glob in globs {
            let suits = |contract: &&Contract| {
                role.is_none_or(|role| contract.takes_role(role))
                    && fits.is_none_or(|fits| fits(contract).is_ok())
                    && (contract.tool || !matcher.names_tools())
            };
            let suiting: Vec<_> = glob.contracts.into_iter().filter(suits).collect();
            if suiting.is_empty() {
                self.error(glob.span, ConfigProblem::NoEventSuits(glob.text));
                known = false;
            }
            for contract in suiting {
                if on.iter().all(|other| other.name() != contract.name) {
                    on.push(match contract.event {
                        Event::Custom => EventSelector::custom(contract.name),
                        event => EventSelector::event(event),
                    });
                }
            }
        }
        (on, known)
    }
}
