//! The events of one `[[hook]]`: names, names of other hook systems, and globs.
//!
//! ```toml
//! event = "pre_tool_use"                  # one of the engine
//! event = ["PreToolUse", "x.deploy"]      # of another system, of the embedder
//! event = "*_tool_use"                    # all that match, if the hook makes sense there
//! ```
//!
//! A glob takes in only events at which the hook makes sense: its role exists there, its handler
//! supports them, and there is a tool if its conditions need one. So it is resolved last. A name,
//! on the other hand, is meant: if the hook makes no sense there, that is an error.

use std::ops::Range;

use hookgate_contract::settings::{SettingProblem, Settings};
use hookgate_contract::suggest::Suggestion;
use hookgate_contract::{Contract, Event, Role, Supports};

use super::problem::ConfigProblem;
use super::reader::Reader;
use super::spans::item_spans;
use crate::envelope::alias;
use crate::matcher::{MatchSpec, event_glob};
use crate::table::EventSelector;

/// The events of a hook, as far as they could be read.
#[derive(Default)]
pub(super) struct Events {
    named: Vec<EventSelector>,
    globs: Vec<Glob>,
    /// Whether all that the hook names could be read.
    all_read: bool,
}

/// A glob, and the events whose names it matches.
struct Glob {
    text: String,
    span: Range<usize>,
    contracts: Vec<&'static Contract>,
}

impl Events {
    /// Returns the events that the hook names without a glob.
    pub(super) fn named(&self) -> Vec<Event> {
        let event =
            |selector: &EventSelector| Event::from_name(selector.name()).unwrap_or(Event::Custom);
        self.named.iter().map(event).collect()
    }
}

/// Reads the events of a hook. A name that cannot be read is reported at its own position in the
/// list, and the others are used: so the rest of the hook can be checked.
pub(super) fn read_events(reader: &mut Reader<'_>, settings: &mut Settings<'_>) -> Events {
    let Some(names) = settings.one_or_more("event") else {
        if !settings.has("event") {
            settings.missing("event");
        }
        return Events::default();
    };
    let mut events = Events { all_read: true, ..Events::default() };
    let spans = item_spans(settings, "event");
    for (&name, span) in names.iter().zip(spans) {
        let read = if name.contains(['*', '?', '[', '{']) {
            read_glob(reader, name, span).map(|glob| events.globs.push(glob))
        } else {
            read_event(reader, name, span).map(|selectors| events.named.extend(selectors))
        };
        events.all_read &= read.is_some();
    }
    events
}

/// Reads one name of an event.
fn read_event(
    reader: &mut Reader<'_>,
    name: &str,
    span: Range<usize>,
) -> Option<Vec<EventSelector>> {
    let selectors = select_events(reader, name, &span)?;
    // It is reported if the event is not registered, and used as it is.
    reader.check_registered(name, span);
    Some(selectors)
}

/// Returns the events that a name selects, or reports that there are none.
pub(super) fn select_events(
    reader: &mut Reader<'_>,
    name: &str,
    span: &Range<usize>,
) -> Option<Vec<EventSelector>> {
    let found = EventSelector::named(name);
    if found.is_none() {
        let aliases = alias::ALIASES.iter().map(|alias| alias.name);
        let known: Vec<_> = Event::NAMED.into_iter().map(Event::name).chain(aliases).collect();
        let near = Suggestion::nearest(name, &known);
        let problem = ConfigProblem::UnknownEvent { name: name.to_owned(), near };
        reader.error(span.clone(), problem);
    }
    found
}

/// Reads a glob for the names of events, including those that the embedder has registered.
fn read_glob(reader: &mut Reader<'_>, text: &str, span: Range<usize>) -> Option<Glob> {
    let matches = match event_glob(text) {
        Ok(matches) => matches,
        Err(error) => {
            let problem =
                SettingProblem::Invalid { key: "event".into(), problem: error.to_string() };
            reader.error(span, ConfigProblem::Setting(problem));
            return None;
        }
    };
    let contracts: Vec<_> = Event::NAMED
        .into_iter()
        .map(Event::contract)
        .chain(reader.registry.contracts())
        .filter(|contract| matches(contract.name))
        .collect();
    if contracts.is_empty() {
        reader.error(span, ConfigProblem::NoEventMatches(text.to_owned()));
        return None;
    }
    Some(Glob { text: text.to_owned(), span, contracts })
}

/// Adds the events of the globs at which the hook makes sense: its role exists there, its handler
/// supports them, and they have a tool if its conditions need one. Returns all events, and whether
/// all that the hook names could be read.
pub(super) fn resolve_globs(
    reader: &mut Reader<'_>,
    events: Events,
    role: Option<Role>,
    supports: Option<Supports>,
    conditions: &MatchSpec,
) -> (Vec<EventSelector>, bool) {
    let Events { named: mut selected, globs, mut all_read } = events;
    for glob in globs {
        let makes_sense = |contract: &&Contract| {
            role.is_none_or(|role| contract.takes_role(role))
                && supports.is_none_or(|supports| supports(contract).is_ok())
                && (contract.tool || !conditions.names_tools())
                && conditions.all_registered().iter().all(|(built, _)| {
                    built.supports().is_none_or(|supports| supports(contract).is_ok())
                })
        };
        let contracts: Vec<_> = glob.contracts.into_iter().filter(makes_sense).collect();
        if contracts.is_empty() {
            reader.error(glob.span, ConfigProblem::NoEventSuits(glob.text));
            all_read = false;
        }
        for contract in contracts {
            if selected.iter().all(|other| other.name() != contract.name) {
                selected.push(match contract.event {
                    Event::Custom => EventSelector::custom(contract.name),
                    event => EventSelector::event(event),
                });
            }
        }
    }
    (selected, all_read)
}
