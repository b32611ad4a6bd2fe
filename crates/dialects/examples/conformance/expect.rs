//! Compares what came of a case with what it expects. Only the keys that it has are compared.

use hookgate_agent_systems::foreign::{Audience, ForeignVerdict, HookRun, HookStatus};
use serde_json::{Map, Value, json};

use crate::compare::{is_any_containing, is_equal, is_subset, sorted};
use crate::error::Result;
use crate::handler::Record;
use crate::run::Observed;

/// One thing that is not as expected.
#[derive(Debug)]
pub(crate) struct Difference {
    pub(crate) key: String,
    pub(crate) expected: Value,
    pub(crate) got: Value,
}

/// Returns what is not as expected.
pub(crate) fn differences(seen: &Observed) -> Result<Vec<Difference>> {
    let expect = seen.case.object("expect")?;
    let mut differences = Vec::new();
    for (key, expected) in expect.iter().filter(|(key, _)| !key.starts_with("note_")) {
        let got = got(seen, key, expected);
        let is_same = match key.as_str() {
            "context" if expect.contains_key("note_context_first") => {
                is_equal(&sorted(expected), &sorted(&got))
            }
            "env" | "headers" => is_subset(expected, &got),
            "error_contains" => is_any_containing(&got, expected),
            "warning" if expected.is_string() => is_any_containing(&got, expected),
            _ => is_equal(expected, &got),
        };
        if !is_same {
            differences.push(Difference { key: key.clone(), expected: expected.clone(), got });
        }
    }
    Ok(differences)
}

/// Returns what came out for a key, in the form in which it is expected.
fn got(seen: &Observed, key: &str, expected: &Value) -> Value {
    let outcome = &seen.outcome;
    match key {
        "verdict" => json!(verdict(outcome.verdict)),
        "reason" => json!(outcome.reason),
        "reason_to" => json!(audience(outcome.reason_to)),
        "context" => json!(outcome.context),
        "context_spilled" => json!(outcome.context_spilled),
        "updated_input" => json!(outcome.updated_input),
        "updated_output" => json!(outcome.updated_output),
        "halt" => json!(outcome.halt),
        "halt_reason" => json!(outcome.halt_reason),
        "ends_turn" => json!(outcome.ends_turn),
        "system_message" => json!(outcome.system_message),
        "shown_to_user" => json!(outcome.shown_to_user),
        "effect" => effect(seen, expected),
        "runs" => match expected {
            Value::Array(list) => {
                (0..list.len()).map(|index| json!(has_run(seen, index))).collect()
            }
            _ => json!((0..seen.records.len()).any(|index| has_run(seen, index))),
        },
        "run_count" => json!(run_count(seen)),
        "order" => json!(order(seen)),
        "hook_status" => match expected {
            Value::Array(list) => (0..list.len()).map(|index| json!(status(seen, index))).collect(),
            _ => json!(status(seen, 0)),
        },
        "error_contains" => {
            seen.runs.iter().filter_map(|run| message(&run.result.status)).collect()
        }
        "timeout_s" => timeouts(seen, expected),
        "warning" => warning(seen, expected),
        "argv" => json!(record(seen).map(|record| &record.argv)),
        "env" => json!(record(seen).map(|record| &record.env)),
        "env_absent" => env_absent(seen, expected),
        "headers" => json!(seen.asked.requests().first().map(|request| &request.headers)),
        "request_sent" => request_sent(seen, expected),
        "stdin_has" | "stdin_lacks" => fields(seen, key == "stdin_has", expected),
        "next_stdin" => next_stdin(seen, expected),
        "prompt_sent" => prompt_sent(seen, expected),
        _ => json!("this program does not know the key"),
    }
}

