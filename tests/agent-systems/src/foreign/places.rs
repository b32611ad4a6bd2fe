//! The places in a config that are filled in before a hook runs: `$NAME` in headers, `${a.b}` in the
//! arguments of a tool, `$ARGUMENTS` in a prompt.

use hookgate_dialects::import::fill_variables;
use serde_json::{Map, Value};

use super::config::{Action, ForeignHook};
use super::host::Host;
use super::run::{McpCall, Question, Request};

const WRONG_ACTION: &str = "the hook has another type";

/// Makes the request of a hook: its headers with the variables that it may name, a JSON body.
pub(super) fn request(hook: &ForeignHook, body: Vec<u8>, host: &Host) -> Result<Request, String> {
    let Action::Http { url, headers, allowed_env } = &hook.action else {
        return Err(WRONG_ACTION.to_owned());
    };
    let mut filled = vec![("content-type".to_owned(), "application/json".to_owned())];
    for (name, value) in headers {
        let value = fill_variables(value, |name| {
            let is_allowed = allowed_env.iter().any(|allowed| allowed == name);
            let value = if is_allowed { host.var(name) } else { None };
            Some(value.unwrap_or_default().to_owned())
        });
        filled.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        filled.push((name.clone(), value));
    }
    Ok(Request { url: url.clone(), headers: filled, body })
}

/// Makes the call of a hook.
pub(super) fn mcp_call(hook: &ForeignHook, input: &Map<String, Value>) -> Result<McpCall, String> {
    let Action::McpTool { server, tool, input: arguments } = &hook.action else {
        return Err(WRONG_ACTION.to_owned());
    };
    let arguments = fill_paths(arguments, input, true);
    Ok(McpCall { server: server.clone(), tool: tool.clone(), arguments })
}

/// Makes the question of a hook.
pub(super) fn question(hook: &ForeignHook, stdin: &[u8]) -> Result<Question, String> {
    let Action::Prompt { prompt, model, agent } = &hook.action else {
        return Err(WRONG_ACTION.to_owned());
    };
    let text = fill_arguments(prompt, &String::from_utf8_lossy(stdin));
    Ok(Question { text, model: model.clone(), agent: *agent })
}

/// Puts the envelope in each place of `$ARGUMENTS`, or behind the prompt if it has none. `\$` is a dollar.
///
/// ```
/// use hookgate_agent_systems::foreign::fill_arguments;
///
/// assert_eq!(fill_arguments("is $ARGUMENTS fine?", "{}"), "is {} fine?");
/// assert_eq!(fill_arguments(r"costs \$5", "{}"), "costs $5\n\n{}");
/// ```
#[must_use]
pub fn fill_arguments(prompt: &str, envelope: &str) -> String {
    const PLACE: &str = "ARGUMENTS";
    let mut text = String::with_capacity(prompt.len() + envelope.len());
    let mut is_filled = false;
    let mut rest = prompt;
    while let Some((before, after)) = rest.split_once('$') {
        if let Some(before) = before.strip_suffix('\\') {
            text.push_str(before);
            text.push('$');
            rest = after;
        } else if let Some(after) = after.strip_prefix(PLACE) {
            text.push_str(before);
            text.push_str(envelope);
            is_filled = true;
            rest = after;
        } else {
            text.push_str(before);
            text.push('$');
            rest = after;
        }
    }
    text.push_str(rest);
    if !is_filled {
        text.push_str("\n\n");
        text.push_str(envelope);
    }
    text
}

/// Puts values of the envelope in the places of `${a.b}` in all strings of `value`. With `keep_types`
/// a string that is nothing but a place becomes the value itself. A place that names nothing becomes
/// empty text.
#[must_use]
pub fn fill_paths(value: &Value, input: &Map<String, Value>, keep_types: bool) -> Value {
    match value {
        Value::String(text) => fill_path_text(text, input, keep_types),
        Value::Array(items) => {
            items.iter().map(|item| fill_paths(item, input, keep_types)).collect()
        }
        Value::Object(fields) => {
            let fill = |(name, field): (&String, &Value)| {
                (name.clone(), fill_paths(field, input, keep_types))
            };
            Value::Object(fields.iter().map(fill).collect())
        }
        other => other.clone(),
    }
}

fn fill_path_text(text: &str, input: &Map<String, Value>, keep_types: bool) -> Value {
    let whole = text.strip_prefix("${").and_then(|text| text.strip_suffix('}'));
    if let (true, Some(path)) = (keep_types, whole)
        && !path.contains('}')
    {
        return at(input, path).cloned().unwrap_or_else(|| Value::String(String::new()));
    }
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        filled.push_str(before);
        let Some((path, behind)) = after.split_once('}') else {
            filled.push_str("${");
            rest = after;
            continue;
        };
        match at(input, path) {
            Some(Value::String(value)) => filled.push_str(value),
            Some(value) => filled.push_str(&value.to_string()),
            None => {}
        }
        rest = behind;
    }
    filled.push_str(rest);
    Value::String(filled)
}

fn at<'a>(input: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    let mut names = path.trim().split('.');
    let first = input.get(names.next()?)?;
    names.try_fold(first, |value, name| match value {
        Value::Object(fields) => fields.get(name),
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        _ => None,
    })
}
