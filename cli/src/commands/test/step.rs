//! One step of a case: what is evaluated, what hooks do at it, and what is expected.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hookgate::Verdict;
use hookgate::contract::file;
use hookgate::contract::json::Integers;
use hookgate::contract::settings::{NodeValue, SettingError, SettingProblem, Settings};
use hookgate::envelope::{Incoming, IncomingError};
use serde_json::{Map, Value};

use super::expectation::{Expectation, read_classes, unknown_hook};
use super::substitute::{Substitute, Substitutes};
use crate::input::envelope;

/// The session of steps that name none.
const SESSION: &str = "test";

/// The field of an envelope that names its event.
const EVENT: &str = "hook_event_name";

/// What a test file is read by.
pub(super) struct Known<'a> {
    /// The ids of the hooks.
    pub(super) hooks: Vec<&'a str>,
    /// The ids that may have decided.
    pub(super) deciders: Vec<&'a str>,
    pub(super) integers: Integers,
    /// The folder of the test file.
    pub(super) folder: PathBuf,
}

/// What a step takes from its case and its file.
#[derive(Debug, Clone, Default)]
pub(super) struct Inherited {
    pub(super) event: Option<String>,
    pub(super) fields: Map<String, Value>,
    pub(super) substitutes: Substitutes,
}

/// One step.
#[derive(Debug)]
pub(super) struct TestStep {
    /// The envelope.
    pub(super) envelope: Map<String, Value>,
    /// The file that it was read from, if it was.
    pub(super) file: Option<PathBuf>,
    pub(super) substitutes: Substitutes,
    pub(super) expected: Expectation,
}

impl TestStep {
    /// Returns the envelope; `apart` is added to the id of its session.
    pub(super) fn in_session(&self, apart: &str) -> Map<String, Value> {
        let mut envelope = self.envelope.clone();
        if let Some(Value::String(session)) = envelope.get_mut("session_id") {
            session.push_str(apart);
        }
        envelope
    }
}

/// Reads a step; what is wrong is noted in the settings.
pub(super) fn read_step(
    settings: &mut Settings<'_>,
    known: &Known<'_>,
    inherited: &Inherited,
) -> Option<TestStep> {
    let own_event = settings.text("event").map(str::to_owned);
    let file = settings.text("step_file").map(|name| known.folder.join(name));
    let of_file = file.as_ref().and_then(|path| read_file(settings, path, known.integers));
    let written = read_object(settings, "step");
    let mut substitutes = inherited.substitutes.clone();
    substitutes.extend(read_substitutes(settings, known));
    let expected = Expectation::read(settings, &known.deciders);

    let mut fields = of_file.unwrap_or_default();
    fields.extend(written.unwrap_or_default());
    let in_fields = fields.get(EVENT).and_then(Value::as_str).map(str::to_owned);
    if let (Some(event), Some(other)) = (&own_event, &in_fields)
        && event != other
    {
        settings.invalid("event", format!("the step says `{other}`"));
        return None;
    }
    let mut envelope = inherited.fields.clone();
    envelope.extend(fields);
    let event = own_event.or(in_fields).or_else(|| inherited.event.clone());
    match event {
        Some(event) => envelope.insert(EVENT.to_owned(), event.into()),
        None => {
            settings.missing("event");
            return None;
        }
    };
    envelope.entry("session_id").or_insert_with(|| SESSION.into());
    match Incoming::from_object(envelope.clone()) {
        Ok(_) => Some(TestStep { envelope, file, substitutes, expected }),
        Err(error) => {
            let of_event =
                matches!(error, IncomingError::UnknownEvent { .. } | IncomingError::Alias { .. });
            let key = match (of_event, settings.has("step_file"), settings.has("step")) {
                (true, ..) => "event",
                (_, true, false) => "step_file",
                _ => "step",
            };
            settings.invalid(key, error.to_string());
            None
        }
    }
}

/// Reads the fields of a step from a file.
fn read_file(
    settings: &mut Settings<'_>,
    path: &Path,
    integers: Integers,
) -> Option<Map<String, Value>> {
    let read = file::read(path, file::LIMIT)
        .map_err(|error| format!("cannot read `{}`: {error}", path.display()))
        .and_then(|bytes| {
            envelope::object(&bytes, integers).map_err(|wrong| {
                format!("{}:{}:{}: {}", path.display(), wrong.line, wrong.column, wrong.message)
            })
        });
    read.map_err(|problem| settings.invalid("step_file", problem)).ok()
}

/// Reads a table as JSON.
pub(super) fn read_object(
    settings: &mut Settings<'_>,
    key: &'static str,
) -> Option<Map<String, Value>> {
    settings.table(key)?;
    match settings.node(key).map(|node| node.to_json()) {
        Some(Value::Object(map)) => Some(map),
        _ => None,
    }
}

/// Reads what hooks do in place of their handlers: `fault` and `stub`.
pub(super) fn read_substitutes(settings: &mut Settings<'_>, known: &Known<'_>) -> Substitutes {
    let faults = read_classes(settings, "fault", &known.hooks).unwrap_or_default();
    let mut all: Substitutes =
        faults.into_iter().map(|(hook, class)| (hook, Substitute::Fault(class))).collect();
    let (stubs, wrong) = read_stubs(settings, known);
    settings.absorb(wrong);
    if let Some(hook) = stubs.keys().find(|hook| all.contains_key(*hook)) {
        settings.invalid("stub", format!("`{hook}` has a fault already: it cannot do both"));
    }
    all.extend(stubs);
    all
}

fn read_stubs(
    settings: &mut Settings<'_>,
    known: &Known<'_>,
) -> (BTreeMap<String, Substitute>, Vec<SettingError>) {
    let (mut stubs, mut wrong) = (BTreeMap::new(), Vec::new());
    let Some(table) = settings.table("stub") else { return (stubs, wrong) };
    for entry in table.entries() {
        if !known.hooks.contains(&entry.key.as_str()) {
            wrong.push(unknown_hook(&entry.key, entry.key_span.clone(), &known.hooks));
        }
        let verdict = match entry.node.value {
            NodeValue::Table(_) => read_verdict(entry.node.to_json()),
            _ => Err(format!(
                "must be a verdict such as {{ verdict = \"deny\", reason = \"no\" }}, not {}",
                entry.node.kind()
            )),
        };
        match verdict {
            Ok(verdict) => {
                stubs.insert(entry.key.clone(), Substitute::Stub(verdict));
            }
            Err(problem) => wrong.push(SettingError {
                span: entry.node.span.clone(),
                problem: SettingProblem::Invalid { key: entry.key.clone(), problem },
            }),
        }
    }
    (stubs, wrong)
}

/// Reads a verdict. Its decision may also be called `verdict`, and `none` is no opinion.
fn read_verdict(mut value: Value) -> Result<Verdict, String> {
    if let Some(map) = value.as_object_mut()
        && let Some(decision) = map.remove("verdict")
    {
        if map.contains_key("decision") {
            return Err("`verdict` and `decision` are the same: give one of them".to_owned());
        }
        if decision != "none" {
            map.insert("decision".to_owned(), decision);
        }
    }
    Verdict::parse(value.to_string().as_bytes()).map_err(|failure| failure.detail.into_owned())
}
