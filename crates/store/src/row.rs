//! An entry as it lies in the file: the text that is chained, and the body apart from it, which may go.

use std::borrow::Cow;

use hmac_sha256::Hash;
use hookgate::decision::Contributed;
use hookgate::engine::PatchEnvelope;
use hookgate::recorder::{Record, ReloadRecord};
use hookgate_contract::Answer;
use hookgate_secrets::{Finder, Redactor};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

use crate::config::ConfigNote;
use crate::settings::EnvelopeMode;
use crate::taken_out::TakenOut;

/// Makes a value with nothing in it.
type Empty = fn() -> Value;

/// What of a report can be long, or come from the step: it lies in the body. A report without it has these instead.
const BODY: &[(&str, Empty)] = &[
    ("reason", || Value::Null),
    ("final", || json!({})),
    ("answer", || Value::Null),
    ("context", || json!([])),
    ("messages", || json!([])),
    ("contributions", || json!([])),
    ("annotations", || json!({})),
    ("payload", || Value::Null),
];

/// Parts of a report that are there only at times.
const OPTIONAL: &[&str] = &["published", "envelope"];

/// What of each vote lies in the body.
const VOTE: &[&str] = &["reason", "detail"];

/// What of a body is kept if steps are known by their hash only.
const OF_HASH: &[&str] = &["reason", "votes"];

/// What a step and its agent are called: it is in the text that is chained, too.
const NAMES: &[&str] =
    &["hook_event_name", "session_id", "step_id", "agent_id", "tool_name", "tool_use_id"];

/// How many levels a text may have that is read again.
const DEEPEST: usize = 127;

/// The hash of what was before the first entry.
pub(crate) const START: [u8; 32] = [0; 32];

/// An entry that is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    text: String,
    pub(crate) keys: Keys,
    pub(crate) body: Option<String>,
}

impl Row {
    fn new(text: Map<String, Value>, body: Option<String>) -> Self {
        let keys = Keys::of(&text);
        Self { text: Value::Object(text).to_string(), keys, body }
    }

    /// Returns the text that is chained. A step that is judged again has a record for each attempt.
    pub(crate) fn text(&self, attempt: u64) -> Cow<'_, str> {
        match (attempt, self.text.strip_prefix('{')) {
            (1, _) | (_, None) => Cow::Borrowed(&self.text),
            (_, Some(rest)) => Cow::Owned(format!(r#"{{"attempt":{attempt},{rest}"#)),
        }
    }
}

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
}

/// Returns the hooks of a report that decided, failed or rewrote.
fn spoke(report: &Map<String, Value>) -> Vec<String> {
    let list = |key| report.get(key).and_then(Value::as_array).into_iter().flatten();
    let voted = list("votes").filter(|vote| {
        vote.get("failure").is_some_and(|failure| !failure.is_null())
            || vote.get("rewrote") == Some(&Value::Bool(true))
    });
    let names = list("by").chain(voted.filter_map(|vote| vote.get("hook")));
    let mut all: Vec<String> = names.filter_map(|name| Some(name.as_str()?.to_owned())).collect();
    all.sort();
    all.dedup();
    all
}

/// Makes rows of what is recorded.
#[derive(Debug)]
pub(crate) struct RowWriter {
    mode: EnvelopeMode,
    redactor: Redactor,
}

impl RowWriter {
    pub(crate) fn new(mode: EnvelopeMode) -> Self {
        Self { mode, redactor: Redactor::new(Finder::catalogue().clone()) }
    }

