//! Finds out whether an output is JSON that Claude Code reads, and checks it.

use serde_json::{Map, Value};

use super::event::Event;
use super::fields;
use crate::foreign::parse_js;

/// What a hook wrote to stdout, or what a service or a tool answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Output {
    /// Nothing.
    Empty,
    /// Text that is no JSON object.
    Text(String),
    /// An answer.
    Json(Map<String, Value>),
    /// A JSON object that is no answer; why.
    Broken(String),
}

/// Reads an output. It is JSON if its first sign is `{` and the whole of it parses; all else is text.
pub(super) fn read(text: &str, event: &Event) -> Output {
    // JavaScript counts a byte order mark as white space.
    let text = text.trim_matches(|sign: char| sign.is_whitespace() || sign == '\u{feff}');
    if text.is_empty() {
        return Output::Empty;
    }
    let object = text.starts_with('{').then(|| parse_js::<Map<_, _>>(text).ok());
    match object.flatten() {
        None => Output::Text(text.to_owned()),
        Some(object) => match check(&object, event) {
            Ok(()) => Output::Json(object),
            Err(why) => Output::Broken(why),
        },
    }
}

/// Checks the fields that the event knows. Other fields are no fault.
fn check(object: &Map<String, Value>, event: &Event) -> Result<(), String> {
    let fault = |prefix: &str, (name, kind): &fields::Field| {
        Err(format!("JSON output does not fit: `{prefix}{name}` must be {}", kind.title()))
    };
    let whole = Value::Object(object.clone());
    if let Some(field) = fields::wrong(fields::COMMON, &whole) {
        return fault("", field);
    }
    let Some(specific) = object.get("hookSpecificOutput") else { return Ok(()) };
    if !specific.get("hookEventName").is_some_and(Value::is_string) {
        return Err(
            "JSON output does not fit: `hookSpecificOutput` has no `hookEventName`".to_owned()
        );
    }
    fields::wrong(event.fields, specific)
        .map_or(Ok(()), |field| fault("hookSpecificOutput.", field))
}

/// Returns the fields of `hookSpecificOutput`.
pub(super) fn specific(object: &Map<String, Value>) -> Option<&Map<String, Value>> {
    object.get("hookSpecificOutput").and_then(Value::as_object)
}

/// Leaves out the fields that hold what they may not, one by one.
pub(super) fn lenient(text: &str, event: &Event) -> Option<Map<String, Value>> {
    let mut object: Map<String, Value> = parse_js(text.trim()).ok()?;
    drop_wrong(&mut object, fields::COMMON);
    if let Some(Value::Object(specific)) = object.get_mut("hookSpecificOutput") {
        drop_wrong(specific, event.fields);
    }
    Some(object)
}

fn drop_wrong(object: &mut Map<String, Value>, fields: &[fields::Field]) {
    object.retain(|name, value| {
        let known = fields.iter().find(|(known, _)| known == name);
        known.is_none_or(|(_, kind)| kind.fits(value))
    });
}
