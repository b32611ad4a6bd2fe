//! An entry as it lies in the file: the text that is chained, and the body apart from it, which may go.

mod keys;
mod step_text;
mod stored_step;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use hookgate::decision::{Contributed, FailedRequired};
use hookgate::engine::PatchEnvelope;
use hookgate::recorder::{Record, ReloadRecord};
use hookgate::{HookId, Report};
use hookgate_contract::Answer;
use hookgate_contract::json;
use hookgate_secrets::{Finder, Redactor};
use ring::digest::{Context, Digest, SHA256, digest};
use serde::{Deserialize as _, Serialize};
use serde_json::{Map, Value, json};

use self::step_text::StepText;
use crate::config::ConfigNote;
use crate::settings::EnvelopeMode;
use crate::taken_out::TakenOut;
pub(crate) use keys::Keys;
pub(crate) use stored_step::read_step;

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
    pub(crate) body: Option<Body>,
}

/// What an entry says at length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body {
    pub(crate) text: String,
    pub(crate) digest: [u8; 32],
}

impl Row {
    fn new(text: Map<String, Value>, body: Option<String>) -> Self {
        let keys = Keys::of(&text);
        Self::with_keys(Value::Object(text).to_string(), keys, body)
    }

    fn with_keys(text: String, keys: Keys, body: Option<String>) -> Self {
        let body = body.map(|text| Body { digest: sha256(&text), text });
        Self { text, keys, body }
    }

    /// Returns the text that is chained. A step that is judged again has a record for each attempt.
    pub(crate) fn text(&self, attempt: u64) -> Cow<'_, str> {
        match (attempt, self.text.strip_prefix('{')) {
            (1, _) | (_, None) => Cow::Borrowed(&self.text),
            (_, Some(rest)) => Cow::Owned(format!(r#"{{"attempt":{attempt},{rest}"#)),
        }
    }

    /// Returns how many bytes it has.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len().saturating_add(self.body.as_ref().map_or(0, |body| body.text.len()))
    }
}

/// Makes rows of what is recorded.
#[derive(Debug, Clone)]
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
        let mut body = split(&mut record.report)?;
        if self.mode != EnvelopeMode::Full {
            self.redact_names(&mut record);
            hide_rewritten(&mut body);
        }
        // What is nested as deep as a step may be could not be read again one level deeper.
        if self.mode == EnvelopeMode::Hash || !is_readable(&body) {
            let hash = body.get("envelope").map(|envelope| hex(&sha256(&envelope.to_string())));
            body.retain(|key, _| OF_HASH.contains(&key.as_str()));
            body.extend(hash.map(|hash| ("envelope_sha256".to_owned(), Value::String(hash))));
        }
        let body = (!body.is_empty()).then(|| self.written(&Value::Object(body))).transpose()?;
        let text = to_text(&StepText::of(&record))?;
        Ok(Row::with_keys(text, Keys::of_record(record), body))
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
    fn redact_names(&self, record: &mut Record) {
        let Record { agent_id, tool_name, tool_use_id, report, .. } = record;
        let names = [agent_id, tool_name, tool_use_id, &mut report.step_id];
        let names = names.into_iter().flatten().chain([&mut report.session_id]);
        for name in names {
            if let Some((redacted, _)) = self.redactor.redact_text(name) {
                *name = redacted;
            }
        }
    }

    fn written(&self, body: &Value) -> serde_json::Result<String> {
        let redacted = match self.mode {
            EnvelopeMode::Full => None,
            EnvelopeMode::Redacted | EnvelopeMode::Hash => self.redactor.redact_value(body),
        };
        to_text(redacted.as_ref().map_or(body, |(redacted, _)| redacted))
    }
}

/// Returns what serde_json writes.
fn to_text(value: &impl Serialize) -> serde_json::Result<String> {
    let mut out = Vec::with_capacity(1024);
    json::write(&mut out, value)?;
    String::from_utf8(out).map_err(serde::ser::Error::custom)
}

fn object(kind: &str, value: &impl Serialize) -> serde_json::Result<Map<String, Value>> {
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

/// Takes out of a report what lies in the body. What is JSON already, and can be long, is moved.
fn split(report: &mut Report) -> serde_json::Result<Map<String, Value>> {
    let mut body = Map::new();
    let mut add = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    if let Some(reason) = report.reason.take() {
        add("reason", reason.into());
    }
    if let Some(answer) = report.answer.take() {
        add("answer", serde_json::to_value(answer)?);
    }
    if let Some(payload) = report.payload.take() {
        add("payload", payload);
    }
    if let Some(envelope) = report.envelope.take() {
        add("envelope", envelope);
    }
    for (key, fields) in [
        ("final", std::mem::take(&mut report.final_fields)),
        ("annotations", std::mem::take(&mut report.annotations)),
    ] {
        if !fields.is_empty() {
            add(key, fields.into());
        }
    }
    for (key, texts) in [
        ("context", std::mem::take(&mut report.context)),
        ("messages", std::mem::take(&mut report.messages)),
    ] {
        if !texts.is_empty() {
            add(key, texts.into());
        }
    }
    if !report.contributions.is_empty() {
        add("contributions", serde_json::to_value(std::mem::take(&mut report.contributions))?);
    }
    if !report.failed_required.is_empty() {
        add("failed_required", serde_json::to_value(std::mem::take(&mut report.failed_required))?);
    }
    if !report.undelivered.is_empty() {
        add("undelivered", serde_json::to_value(std::mem::take(&mut report.undelivered))?);
    }
    if !report.published.is_empty() {
        add("published", serde_json::to_value(std::mem::take(&mut report.published))?);
    }
    if report.votes.iter().any(|vote| vote.reason.is_some() || vote.detail.is_some()) {
        // As they are read by `stored_step.rs`.
        let votes = report.votes.iter_mut();
        let votes = votes.map(|vote| json!([vote.reason.take(), vote.detail.take()]));
        add("votes", votes.collect());
    }
    Ok(body)
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
    let Some(rewritten) = body.get("final").and_then(Value::as_object).cloned() else { return };
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
        "failed_required" => Vec::<FailedRequired>::deserialize(part).is_ok(),
        "undelivered" => Vec::<HookId>::deserialize(part).is_ok(),
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
    let mut hash = Context::new(&SHA256);
    hash.update(before);
    hash.update(&seq.to_be_bytes());
    hash.update(&(text.len() as u64).to_be_bytes());
    hash.update(text.as_bytes());
    if let Some(body) = body {
        hash.update(body);
    }
    as_array(hash.finish())
}

pub(crate) fn sha256(text: &str) -> [u8; 32] {
    as_array(digest(&SHA256, text.as_bytes()))
}

/// A digest of SHA-256 has 32 bytes.
fn as_array(digest: Digest) -> [u8; 32] {
    digest.as_ref().try_into().unwrap_or_default()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}