    /// Returns the row of a record.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub(crate) fn step(&self, mut record: Record) -> serde_json::Result<Row> {
        // What is JSON already, and can be long, is moved and not written once more.
        let envelope = record.report.envelope.take();
        let fields = std::mem::take(&mut record.report.final_fields);
        let mut text = object("step", &record)?;
        let mut body = Map::new();
        if let Some(report) = text.get_mut("report").and_then(Value::as_object_mut) {
            body = split(report);
        }
        body.extend(envelope.map(|envelope| ("envelope".to_owned(), envelope)));
        if !fields.is_empty() {
            body.insert("final".to_owned(), Value::Object(fields));
        }
        if self.mode != EnvelopeMode::Full {
            self.redact_names(&mut text);
            hide_rewritten(&mut body);
        }
        // What is nested as deep as a step may be could not be read again one level deeper.
        if self.mode == EnvelopeMode::Hash || !is_readable(&body) {
            let hash = body.get("envelope").map(|envelope| hex(&sha256(&envelope.to_string())));
            body.retain(|key, _| OF_HASH.contains(&key.as_str()));
            body.extend(hash.map(|hash| ("envelope_sha256".to_owned(), Value::String(hash))));
        }
        let body = (!body.is_empty()).then(|| self.written(&Value::Object(body))).transpose()?;
        Ok(Row::new(text, body))
    }

    /// Returns the row of what came of a reload.
    pub(crate) fn reload(&self, record: &ReloadRecord) -> serde_json::Result<Row> {
        let mut text = object("reload", record)?;
        let body = text.remove("error").map(|error| self.written(&json!({ "error": error })));
        Ok(Row::new(text, body.transpose()?))
    }

    /// Returns the row of a config that is in force from now on.
    pub(crate) fn config(&self, config: &ConfigNote) -> serde_json::Result<Row> {
        let mut text = object("config", config)?;
        let files = text.remove("files").map(|files| self.written(&json!({ "files": files })));
        Ok(Row::new(text, files.transpose()?))
    }

    /// Returns the row that says that records before it were lost.
    pub(crate) fn lost(time: u64, count: u64) -> Row {
        let text = json!({"kind": "lost", "time": time, "count": count});
        Row::new(into_object(text), None)
    }

    /// Returns the row that says that the bodies of entries up to this one are gone.
    pub(crate) fn retention(time: u64, through: u64) -> Row {
        let text = json!({"kind": "retention", "time": time, "through": through});
        Row::new(into_object(text), None)
    }

    /// Takes secrets out of what the host and the model call the step: it lies in the text that is chained.
    fn redact_names(&self, text: &mut Map<String, Value>) {
        for key in NAMES {
            if let Some(name) = text.get_mut(*key) {
                self.redact_name(name);
            }
            if let Some(name) = text.get_mut("report").and_then(|report| report.get_mut(*key)) {
                self.redact_name(name);
            }
        }
    }

    fn redact_name(&self, name: &mut Value) {
        let redacted = name.as_str().and_then(|name| self.redactor.redact_text(name));
        if let Some((redacted, _)) = redacted {
            *name = Value::String(redacted);
        }
    }

    fn written(&self, body: &Value) -> serde_json::Result<String> {
        let redacted = match self.mode {
            EnvelopeMode::Full => None,
            EnvelopeMode::Redacted | EnvelopeMode::Hash => self.redactor.redact_value(body),
        };
        serde_json::to_string(redacted.as_ref().map_or(body, |(redacted, _)| redacted))
    }
}

fn object(kind: &str, value: &impl serde::Serialize) -> serde_json::Result<Map<String, Value>> {
    let mut object = into_object(serde_json::to_value(value)?);
    object.insert("kind".to_owned(), kind.into());
    Ok(object)
}

fn into_object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

