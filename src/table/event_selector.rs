//! An event that a hook is called at, with what an alias of another hook system adds to it.

use hookgate_contract::{Event, Posture, Role};
use serde_json::Value;

use crate::envelope::alias;
use crate::matcher::{InputSpec, Test};

/// An event that a hook is called at.
///
/// A name of another system can mean an event and more: `PermissionDenied` is `permission_decided`
/// with a condition, and a hook under a name that only observes there only observes here. The
/// selector keeps that beside the event.
///
/// ```
/// use hookgate::{Event, table::EventSelector};
///
/// assert_eq!(EventSelector::event(Event::Stop).name(), "stop");
/// assert_eq!(EventSelector::custom("x.deploy").name(), "x.deploy");
/// let named = EventSelector::named("PreToolUse").unwrap();
/// assert_eq!(named[0].name(), "pre_tool_use");
/// assert!(EventSelector::named("pre_tol_use").is_none());
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct EventSelector {
    pub(super) event: Event,
    pub(super) custom: Option<String>,
    pub(super) role: Option<Role>,
    pub(super) posture: Option<Posture>,
    pub(super) only: Option<InputSpec>,
}

impl EventSelector {
    /// Selects an event of the engine.
    #[must_use]
    pub const fn event(event: Event) -> Self {
        Self { event, custom: None, role: None, posture: None, only: None }
    }

    /// Selects an event `x.<name>` of the embedder.
    #[must_use]
    pub fn custom(name: impl Into<String>) -> Self {
        Self { custom: Some(name.into()), ..Self::event(Event::Custom) }
    }

    /// Returns the events that a name of hooks.toml selects: one of the engine, one of the
    /// embedder, or those of an alias. `None` if the name is not known.
    ///
    /// ```
    /// use hookgate::table::EventSelector;
    ///
    /// // One name of another system may mean two events.
    /// let results = EventSelector::named("AfterTool").unwrap();
    /// let names: Vec<_> = results.iter().map(EventSelector::name).collect();
    /// assert_eq!(names, ["post_tool_use", "post_tool_use_failure"]);
    /// ```
    #[must_use]
    pub fn named(name: &str) -> Option<Vec<Self>> {
        if let Some(event) = Event::from_name(name) {
            return Some(vec![Self::event(event)]);
        }
        if hookgate_contract::is_custom_name(name) {
            return Some(vec![Self::custom(name)]);
        }
        let alias = alias::resolve(name)?;
        let only = alias
            .condition
            .map(|(pointer, value)| InputSpec::new(pointer).test(Test::Equals(Value::from(value))));
        let selector = |&event| Self {
            role: alias.role,
            posture: alias.posture,
            only: only.clone(),
            ..Self::event(event)
        };
        Some(alias.events.iter().map(selector).collect())
    }

    /// Returns the condition on the payload that the name brings with it.
    pub(crate) const fn only(&self) -> Option<&InputSpec> {
        self.only.as_ref()
    }

    /// Returns what a failure of a script counts as that was written for the system of the alias.
    pub(crate) const fn posture(&self) -> Option<Posture> {
        self.posture
    }

    /// Returns the event, if its name leaves the role of a hook open.
    pub(crate) const fn without_role(&self) -> Option<Event> {
        if self.role.is_none() { Some(self.event) } else { None }
    }

    /// Returns the name of the event.
    #[must_use]
    pub fn name(&self) -> &str {
        self.custom.as_deref().unwrap_or_else(|| self.event.name())
    }
}

impl From<Event> for EventSelector {
    fn from(event: Event) -> Self {
        Self::event(event)
    }
}
