//! Decisions as events of the Open Cybersecurity Schema Framework: the class API Activity with the profile that says
//! what a control did.

use hookgate::Outcome;
use hookgate::recorder::Record;
use serde_json::{Map, Value, json};

use super::fields;

/// The version of the schema.
const VERSION: &str = "1.1.0";

/// API Activity, of the category Application Activity.
const CLASS: u64 = 6003;

/// An activity that the schema does not name.
const OTHER: u64 = 99;

/// Returns a decision as an event.
pub(super) fn event(seq: u64, record: &Record) -> Value {
    let report = &record.report;
    let name = report.event.as_deref().unwrap_or("unreadable");
    // Action: 1 allowed, 2 denied, 0 unknown. Disposition: 1 allowed, 2 blocked, 14 delayed, 99 another one.
    let (severity, action, disposition) = match report.decision {
        Outcome::Allow | Outcome::Answered => (1, 1, 1),
        Outcome::Ask => (3, 0, 14),
        Outcome::Cancelled => (1, 2, OTHER),
        Outcome::Deny => (3, 2, 2),
        Outcome::Halt => (4, 2, 2),
    };
    let own = fields(seq, record).into_iter().filter(|(_, value)| !value.is_null());
    let unmapped: Map<String, Value> = own.map(|(name, value)| (name.to_owned(), value)).collect();
    json!({
        "category_uid": CLASS / 1000,
        "class_uid": CLASS,
        "activity_id": OTHER,
        "activity_name": name,
        "type_uid": CLASS * 100 + OTHER,
        "time": record.time,
        "severity_id": severity,
        "action_id": action,
        "disposition_id": disposition,
        "message": report.reason.as_deref().unwrap_or_default(),
        "actor": {"session": {"uid": report.session_id}, "app_name": record.agent_id.as_deref().unwrap_or("agent")},
        "api": {
            "operation": record.tool_name.as_deref().unwrap_or(name),
            "request": {"uid": report.step_id.as_deref().unwrap_or_default()},
        },
        "src_endpoint": {"name": "localhost"},
        "metadata": {
            "version": VERSION,
            "uid": seq.to_string(),
            "log_name": "journal",
            "profiles": ["security_control"],
            "product": {
                "name": "hookgate",
                "vendor_name": "hookgate",
                "version": env!("CARGO_PKG_VERSION"),
            },
        },
        "unmapped": unmapped,
    })
}
