//! Decisions as logs of OpenTelemetry.

use hookgate::Outcome;
use hookgate::recorder::Record;
use serde_json::{Value, json};

use super::fields;
use crate::journal::otlp;

/// Returns a decision as a log.
pub(super) fn log(seq: u64, record: &Record) -> Value {
    let report = &record.report;
    let (severity, text) = match report.decision {
        Outcome::Allow | Outcome::Answered | Outcome::Cancelled => (9, "INFO"),
        Outcome::Ask | Outcome::Deny => (13, "WARN"),
        Outcome::Halt => (17, "ERROR"),
    };
    let event = report.event.as_deref().unwrap_or("unreadable");
    let body = match &report.reason {
        Some(reason) => format!("{event}: {}: {reason}", report.decision.name()),
        None => format!("{event}: {}", report.decision.name()),
    };
    let attributes: Vec<Value> = fields(seq, record)
        .into_iter()
        .filter_map(|(name, value)| Some(attribute(name, typed(&value)?)))
        .collect();
    json!({
        "timeUnixNano": otlp::time(record.time),
        "severityNumber": severity,
        "severityText": text,
        "body": {"stringValue": body},
        "attributes": attributes,
    })
}

fn attribute(name: &str, value: Value) -> Value {
    let name = match name {
        // The names that OpenTelemetry has for these.
        "session_id" => "session.id".to_owned(),
        "tool_name" => "gen_ai.tool.name".to_owned(),
        "agent_id" => "gen_ai.agent.id".to_owned(),
        name => format!("hookgate.{name}"),
    };
    json!({"key": name, "value": value})
}

fn typed(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => Some(json!({"stringValue": text})),
        Value::Number(number) => Some(json!({"intValue": number.to_string()})),
        _ => None,
    }
}