const fn verdict(verdict: ForeignVerdict) -> &'static str {
    match verdict {
        ForeignVerdict::None => "none",
        ForeignVerdict::Allow => "allow",
        ForeignVerdict::Ask => "ask",
        ForeignVerdict::Defer => "defer",
        ForeignVerdict::Deny => "deny",
        ForeignVerdict::Feedback => "feedback",
        ForeignVerdict::KeepGoing => "keep_going",
    }
}

const fn audience(audience: Option<Audience>) -> &'static str {
    match audience {
        Some(Audience::Model) => "model",
        Some(Audience::User) => "user",
        Some(Audience::Nobody) | None => "none",
    }
}

/// Returns the fields of the effect that are expected; `null` for those that are not there.
fn effect(seen: &Observed, expected: &Value) -> Value {
    let field = |name: &String| match name.as_str() {
        "mcp_arguments" => seen.asked.calls().first().cloned().unwrap_or_default(),
        "blocked" => json!(seen.outcome.verdict == ForeignVerdict::Deny),
        name => seen.outcome.effect.get(name).cloned().unwrap_or_default(),
    };
    let names = expected.as_object().into_iter().flat_map(Map::keys);
    names.map(|name| (name.clone(), field(name))).collect::<Map<_, _>>().into()
}

/// Returns the first run of the first handler that ran.
fn record(seen: &Observed) -> Option<&Record> {
    seen.records.iter().flatten().next()
}

/// Tells whether a handler was started: its program left a record, or the server, the tool or the model
/// was asked.
fn has_run(seen: &Observed, index: usize) -> bool {
    let is_program = seen.is_named.get(index).is_some_and(|is_named| *is_named);
    if is_program && seen.records.get(index).is_some_and(|records| !records.is_empty()) {
        return true;
    }
    if seen.is_named.len() > 1 && is_program {
        return false;
    }
    let asked = &seen.asked;
    asked.requests().len() + asked.calls().len() + asked.questions().len() > 0
}

fn run_count(seen: &Observed) -> usize {
    let asked = &seen.asked;
    seen.records.iter().map(Vec::len).sum::<usize>()
        + asked.requests().len()
        + asked.calls().len()
        + asked.questions().len()
}

/// Returns whether two handlers were at work at the same time.
fn order(seen: &Observed) -> &'static str {
    let mut all: Vec<_> = seen.records.iter().flatten().collect();
    all.sort_by_key(|record| record.began);
    let overlaps = |pair: &[&Record]| match pair {
        [one, next] => one.ended.is_none_or(|ended| next.began < ended),
        _ => false,
    };
    if all.windows(2).any(overlaps) { "parallel" } else { "sequential" }
}

/// Returns the run of a handler, by the name of its program in the config.
fn run_of(seen: &Observed, index: usize) -> Option<&HookRun> {
    let program = seen.programs.get(index)?.to_string_lossy();
    let is_named = seen.is_named.get(index).is_some_and(|is_named| *is_named);
    let by_name = seen.runs.iter().find(|run| {
        is_named
            && format!("{:?}", run.hook.action).contains(&format!("{program:?}").replace('"', ""))
    });
    if is_named { by_name } else { seen.runs.get(index) }
}

fn status(seen: &Observed, index: usize) -> &'static str {
    match run_of(seen, index).map(|run| &run.result.status) {
        Some(HookStatus::Ok) => "ok",
        Some(HookStatus::Blocked) => "blocked",
        Some(HookStatus::Stopped) => "stopped",
        Some(HookStatus::Error(_)) => "error",
        Some(HookStatus::Failed(_)) => "failed",
        Some(HookStatus::Timeout(_)) => "timeout",
        Some(HookStatus::Ignored) => "ignored",
        Some(HookStatus::Skipped(_)) | None => "skipped",
    }
}

fn message(status: &HookStatus) -> Option<Value> {
    match status {
        HookStatus::Error(text)
        | HookStatus::Failed(text)
        | HookStatus::Timeout(text)
        | HookStatus::Skipped(text) => Some(json!(text)),
        _ => None,
    }
}

