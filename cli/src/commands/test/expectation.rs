//! What a step is expected to come to, and how what came differs.

use std::collections::BTreeSet;
use std::ops::Range;

use hookgate::certify::{includes, is_patched};
use hookgate::contract::settings::{NodeValue, SettingError, SettingProblem, Settings};
use hookgate::contract::suggest::Suggestion;
use hookgate::contract::{FailureClass, ReasonCode};
use hookgate::{Outcome, Report};
use regex::Regex;
use serde::Serialize;
use serde_json::{Map, Value};

/// All outcomes of a step.
const OUTCOMES: [Outcome; 5] =
    [Outcome::Allow, Outcome::Ask, Outcome::Deny, Outcome::Halt, Outcome::Answered];

/// What is expected of a step; what is `None` is not looked at.
#[derive(Debug, Default)]
pub(super) struct Expectation {
    pub(super) decision: Option<Written<Outcome>>,
    pub(super) by: Option<Written<Vec<String>>>,
    reason: Option<Regex>,
    reason_code: Option<ReasonCode>,
    patch: Option<Map<String, Value>>,
    answer: Option<Value>,
    context: Option<Vec<Regex>>,
    messages: Option<Vec<Regex>>,
    failures: Option<Vec<(String, FailureClass)>>,
    called: Option<Vec<String>>,
}

/// A value, and where it is written, in bytes.
#[derive(Debug)]
pub(super) struct Written<T> {
    pub(super) value: T,
    pub(super) span: Range<usize>,
}

/// Something that is not as it was expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Difference {
    /// The key of the expectation.
    pub(super) what: &'static str,
    pub(super) expected: String,
    pub(super) got: String,
}

/// Returns the mistake that a name is not that of a hook.
pub(super) fn unknown_hook(id: &str, span: Range<usize>, known: &[&str]) -> SettingError {
    let problem = format!("there is no hook of this id{}", Suggestion::nearest_or_all(id, known));
    SettingError { span, problem: SettingProblem::Invalid { key: id.to_owned(), problem } }
}

/// Reads a table of hooks, each with a class of failure.
pub(super) fn read_classes(
    settings: &mut Settings<'_>,
    key: &'static str,
    hooks: &[&str],
) -> Option<Vec<(String, FailureClass)>> {
    let table = settings.table(key)?;
    let names = FailureClass::ALL.map(FailureClass::name);
    let mut wrong = Vec::new();
    let mut classes = Vec::new();
    for entry in table.entries() {
        if !hooks.contains(&entry.key.as_str()) {
            wrong.push(unknown_hook(&entry.key, entry.key_span.clone(), hooks));
        }
        let class = match &entry.node.value {
            NodeValue::Text(name) => FailureClass::from_name(name).ok_or_else(|| {
                let near = Suggestion::nearest_or_all(name, &names);
                format!("`{name}` is no class of failures{near}")
            }),
            _ => Err(format!("must be a class of failures, not {}", entry.node.kind())),
        };
        match class {
            Ok(class) => classes.push((entry.key.clone(), class)),
            Err(problem) => wrong.push(SettingError {
                span: entry.node.span.clone(),
                problem: SettingProblem::Invalid { key: entry.key.clone(), problem },
            }),
        }
    }
    settings.absorb(wrong);
    Some(classes)
}

impl Expectation {
    /// Reads the expectations of a step. `hooks` are the ids that may be in `by`.
    pub(super) fn read(settings: &mut Settings<'_>, hooks: &[&str]) -> Self {
        let outcomes = OUTCOMES.map(Outcome::name);
        let by_name = |name: &str| OUTCOMES.into_iter().find(|outcome| outcome.name() == name);
        let codes = ReasonCode::ALL.map(ReasonCode::name);
        let decision = settings.choice("decision", &outcomes, by_name);
        Self {
            decision: decision.map(|value| Written { value, span: settings.span_of("decision") }),
            by: read_ids(settings, "by", hooks),
            called: read_ids(settings, "called", hooks).map(|written| written.value),
            reason: settings.text("reason").and_then(|text| regex(settings, "reason", text)),
            reason_code: settings.choice("reason_code", &codes, ReasonCode::from_name),
            patch: settings.table("patch").map(|table| {
                table.entries().iter().map(|one| (one.key.clone(), one.node.to_json())).collect()
            }),
            answer: settings.node("answer").map(|node| node.to_json()),
            context: regexes(settings, "context"),
            messages: regexes(settings, "messages"),
            failures: read_classes(settings, "failures", hooks),
        }
    }

    /// Whether nothing is expected.
    pub(super) const fn is_empty(&self) -> bool {
        self.decision.is_none()
            && self.by.is_none()
            && self.reason.is_none()
            && self.reason_code.is_none()
            && self.patch.is_none()
            && self.answer.is_none()
            && self.context.is_none()
            && self.messages.is_none()
            && self.failures.is_none()
            && self.called.is_none()
    }

