//! Hooks whose context gets nowhere, since the host shows the model none at their event.

use hookgate_contract::{Event, EventKind};
use serde_json::Value;

use super::{HandlerTable, HookSpec};

impl HookSpec {
    /// Whether the hook is there to give context at an event, as far as its declaration says: the event has no other
    /// use, or the hook is a builtin that adds something, or a program whose output is context. Most guards may give
    /// context too and never do, so they are not counted.
    ///
    /// ```
    /// use hookgate::{Event, Hook, HookSpec, Verdict};
    ///
    /// let hook = Hook::sync("no-bash", |_| Ok(Verdict::deny("no"))).event(Event::PreToolUse);
    /// assert!(!HookSpec::from(hook).means_context_at(Event::PreToolUse));
    /// ```
    #[must_use]
    pub fn means_context_at(&self, event: Event) -> bool {
        let contract = event.contract();
        contract.context && (contract.kind == EventKind::Context || self.says_context())
    }

    fn says_context(&self) -> bool {
        let settings = self.settings();
        let text = |key: &str| settings.get(key).and_then(Value::as_str);
        match self.kind() {
            "builtin" => {
                text("name").or(settings.as_str()).is_some_and(|name| name.starts_with("add_"))
            }
            _ => text("stdout") == Some("context"),
        }
    }
}

impl HandlerTable {
    /// Returns the hooks whose context is undelivered in a host that shows the model none at this event, for a warning
    /// when a config is loaded. What a hook gives there all the same is named in the record of the step
    /// ([`StepContext::no_context`](crate::StepContext::no_context)).
    ///
    /// ```
    /// use hookgate::{Event, HandlerTable, Hook, Verdict};
    ///
    /// let hook = Hook::sync("branch", |_| Ok(Verdict::none().context("on main"))).event(Event::SessionStart);
    /// let table = HandlerTable::builder().insert(hook).build()?;
    /// assert_eq!(table.undelivered_at(Event::SessionStart).count(), 1);
    /// # Ok::<_, hookgate::table::BuildErrors>(())
    /// ```
    pub fn undelivered_at(&self, event: Event) -> impl Iterator<Item = &HookSpec> {
        let here = move |hook: &&HookSpec| hook.events().iter().any(|of| of.name() == event.name());
        self.specs().filter(here).filter(move |hook| hook.means_context_at(event))
    }
}
