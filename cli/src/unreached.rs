//! Hooks that an agent never calls: it tells none of their events, or has none of the tools that they name. And those
//! that nobody calls yet.

use std::collections::BTreeSet;

use hookgate::contract::dialect::{Dialect, HostEvent};
use hookgate::effects::Manifests;
use hookgate::matcher::MatchSpec;
use hookgate::table::HookSpec;
use jiff::civil::{Date, DateTime, Time};
use serde_json::{Value, json};

/// How names of tools of MCP servers look. A condition that lets one of them in may be about one.
const OF_SERVERS: [&str; 4] =
    ["mcp__server__tool", "mcp_server_tool", "server_tool", "server-tool"];

/// How many names are shown.
const SHOWN: usize = 3;

/// What reaches hooks in one agent.
#[derive(Clone, Copy)]
pub(crate) struct Reach<'a> {
    /// The agent.
    pub(crate) dialect: &'a dyn Dialect,
    /// What is known of tools.
    pub(crate) manifests: &'a Manifests,
    /// The events of the agent at which it calls hookgate; `None` for all.
    pub(crate) called_at: Option<&'a BTreeSet<String>>,
}

impl Reach<'_> {
    /// Says why the agent never calls a hook; `None` if it may.
    pub(crate) fn why_never(&self, hook: &HookSpec) -> Option<String> {
        self.no_event(hook).or_else(|| self.no_tool(hook.matcher()))
    }

    /// Returns the events of the agent that tell of an event of ours.
    pub(crate) fn native(&self, ours: &str) -> Vec<&'static HostEvent> {
        let all = self.dialect.events().iter();
        let mut native: Vec<_> = all.filter(|event| event.ours == ours).collect();
        // One event of an agent may tell of several of ours.
        let envelope = json!({ "hook_event_name": ours, "session_id": "", "cwd": "/" });
        let written = envelope.as_object().and_then(|step| self.dialect.write(step).ok());
        native.extend(written.and_then(|step| self.dialect.event(&step.event)));
        native
    }

    fn no_event(&self, hook: &HookSpec) -> Option<String> {
        let events: Vec<&str> = hook.events().iter().map(|event| event.name()).collect();
        let native: Vec<_> = events.iter().flat_map(|ours| self.native(ours)).collect();
        let title = self.dialect.title();
        if native.is_empty() {
            let events = list(events.iter().copied());
            return (!events.is_empty()).then(|| format!("{title} has no event {events}"));
        }
        let called_at = self.called_at?;
        if native.iter().any(|event| called_at.contains(event.name)) {
            return None;
        }
        let events = list(native.iter().map(|event| event.name));
        Some(format!("{title} does not call hookgate at {events}"))
    }

    /// Only names of tools that other agents have are known to be none of this one: it may have got new ones.
    fn no_tool(&self, conditions: &MatchSpec) -> Option<String> {
        let own = self.dialect.tools().iter().map(|tool| tool.name);
        if own.chain(OF_SERVERS).any(|name| conditions.may_hold_for(name)) {
            return None;
        }
        let known = self.manifests.names();
        let mut others = Vec::new();
        let mut is_known = false;
        for name in known {
            let agents = self.manifests.agents_with(name);
            let is_own = agents.iter().any(|agent| is_called(self.dialect.title(), agent));
            is_known |= is_own;
            if !conditions.may_hold_for(name) {
                continue;
            }
            // Tools that the config declares and those of servers are of no agent.
            if is_own || agents.is_empty() || agents.iter().any(|agent| !is_agent(agent)) {
                return None;
            }
            others.push(name);
        }
        let has_unknown = names_of(conditions).iter().any(|name| !self.manifests.covers(name));
        if !is_known || others.is_empty() || has_unknown {
            return None;
        }
        let tools = list(others.into_iter());
        Some(format!("{} has no tool {tools}", self.dialect.title()))
    }
}

/// Returns the first moment of a hook, if that is later than now.
pub(crate) fn begins_later(hook: &HookSpec) -> Option<String> {
    let when = hook.matcher().registered.iter().find(|condition| condition.key() == "when")?;
    let written = when.written().get("from").and_then(Value::as_str)?;
    let from: DateTime = match written.parse::<Date>() {
        Ok(day) if written.len() == 10 => day.to_datetime(Time::midnight()),
        _ => written.parse().ok()?,
    };
    let now = jiff::Zoned::now().datetime();
    let shown = written.strip_suffix("T00:00:00").unwrap_or(written);
    (from > now).then(|| shown.to_owned())
}

/// Returns the names of tools in conditions, also those in `any`. Patterns are left out.
fn names_of(conditions: &MatchSpec) -> Vec<&str> {
    let own = conditions.tool.iter().flat_map(|text| text.split('|'));
    let own = own.filter(|name| !name.starts_with('!') && !name.contains(['*', '?', '[', '{']));
    own.chain(conditions.any.iter().flatten().flat_map(names_of)).collect()
}

/// Tells whether an agent is the one of a manifest, which may have a shorter name.
fn is_called(title: &str, of_manifest: &str) -> bool {
    title.to_lowercase().ends_with(&of_manifest.to_lowercase())
}

fn is_agent(of_manifest: &str) -> bool {
    hookgate_dialects::of_agents().iter().any(|dialect| is_called(dialect.title(), of_manifest))
}

/// Returns names as words: "`a`, `b` or `c`".
fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    names.dedup();
    if names.len() > SHOWN {
        let more = names.len() - SHOWN;
        names.truncate(SHOWN);
        names.push(format!("{more} more"));
    }
    match names.pop() {
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} or {last}", names.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::PROFILES;

    #[test]
    fn every_agent_has_manifests_of_its_own() {
        let manifests = Manifests::default();
        for profile in PROFILES {
            let agents = manifests.agents_with(profile.shell_tool);
            let dialect = profile.dialect().unwrap();
            let is_own = agents.iter().any(|agent| is_called(dialect.title(), agent));
            assert!(is_own, "{}: {agents:?}", profile.name);
        }
    }

    #[test]
    fn names_are_listed_as_people_write_them() {
        let shown = |names: &[&str]| list(names.iter().copied());
        assert_eq!(shown(&[]), "");
        assert_eq!(shown(&["a"]), "`a`");
        assert_eq!(shown(&["a", "b"]), "`a` or `b`");
        assert_eq!(shown(&["a", "b", "c", "d", "e"]), "`a`, `b`, `c` or 2 more");
    }
}
