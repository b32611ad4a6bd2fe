//! The bounds of an engine on what its hooks do outside of the process, at the same time.
//!
//! Dispatches, background calls and jobs share them, in all scopes of the engine. They are made when the first hook is
//! called that takes a place, so an engine whose hooks take none has none. A swap changes how many places there are,
//! and not who has one; whoever waits is served by the new number.
//!
//! A hook takes its place itself, at the moment at which it starts something ([`Invocation::place`]): while it waits for
//! a worker of its own, or between two attempts, it has none.
//!
//! [`Invocation::place`]: hookgate_contract::Invocation::place

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use hookgate_contract::{Envelope, Places, Resource};

use crate::table::{CompiledHook, HandlerTable, Limits, Machine};

/// How many calls may wait for a place, for each resource.
const MOST_WAITING: usize = 16_384;

/// The bounds of one engine, once they are needed.
#[derive(Default)]
pub(crate) struct EnginePlaces(OnceLock<Box<Bounds>>);

struct Bounds {
    places: Arc<Places>,
    machine: Machine,
    /// The generation of the table whose limits they are.
    generation: Mutex<u64>,
}

impl EnginePlaces {
    /// Returns the bounds, by the limits of this table if no later one is known.
    pub(super) fn by(&self, table: &HandlerTable) -> &Arc<Places> {
        let bounds = self.0.get_or_init(|| {
            let places = Arc::new(Places::new(1, 1, MOST_WAITING));
            Box::new(Bounds { places, machine: Machine::this(), generation: Mutex::new(0) })
        });
        bounds.follow(table.generation().get(), &table.limits);
        &bounds.places
    }

    /// Changes how many places there are to what the limits of a table say that was put in force.
    pub(crate) fn follow(&self, generation: u64, limits: &Limits) {
        if let Some(bounds) = self.0.get() {
            bounds.follow(generation, limits);
        }
    }

    /// Lets a hook take places, if it does.
    #[inline]
    pub(super) fn lend(&self, hook: &CompiledHook, table: &HandlerTable, envelope: &Envelope<'_>) {
        if hook.takes_place {
            envelope.set_places(self.by(table));
        }
    }
}

impl Bounds {
    fn follow(&self, generation: u64, limits: &Limits) {
        let mut known = self.generation.lock().unwrap_or_else(PoisonError::into_inner);
        if *known >= generation {
            return;
        }
        *known = generation;
        for resource in [Resource::Process, Resource::Request] {
            self.places.of(resource).set_most(self.machine.places(resource, limits));
        }
    }
}
