//! The record of a step, read from what lies in the file: the text that is chained, and the body.
//!
//! The text has no value of the step's own, so it is read right into the types of a record. What came from the step lies
//! in the body, is read strictly, and is moved into the record as it is.

use std::sync::LazyLock;

use hookgate::decision::{Outcome, Vote};
use hookgate::recorder::{DispatchEnd, Record};
use hookgate::{ConfigHash, Generation, HookId};
use hookgate_contract::ReasonCode;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Error as _};
use serde_json::{Map, Value};

use super::step_text::KIND;

/// A record in which nothing is said. Only its own crate can make one of its parts.
const NOTHING: &str = r#"{"time":0,"end":"decided","turn":0,"report":{"event":null,"session_id":"","generation":0,
  "decision":"allow","by":[],"reason":null,"reason_code":null,"patched":[],"final":{},"answer":null,"context":[],
  "messages":[],"contributions":[],"annotations":{},"payload":null,"votes":[]}}"#;

/// [`NOTHING`], read once: `None` if it is no record.
static EMPTY: LazyLock<Option<Record>> =
    LazyLock::new(|| Record::from_json(NOTHING.as_bytes()).ok());

/// As [`StepText`](super::step_text::StepText), to be read. A test compares it with what is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredStep {
    kind: String,
    /// How often the step was recorded, if not once.
    #[serde(default, rename = "attempt")]
    _attempt: Option<u64>,
    time: u64,
    end: DispatchEnd,
    turn: u64,
    #[serde(default)]
    agent_id: Option<String>,
    #[serde(default)]
    tool_name: Option<String>,
    #[serde(default)]
    tool_use_id: Option<String>,
    report: StoredReport,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredReport {
    #[serde(default)]
    step_id: Option<String>,
    event: Option<String>,
    session_id: String,
    generation: Generation,
    #[serde(default)]
    config_hash: Option<ConfigHash>,
    decision: Outcome,
    by: Vec<HookId>,
    reason_code: Option<ReasonCode>,
    patched: Vec<String>,
    /// What they said at length is in the body.
    votes: Vec<Vote>,
    #[serde(default)]
    duration_us: Option<u64>,
}

/// The kind of an entry, whatever else it says.
#[derive(Deserialize)]
struct Kind {
    #[serde(default)]
    kind: Value,
}

/// Returns the record that a text and a body are, or the body if the text is no step's.
///
/// # Errors
/// It is not what a hookgate writes.
pub(crate) fn read_step(
    text: &str,
    body: Map<String, Value>,
) -> serde_json::Result<Result<Record, Map<String, Value>>> {
    match serde_json::from_str::<StoredStep>(text) {
        Ok(step) if step.kind == KIND => step.with_body(body).map(Ok),
        Ok(_) => Ok(Err(body)),
        Err(error) => match serde_json::from_str::<Kind>(text) {
            Ok(Kind { kind }) if kind == KIND => Err(error),
            _ => Ok(Err(body)),
        },
    }
}

impl StoredStep {
    fn with_body(self, mut body: Map<String, Value>) -> serde_json::Result<Record> {
        let mut record = EMPTY.clone().ok_or_else(|| serde_json::Error::custom("no record"))?;
        record.time = self.time;
        record.end = self.end;
        record.turn = self.turn;
        record.agent_id = self.agent_id;
        record.tool_name = self.tool_name;
        record.tool_use_id = self.tool_use_id;
        let (stored, report) = (self.report, &mut record.report);
        report.step_id = stored.step_id;
        report.event = stored.event;
        report.session_id = stored.session_id;
        report.generation = stored.generation;
        report.config_hash = stored.config_hash;
        report.decision = stored.decision;
        report.by = stored.by;
        report.reason_code = stored.reason_code;
        report.patched = stored.patched;
        report.votes = stored.votes;
        report.duration_us = stored.duration_us;
        // What is JSON in a record is moved.
        report.envelope = body.remove("envelope");
        report.payload = body.remove("payload");
        report.final_fields = fields(&mut body, "final")?;
        report.annotations = fields(&mut body, "annotations")?;
        report.reason = part(&mut body, "reason")?;
        report.answer = part(&mut body, "answer")?;
        report.context = part(&mut body, "context")?;
        report.messages = part(&mut body, "messages")?;
        report.contributions = part(&mut body, "contributions")?;
        report.failed_required = part(&mut body, "failed_required")?;
        report.undelivered = part(&mut body, "undelivered")?;
        report.published = part(&mut body, "published")?;
        // The reason and the detail of each vote, in their order.
        let said: Vec<(Option<String>, Option<String>)> = part(&mut body, "votes")?;
        for (vote, (reason, detail)) in report.votes.iter_mut().zip(said) {
            (vote.reason, vote.detail) = (reason, detail);
        }
        Ok(record)
    }
}

fn part<T: DeserializeOwned + Default>(
    body: &mut Map<String, Value>,
    key: &str,
) -> serde_json::Result<T> {
    body.remove(key).map_or_else(|| Ok(T::default()), serde_json::from_value)
}

fn fields(body: &mut Map<String, Value>, key: &str) -> serde_json::Result<Map<String, Value>> {
    match body.remove(key) {
        None => Ok(Map::new()),
        Some(Value::Object(fields)) => Ok(fields),
        Some(_) => Err(serde_json::Error::custom(format!("`{key}` is no object"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_in_which_nothing_is_said_is_one() {
        assert!(EMPTY.is_some());
    }

    #[test]
    fn a_text_that_is_no_step_is_left_to_others_and_a_damaged_one_is_not() {
        let read = |text: &str| read_step(text, Map::new());
        assert!(matches!(read(r#"{"kind":"lost","time":1,"count":2}"#), Ok(Err(_))));
        assert!(read(r#"{"kind":"step","time":1}"#).is_err());
    }
}
