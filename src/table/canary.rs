//! A step that shows whether a hook works.

use serde_json::{Map, Value};

use crate::decision::Outcome;

/// A step with a known outcome: one that a hook must not let pass as it is, or one that it must let pass. `hookgate
/// certify` sends it to the hook. A dispatch has nothing to do with it.
///
/// ```
/// use hookgate::Outcome;
/// use hookgate::table::Canary;
/// use serde_json::json;
///
/// let push = json!({"hook_event_name": "pre_tool_use", "tool_name": "Bash", "tool_input": {"command": "git push -f"}});
/// let canary = Canary::new(push.as_object().unwrap().clone(), Outcome::Deny);
/// assert_eq!(canary.event(), "pre_tool_use");
/// assert!(canary.stops());
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Canary {
    /// The step, as an envelope with `hook_event_name`.
    pub step: Map<String, Value>,
    /// What must come out.
    pub decision: Outcome,
    /// The fields that must be changed to these values; empty if none may be changed, `None` if that does not matter.
    pub patch: Option<Map<String, Value>>,
}

impl Canary {
    /// Makes a step with what must come out.
    #[must_use]
    pub const fn new(step: Map<String, Value>, decision: Outcome) -> Self {
        Self { step, decision, patch: None }
    }

    /// Sets the fields that must be changed.
    #[must_use]
    pub fn patch(mut self, fields: Map<String, Value>) -> Self {
        self.patch = Some(fields);
        self
    }

    /// Returns the name of the event; empty if the step has none.
    #[must_use]
    pub fn event(&self) -> &str {
        self.step.get("hook_event_name").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns whether the hook must not let the step pass as it is.
    #[must_use]
    pub fn stops(&self) -> bool {
        self.decision != Outcome::Allow
            || self.patch.as_ref().is_some_and(|patch| !patch.is_empty())
    }
}
