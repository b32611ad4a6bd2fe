//! How the outputs of several hooks become one. One output takes the same way.

use serde_json::{Map, Value, json};

use super::event::{Event, Joining};

type Output = Map<String, Value>;

/// Joins outputs. `None` if there are none.
pub(super) fn join(event: Event, outputs: &[Output]) -> Option<Output> {
    if outputs.is_empty() {
        return None;
    }
    Some(match event.joining() {
        Joining::Strictest => strictest(outputs),
        Joining::LaterKeys => later_keys(outputs),
        Joining::Tools => tools(outputs),
        Joining::LaterOutputs => outputs.iter().flatten().map(owned).collect(),
    })
}

fn strictest(outputs: &[Output]) -> Output {
    let mut joined = Output::new();
    let mut specific = Output::new();
    for own in outputs.iter().filter_map(specific_of) {
        specific.extend(own.iter().filter(|(name, _)| *name != "clearContext").map(owned));
    }
    let own = || outputs.iter().filter_map(specific_of);
    if own().any(|own| own.get("clearContext") == Some(&Value::Bool(true))) {
        specific.insert("clearContext".to_owned(), true.into());
    }
    let contexts = own().filter_map(|own| own.get("additionalContext")?.as_str());
    let contexts: Vec<_> = contexts.collect();
    if !contexts.is_empty() {
        specific.insert("additionalContext".to_owned(), contexts.join("\n").into());
    }
    if outputs.iter().any(|output| specific_of(output).is_some()) {
        joined.insert("hookSpecificOutput".to_owned(), specific.into());
    }
    let is_stopped = outputs.iter().any(is_stop);
    if is_stopped {
        joined.insert("continue".to_owned(), false.into());
    }
    if outputs.iter().any(|output| is_true(output.get("suppressOutput"))) {
        joined.insert("suppressOutput".to_owned(), true.into());
    }
    let decides = |word: &str| outputs.iter().any(|output| decision(output) == Some(word));
    let decision = match () {
        () if decides("deny") || decides("block") => Some("deny"),
        () if decides("ask") => Some("ask"),
        () if is_stopped => None,
        () => Some("allow"),
    };
    if let Some(decision) = decision {
        joined.insert("decision".to_owned(), decision.into());
    }
    let stops: Vec<_> = outputs.iter().filter(|output| is_stop(output)).collect();
    let all: Vec<_> = outputs.iter().collect();
    for (name, from) in [("stopReason", &stops), ("reason", &all), ("systemMessage", &all)] {
        let texts: Vec<_> = from.iter().filter_map(|output| text(output.get(name))).collect();
        if !texts.is_empty() {
            joined.insert(name.to_owned(), texts.join("\n").into());
        }
    }
    joined
}

fn later_keys(outputs: &[Output]) -> Output {
    let mut joined: Output = outputs.iter().flatten().map(owned).collect();
    let specific: Output = outputs.iter().filter_map(specific_of).flatten().map(owned).collect();
    joined.insert("hookSpecificOutput".to_owned(), specific.into());
    joined
}

/// No tools win over tools that must be called, and those over tools that may be. The names add up.
fn tools(outputs: &[Output]) -> Output {
    let configs: Vec<_> =
        outputs.iter().filter_map(|output| specific_of(output)?.get("toolConfig")).collect();
    let is_mode = |mode: &str| {
        configs.iter().any(|config| config.get("mode").and_then(Value::as_str) == Some(mode))
    };
    let mode = ["NONE", "ANY"].into_iter().find(|mode| is_mode(mode)).unwrap_or("AUTO");
    let names = configs.iter().filter_map(|config| config.get("allowedFunctionNames")?.as_array());
    let mut names: Vec<_> = names.flatten().filter_map(Value::as_str).collect();
    names.sort_unstable();
    names.dedup();
    if mode == "NONE" {
        names.clear();
    }
    let config = json!({"toolConfig": {"mode": mode, "allowedFunctionNames": names}});
    Output::from_iter([("hookSpecificOutput".to_owned(), config)])
}

/// Returns the part of an output that is for its event.
pub(super) fn specific_of(output: &Output) -> Option<&Output> {
    output.get("hookSpecificOutput")?.as_object()
}

/// Returns the decision of an output. Words are compared letter by letter.
pub(super) fn decision(output: &Output) -> Option<&str> {
    output.get("decision")?.as_str()
}

/// Returns whether an output stops the agent.
pub(super) fn is_stop(output: &Output) -> bool {
    output.get("continue") == Some(&Value::Bool(false))
}

/// Returns a text that says something. Numbers become text.
pub(super) fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns whether JavaScript takes a value for true.
pub(super) fn is_true(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        Some(_) => true,
    }
}

fn owned((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}
