//! Logs of OpenTelemetry, in the JSON of its protocol (OTLP 1.x).

use hookgate_store::Head;
use serde_json::{Value, json};

/// Returns logs as one message.
pub(crate) fn together(logs: Vec<Value>) -> Value {
    json!({"resourceLogs": [{
        "resource": {"attributes": [
            {"key": "service.name", "value": {"stringValue": "hookgate"}},
            {"key": "service.version", "value": {"stringValue": env!("CARGO_PKG_VERSION")}},
        ]},
        "scopeLogs": [{"scope": {"name": "hookgate.journal"}, "logRecords": logs}],
    }]})
}

/// Returns milliseconds since 1970 as a log has its time: 64-bit integers are texts in the JSON of protocol buffers.
pub(crate) fn time(unix_ms: u64) -> String {
    (u128::from(unix_ms) * 1_000_000).to_string()
}

/// Returns the head of a journal as a log.
pub(super) fn head(head: &Head) -> Value {
    let text = |name: &str, value: &str| json!({"key": name, "value": {"stringValue": value}});
    let mut attributes = vec![
        json!({"key": "hookgate.head.seq", "value": {"intValue": head.seq.to_string()}}),
        text("hookgate.head.hash", &head.hash),
    ];
    attributes.extend(head.signature.iter().map(|one| text("hookgate.head.signature", one)));
    json!({
        "timeUnixNano": time(head.time),
        "severityNumber": 9,
        "severityText": "INFO",
        "eventName": "hookgate.journal.head",
        // As stderr has it, so that both are read alike.
        "body": {"stringValue": head.marked()},
        "attributes": attributes,
    })
}
