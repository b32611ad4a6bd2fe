//! Which hooks are listed.

use hookgate::table::{EventSelector, Listed};
use hookgate::{Event, HookSpec};

use crate::abort::Abort;

/// Which hooks are wanted.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct FilterArgs {
    /// Only the hooks at this event, as a hooks.toml names it
    #[arg(long, value_name = "EVENT")]
    event: Vec<String>,
    /// Only the hooks that can be called about this tool: the other conditions are not looked at
    #[arg(long, value_name = "TOOL")]
    tool: Option<String>,
}

/// The same, with events that are known.
#[derive(Default)]
pub(super) struct Filter<'a> {
    /// Empty for all.
    events: Vec<String>,
    tool: Option<&'a str>,
}

impl FilterArgs {
    /// Looks the events up.
    ///
    /// # Errors
    /// There is no such event.
    pub(super) fn resolve(&self) -> Result<Filter<'_>, Abort> {
        let mut events = Vec::new();
        for name in &self.event {
            let Some(selected) = EventSelector::named(name) else {
                let known: Vec<&str> = Event::NAMED.into_iter().map(Event::name).collect();
                return Err(Abort::unknown_name("event", name, &known));
            };
            events.extend(selected.iter().map(|on| on.name().to_owned()));
        }
        Ok(Filter { events, tool: self.tool.as_deref() })
    }
}

impl Filter<'_> {
    /// Whether a hook that is called is wanted.
    pub(super) fn takes(&self, hook: &Listed<'_>) -> bool {
        self.takes_event(hook.event) && self.takes_tool(hook.contract.tool, hook.spec())
    }

    /// Whether a hook that is off is wanted at one of its events.
    pub(super) fn takes_off(&self, spec: &HookSpec, on: &EventSelector) -> bool {
        let has_tool = Event::from_name(on.name()).is_some_and(|event| event.contract().tool);
        self.takes_event(on.name()) && self.takes_tool(has_tool, spec)
    }

    fn takes_event(&self, event: &str) -> bool {
        self.events.is_empty() || self.events.iter().any(|wanted| wanted == event)
    }

    fn takes_tool(&self, has_tool: bool, spec: &HookSpec) -> bool {
        self.tool.is_none_or(|tool| has_tool && spec.matcher().may_hold_for(tool))
    }

    /// Says that no hook is left.
    pub(super) fn nothing(&self) -> String {
        let event = match self.events.as_slice() {
            [] => String::new(),
            events => format!(" at {}", events.join(", ")),
        };
        let tool = self.tool.map(|tool| format!(" about the tool `{tool}`")).unwrap_or_default();
        format!("no hook is called{event}{tool}")
    }
}
