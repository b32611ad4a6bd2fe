//! A step of an event that is known by its name only.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{FieldRef, Payload};
use crate::contract::{CUSTOM, Contract};

/// The payload of an `x.*` event whose type is not known: a JSON object, as it is read from an envelope. It is the
/// only payload whose event is not the one of its contract.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Unregistered {
    #[serde(skip)]
    name: String,
    body: Map<String, Value>,
}

impl Unregistered {
    /// Makes the payload of the event of this name.
    #[must_use]
    pub const fn new(name: String, body: Map<String, Value>) -> Self {
        Self { name, body }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

impl Payload for Unregistered {
    fn contract(&self) -> &'static Contract {
        &CUSTOM
    }

    fn field(&self, name: &str) -> Option<FieldRef<'_>> {
        self.body.get(name).map(FieldRef::Json)
    }

    fn set(&mut self, name: &str, value: Value) -> Option<&'static str> {
        self.body.insert(name.to_owned(), value);
        None
    }
}
