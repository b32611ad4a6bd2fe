//! What an entry is found by.

use hookgate::recorder::Record;
use serde_json::{Map, Value};

use super::step_text::KIND;

/// What an entry is found by. It is taken of the text, so that the text is all that is to be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Keys {
    pub(crate) time: u64,
    pub(crate) kind: String,
    pub(crate) session: Option<String>,
    pub(crate) step: Option<String>,
    pub(crate) event: Option<String>,
    pub(crate) ending: Option<String>,
    pub(crate) attempt: u64,
    pub(crate) tool: Option<String>,
    pub(crate) decision: Option<String>,
    pub(crate) config: Option<String>,
    /// The hooks that decided, failed or rewrote.
    pub(crate) spoke: Vec<String>,
}

impl Keys {
    /// Returns what the text of an entry says.
    pub(crate) fn of(text: &Map<String, Value>) -> Self {
        let none = Map::new();
        let report = text.get("report").and_then(Value::as_object).unwrap_or(&none);
        let word = |of: &Map<String, Value>, key| Some(of.get(key)?.as_str()?.to_owned());
        let number = |key| text.get(key).and_then(Value::as_u64);
        Self {
            time: number("time").unwrap_or_default(),
            kind: word(text, "kind").unwrap_or_default(),
            session: word(report, "session_id"),
            step: word(report, "step_id"),
            event: word(report, "event"),
            ending: word(text, "end"),
            attempt: number("attempt").unwrap_or(1),
            tool: word(text, "tool_name"),
            decision: word(report, "decision"),
            config: word(report, "config_hash").or_else(|| word(text, "config_hash")),
            spoke: spoke(report),
        }
    }

    /// Returns what the text of a record says, without reading it. A test compares the two.
    pub(super) fn of_record(record: Record) -> Self {
        let report = record.report;
        let voted = report.votes.iter().filter(|vote| vote.failure.is_some() || vote.rewrote);
        let names = report.by.iter().chain(voted.map(|vote| &vote.hook));
        Self {
            time: record.time,
            kind: KIND.to_owned(),
            spoke: sorted(names.map(ToString::to_string).collect()),
            session: Some(report.session_id),
            step: report.step_id,
            event: report.event,
            ending: Some(record.end.name().to_owned()),
            attempt: 1,
            tool: record.tool_name,
            decision: Some(report.decision.name().to_owned()),
            config: report.config_hash.map(|hash| hash.to_string()),
        }
    }
}

/// Returns the hooks of a report that decided, failed or rewrote.
fn spoke(report: &Map<String, Value>) -> Vec<String> {
    let list = |key| report.get(key).and_then(Value::as_array).into_iter().flatten();
    let voted = list("votes").filter(|vote| {
        vote.get("failure").is_some_and(|failure| !failure.is_null())
            || vote.get("rewrote") == Some(&Value::Bool(true))
    });
    let names = list("by").chain(voted.filter_map(|vote| vote.get("hook")));
    sorted(names.filter_map(|name| Some(name.as_str()?.to_owned())).collect())
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}