    /// Returns how a report differs from what is expected. `called` are the hooks whose handlers were called.
    pub(super) fn differences(
        &self,
        report: &Report,
        called: &BTreeSet<String>,
    ) -> Vec<Difference> {
        let mut found = Vec::new();
        let mut add = |what, expected: String, got: String| {
            found.push(Difference { what, expected, got });
        };
        let by: Vec<&str> = report.by.iter().map(|id| id.as_str()).collect();
        if let Some(decision) = &self.decision
            && decision.value != report.decision
        {
            add("decision", decision.value.name().to_owned(), told(report));
        }
        if let Some(expected) = &self.by
            && !expected.value.iter().all(|id| by.contains(&id.as_str()))
        {
            add("by", expected.value.join(", "), or_nothing(&by.join(", ")));
        }
        let reason = report.reason.as_deref().unwrap_or_default();
        if let Some(regex) = &self.reason
            && !regex.is_match(reason)
        {
            add("reason", format!("/{regex}/"), or_nothing(reason));
        }
        if let Some(code) = self.reason_code
            && report.reason_code != Some(code)
        {
            let got = report.reason_code.map_or("nothing", ReasonCode::name);
            add("reason_code", code.name().to_owned(), got.to_owned());
        }
        if let Some(patch) = &self.patch
            && !is_patched(patch, report)
        {
            let got = Value::Object(report.final_fields.clone()).to_string();
            add("patch", Value::Object(patch.clone()).to_string(), got);
        }
        if let Some(answer) = &self.answer {
            let got = serde_json::to_value(&report.answer).unwrap_or_default();
            if !includes(&got, answer) && got.get("content") != Some(answer) {
                add("answer", answer.to_string(), got.to_string());
            }
        }
        let texts = [
            ("context", &self.context, &report.context),
            ("messages", &self.messages, &report.messages),
        ];
        for (what, expected, got) in texts {
            if let Some(expected) = expected
                && !are_found(expected, got)
            {
                let all: Vec<String> = expected.iter().map(|regex| format!("/{regex}/")).collect();
                add(what, or_nothing(&all.join(", ")), or_nothing(&got.join(" | ")));
            }
        }
        if let Some(expected) = &self.failures {
            let failed: Vec<(String, FailureClass)> = failures(report).collect();
            let is_met = expected.iter().all(|one| failed.contains(one));
            if !is_met || expected.is_empty() != failed.is_empty() {
                add("failures", classes_text(expected), classes_text(&failed));
            }
        }
        if let Some(expected) = &self.called
            && (expected.is_empty() != called.is_empty()
                || !expected.iter().all(|id| called.contains(id)))
        {
            let got: Vec<&str> = called.iter().map(String::as_str).collect();
            add("called", or_nothing(&expected.join(", ")), or_nothing(&got.join(", ")));
        }
        found
    }
}

/// Reads a list of hooks.
fn read_ids(
    settings: &mut Settings<'_>,
    key: &'static str,
    hooks: &[&str],
) -> Option<Written<Vec<String>>> {
    let ids = settings.one_or_more(key)?;
    let span = settings.span_of(key);
    let unknown = ids.iter().filter(|id| !hooks.contains(*id));
    let wrong: Vec<SettingError> =
        unknown.map(|id| unknown_hook(id, span.clone(), hooks)).collect();
    settings.absorb(wrong);
    Some(Written { value: ids.into_iter().map(str::to_owned).collect(), span })
}

fn regex(settings: &mut Settings<'_>, key: &'static str, text: &str) -> Option<Regex> {
    Regex::new(text)
        .map_err(|error| settings.invalid(key, format!("not a regular expression: {error}")))
        .ok()
}

fn regexes(settings: &mut Settings<'_>, key: &'static str) -> Option<Vec<Regex>> {
    let texts = settings.one_or_more(key)?;
    Some(texts.into_iter().filter_map(|text| regex(settings, key, text)).collect())
}

/// Whether each regex is found in one of the texts. No regex at all means that there is no text.
fn are_found(expected: &[Regex], got: &[String]) -> bool {
    match expected {
        [] => got.is_empty(),
        all => all.iter().all(|regex| got.iter().any(|text| regex.is_match(text))),
    }
}

/// Returns the failures of hooks in a report.
fn failures(report: &Report) -> impl Iterator<Item = (String, FailureClass)> {
    report.votes.iter().filter_map(|vote| Some((vote.hook.to_string(), vote.failure?)))
}

fn classes_text(classes: &[(String, FailureClass)]) -> String {
    let all: Vec<String> =
        classes.iter().map(|(hook, class)| format!("{hook} = {class}")).collect();
    or_nothing(&all.join(", "))
}

/// Returns what was decided, by whom and why.
fn told(report: &Report) -> String {
    let by: Vec<&str> = report.by.iter().map(|id| id.as_str()).collect();
    let mut text = report.decision.name().to_owned();
    if !by.is_empty() {
        text += &format!(" by {}", by.join(", "));
    }
    if let Some(reason) = &report.reason {
        text += &format!(": {reason}");
    }
    for vote in report.votes.iter().filter(|vote| vote.failure.is_some()) {
        let detail = vote.detail.as_deref().unwrap_or_default();
        text += &format!(" ({} failed: {detail})", vote.hook);
    }
    text
}

fn or_nothing(text: &str) -> String {
    if text.is_empty() { "nothing".to_owned() } else { text.to_owned() }
}
