//! The contract of an event by its name: the engine's own, or one that the embedder has registered.
//!
//! The contracts of the engine's events are constants and cannot be replaced, so a table cannot
//! make an event weaker than the runtime believes it to be.

use std::collections::BTreeMap;

use hookgate_contract::CUSTOM;
use hookgate_contract::{Contract, Event};

/// The contracts of the embedder's events `x.<name>`, by name.
pub(super) type Contracts = BTreeMap<String, &'static Contract>;

/// Returns the event of the engine that has this name; `None` for one of the embedder.
pub(super) fn own_event(name: &str) -> Option<Event> {
    Event::from_name(name).filter(|event| *event != Event::Custom)
}

/// Returns the contract of an event. An event of the embedder that is not registered counts as a
/// gate at which every decision may be given.
pub(super) fn contract_of(contracts: &Contracts, name: &str) -> &'static Contract {
    match own_event(name) {
        Some(event) => event.contract(),
        None => contracts.get(name).copied().unwrap_or(&CUSTOM),
    }
}
