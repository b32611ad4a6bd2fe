//! The fields of an envelope that are the same for all events.

use serde::Serialize;
use serde_json::{Map, Value};

use super::Observed;

/// The names of the fields that are the same for all events.
pub const HEADER_FIELDS: [&str; 12] = [
    "protocol",
    "hook_event_name",
    "step_id",
    "session_id",
    "turn",
    "cwd",
    "agent_id",
    "agent_type",
    "generation",
    "rejudge",
    "host",
    "decision",
];

/// The part of the envelope that is the same for all events; its fields are [`HEADER_FIELDS`].
#[derive(Serialize)]
pub(super) struct Header<'a> {
    pub(super) protocol: u32,
    pub(super) hook_event_name: &'a str,
    pub(super) step_id: &'a str,
    pub(super) session_id: &'a str,
    pub(super) turn: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cwd: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agent_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agent_type: Option<&'a str>,
    pub(super) generation: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) rejudge: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) host: Option<&'a Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<&'a Observed<'a>>,
}

impl Header<'_> {
    /// Adds the fields to those of a JSON object, as `Serialize` writes them.
    pub(super) fn add_to(&self, fields: &mut Vec<(String, Value)>) -> serde_json::Result<()> {
        let mut add = |name: &str, value: Value| fields.push((name.to_owned(), value));
        add("protocol", self.protocol.into());
        add("hook_event_name", self.hook_event_name.into());
        add("step_id", self.step_id.into());
        add("session_id", self.session_id.into());
        add("turn", self.turn.into());
        if let Some(cwd) = self.cwd {
            add("cwd", cwd.into());
        }
        if let Some(id) = self.agent_id {
            add("agent_id", id.into());
        }
        if let Some(kind) = self.agent_type {
            add("agent_type", kind.into());
        }
        add("generation", self.generation.into());
        if self.rejudge {
            add("rejudge", true.into());
        }
        if let Some(host) = self.host {
            add("host", Value::Object(host.clone()));
        }
        if let Some(decision) = self.decision {
            add("decision", serde_json::to_value(decision)?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::PROTOCOL;
    use super::*;

    #[test]
    fn the_names_of_the_header_are_those_of_its_fields() {
        let (host, observed) = (Map::new(), Observed::new("allow", Vec::new(), None, &[]));
        let header = Header {
            protocol: PROTOCOL,
            hook_event_name: "stop",
            step_id: "1",
            session_id: "s",
            turn: 1,
            cwd: Some("/"),
            agent_id: Some("a"),
            agent_type: Some("t"),
            generation: 1,
            rejudge: true,
            host: Some(&host),
            decision: Some(&observed),
        };
        let fields = serde_json::to_value(&header).unwrap();
        let mut added = Vec::new();
        header.add_to(&mut added).unwrap();
        assert_eq!(Value::Object(added.into_iter().collect()), fields);
        let mut names: Vec<_> = fields.as_object().unwrap().keys().map(String::as_str).collect();
        let mut listed = HEADER_FIELDS;
        names.sort_unstable();
        listed.sort_unstable();
        assert_eq!(names, listed);
    }
}
