//! An event that a hook is for.

use hookgate_contract::{Event, Posture, Role};
use serde_json::Value;

use crate::envelope::alias;
use crate::matcher::{InputSpec, InputTest, Test};

/// An event that a hook is for.
#[derive(Debug, Clone, PartialEq)]
pub struct EventSelector {
    pub(super) event: Event,
    pub(super) custom: Option<String>,
    pub(super) role: Option<Role>,
    pub(super) posture: Option<Posture>,
    pub(super) only: Option<InputSpec>,
}

impl EventSelector {
    /// An event of ours.
    #[must_use]
    pub const fn event(event: Event) -> Self {
        Self { event, custom: None, role: None, posture: None, only: None }
    }

    /// An event `x.<name>` of the embedder.
    #[must_use]
    pub fn custom(name: impl Into<String>) -> Self {
        Self {
            event: Event::Custom,
            custom: Some(name.into()),
            role: None,
            posture: None,
            only: None,
        }
    }

    /// The events that a name stands for: one of ours, one of the embedder, or those of an alias.
    #[must_use]
    pub fn named(name: &str) -> Option<Vec<Self>> {
        if let Some(event) = Event::from_name(name) {
            return Some(vec![Self::event(event)]);
        }
        if hookgate_contract::event::is_custom_name(name) {
            return Some(vec![Self::custom(name)]);
        }
        let alias = alias::resolve(name)?;
        let only = alias.condition.map(|(pointer, value)| InputSpec {
            pointer: pointer.to_owned(),
            tests: vec![InputTest { test: Test::Equals(Value::from(value)), negated: false }],
        });
        let of = |&event| Self {
            event,
            custom: None,
            role: alias.role,
            posture: alias.posture,
            only: only.clone(),
        };
        Some(alias.events.iter().map(of).collect())
    }

    /// What a failure of a foreign script counts as, by the name of the event.
    pub(crate) const fn posture(&self) -> Option<Posture> {
        self.posture
    }

    /// The event, and whether the name leaves the role of a hook to it.
    pub(crate) const fn of_no_role(&self) -> Option<Event> {
        if self.role.is_none() { Some(self.event) } else { None }
    }

    /// The name of the event.
    #[must_use]
    pub fn name(&self) -> &str {
        self.custom.as_deref().unwrap_or_else(|| self.event.name())
    }
}