fn timeouts(seen: &Observed, expected: &Value) -> Value {
    let input = seen.case.get("stdin").and_then(Value::as_object).cloned().unwrap_or_default();
    let hooks = seen.hooks.config().hooks.iter();
    let mut limits = hooks
        .filter(|hook| seen.system.is_for(hook, &seen.case.event))
        .map(|hook| json!(seen.system.timeout(hook, &input, &seen.host).as_secs_f64()));
    if expected.is_array() { limits.collect() } else { limits.next().unwrap_or_default() }
}

fn warning(seen: &Observed, expected: &Value) -> Value {
    let warnings = &seen.hooks.config().warnings;
    if expected.is_string() {
        return warnings.iter().map(|warning| json!(warning.message)).collect();
    }
    json!(!warnings.is_empty())
}

/// Returns the names that must be absent and are: all of them, if all is well.
fn env_absent(seen: &Observed, expected: &Value) -> Value {
    let Some(record) = record(seen) else { return Value::Null };
    let is_absent =
        |name: &&Value| name.as_str().is_some_and(|name| !record.env.contains_key(name));
    expected.as_array().into_iter().flatten().filter(is_absent).cloned().collect()
}

/// Returns the expected value if the request was what it says.
fn request_sent(seen: &Observed, expected: &Value) -> Value {
    let requests = seen.asked.requests();
    if expected.is_boolean() {
        return json!(!requests.is_empty());
    }
    let Some(request) = requests.first() else { return json!("no request") };
    let body: Option<Value> = serde_json::from_str(&request.body).ok();
    if body.as_ref() == seen.case.get("stdin") {
        return expected.clone();
    }
    json!(request.body)
}

/// Returns the fields that the handler or the service got, out of those that it must have or must lack.
fn fields(seen: &Observed, must_have: bool, expected: &Value) -> Value {
    let requests = seen.asked.requests();
    let text = record(seen).map(|record| record.stdin.clone());
    let text = text.or_else(|| requests.first().map(|request| request.body.clone()));
    let input: Option<Map<String, Value>> = text.and_then(|text| serde_json::from_str(&text).ok());
    let Some(input) = input else { return Value::Null };
    let is_right =
        |name: &&Value| name.as_str().is_some_and(|name| input.contains_key(name) == must_have);
    expected.as_array().into_iter().flatten().filter(is_right).cloned().collect()
}

/// Returns, for each handler that is named, the fields of its input that are expected.
fn next_stdin(seen: &Observed, expected: &Value) -> Value {
    let handlers = expected.as_object().into_iter().flatten();
    handlers
        .map(|(index, fields)| {
            let at = index.parse::<usize>().ok().and_then(|index| seen.records.get(index)?.first());
            let input: Value =
                at.and_then(|record| serde_json::from_str(&record.stdin).ok()).unwrap_or_default();
            let names = fields.as_object().into_iter().flat_map(Map::keys);
            let got: Map<_, _> =
                names.map(|name| (name.clone(), input[name.as_str()].clone())).collect();
            (index.clone(), Value::Object(got))
        })
        .collect::<Map<_, _>>()
        .into()
}

/// Returns the question, with the place of the envelope put back where the envelope stands.
fn prompt_sent(seen: &Observed, expected: &Value) -> Value {
    const PLACE: &str = "{{STDIN_JSON}}";
    let Some(question) = seen.asked.questions().into_iter().next() else { return Value::Null };
    let expected = expected.as_str().unwrap_or_default();
    let middle = expected.split_once(PLACE).and_then(|(before, after)| {
        Some((before, question.strip_prefix(before)?.strip_suffix(after)?, after))
    });
    if let Some((before, middle, after)) = middle
        && serde_json::from_str::<Value>(middle).ok().as_ref() == seen.case.get("stdin")
    {
        return json!(format!("{before}{PLACE}{after}"));
    }
    json!(question)
}