/// Takes out of a report what lies in the body.
fn split(report: &mut Map<String, Value>) -> Map<String, Value> {
    let mut body = Map::new();
    let taken =
        |report: &mut Map<String, Value>, key: &str| Some((key.to_owned(), report.remove(key)?));
    for (key, empty) in BODY {
        body.extend(taken(report, key).filter(|(_, value)| *value != empty()));
    }
    for key in OPTIONAL {
        body.extend(taken(report, key));
    }
    let votes = report.get_mut("votes").and_then(Value::as_array_mut).into_iter().flatten();
    let votes: Vec<Value> = votes
        .map(|vote| {
            let of_vote =
                VOTE.iter().map(|key| vote.as_object_mut().and_then(|vote| vote.remove(*key)));
            of_vote.map(Option::unwrap_or_default).collect()
        })
        .collect();
    let says = |vote: &Value| {
        vote.as_array().is_some_and(|texts| texts.iter().any(|text| !text.is_null()))
    };
    if votes.iter().any(says) {
        body.insert("votes".to_owned(), votes.into());
    }
    body
}

/// Puts into a report what lies in the body, or what a report has without it.
pub(crate) fn join(report: &mut Map<String, Value>, mut body: Map<String, Value>) {
    for (key, empty) in BODY {
        report.insert((*key).to_owned(), body.remove(*key).unwrap_or_else(empty));
    }
    for key in OPTIONAL {
        report.extend(body.remove(*key).map(|value| ((*key).to_owned(), value)));
    }
    let mut said = body.remove("votes").unwrap_or_default();
    let votes = report.get_mut("votes").and_then(Value::as_array_mut).into_iter().flatten();
    for (index, vote) in votes.enumerate() {
        let Some(vote) = vote.as_object_mut() else { continue };
        for (place, key) in VOTE.iter().enumerate() {
            let text = said.get_mut(index).and_then(|of_vote| of_vote.get_mut(place));
            vote.insert((*key).to_owned(), text.map(Value::take).unwrap_or_default());
        }
    }
}

/// Whether a body can be read again.
fn is_readable(body: &Map<String, Value>) -> bool {
    body.values().all(|value| levels(value) < DEEPEST)
}

fn levels(value: &Value) -> usize {
    let deepest = match value {
        Value::Array(items) => items.iter().map(levels).max(),
        Value::Object(map) => map.values().map(levels).max(),
        _ => return 0,
    };
    deepest.unwrap_or_default() + 1
}

/// Puts in place of each field of the envelope that a hook has rewritten what it became: what a hook took out is not
/// kept by its side, nor elsewhere in the body.
fn hide_rewritten(body: &mut Map<String, Value>) {
    let rewritten = body.get("final").and_then(Value::as_object).cloned().unwrap_or_default();
    let Some(envelope) = body.get_mut("envelope").and_then(Value::as_object_mut) else { return };
    let taken_out = TakenOut::of(envelope, &rewritten);
    for (field, value) in rewritten {
        if value.is_null() {
            envelope.remove(&field);
        } else {
            envelope.insert(field, value);
        }
    }
    for (field, value) in envelope {
        if !NAMES.contains(&field.as_str()) {
            taken_out.hide(value);
        }
    }
    body.retain(|key, value| {
        key == "envelope" || !taken_out.hide(value) || still_reads(key, value)
    });
}

/// Whether a part of a body can be read again after something in it was hidden: some of its words have a meaning.
fn still_reads(key: &str, part: &Value) -> bool {
    match key {
        "answer" => Answer::deserialize(part).is_ok(),
        "contributions" => Vec::<Contributed>::deserialize(part).is_ok(),
        "published" => Vec::<PatchEnvelope>::deserialize(part).is_ok(),
        _ => true,
    }
}

/// Returns the hash of an entry, of the entry before and of what it says. Each part has a length that is known or
/// comes before it.
pub(crate) fn chained(
    before: &[u8; 32],
    seq: u64,
    text: &str,
    body: Option<&[u8; 32]>,
) -> [u8; 32] {
    let mut hash = Hash::new();
    hash.update(before);
    hash.update(seq.to_be_bytes());
    hash.update((text.len() as u64).to_be_bytes());
    hash.update(text);
    if let Some(body) = body {
        hash.update(body);
    }
    hash.finalize()
}

pub(crate) fn sha256(text: &str) -> [u8; 32] {
    Hash::hash(text.as_bytes())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}
