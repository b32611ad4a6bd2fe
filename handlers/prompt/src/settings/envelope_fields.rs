//! The fields that the envelope of each event has, so that a pointer of `show` to a field that cannot
//! exist is an error in the config and not a failure at some step.
//!
//! The fields of a payload come from the contract; those of every envelope are listed here. Only the
//! first part of a pointer is checked: what is inside a field such as `tool_input` is up to the tool.

use hookgate_contract::payload::fields;
use hookgate_contract::suggest::Suggestion;
use hookgate_contract::{Event, HEADER_FIELDS};

/// Returns all fields that an envelope of the event can have, or `None` for the embedder's own events,
/// whose fields are not known here.
fn fields_at(event: Event) -> Option<Vec<&'static str>> {
    (event != Event::Custom).then(|| [&HEADER_FIELDS, fields(event)].concat())
}

/// Returns what is wrong with a pointer at these events, or `None`. A pointer is wrong if the field
/// where it begins exists at none of them; one that is not optional, if it is missing at any of them.
pub(crate) fn pointer_problem(pointer: &str, optional: bool, events: &[Event]) -> Option<String> {
    let first = pointer.strip_prefix('/')?.split('/').next()?;
    let first = first.replace("~1", "/").replace("~0", "~");
    let known: Vec<(Event, Vec<&str>)> =
        events.iter().filter_map(|event| Some((*event, fields_at(*event)?))).collect();
    let lacks = |(_, fields): &&(Event, Vec<&str>)| !fields.contains(&first.as_str());
    let missing = known.iter().find(lacks);
    // At an event of the embedder any field may exist.
    let somewhere = known.len() < events.len() || known.iter().any(|known| !lacks(&known));
    let (event, fields) = missing.filter(|_| !(optional && somewhere))?;
    if somewhere && !optional {
        return Some(format!(
            "`{pointer}`: an envelope of `{event}` has no `{first}`: write \"{pointer}?\" where it \
             may be missing"
        ));
    }
    let hint = match Suggestion::nearest(&first, fields).as_deref() {
        Some(near) => format!("; did you mean `/{near}`?"),
        None if fields.contains(&"tool_input") && !pointer.starts_with("/tool_input") => {
            format!("; what is in the input of the tool begins with `/tool_input{pointer}`")
        }
        None => {
            format!(
                "; there are {}",
                fields.get(HEADER_FIELDS.len()..).unwrap_or_default().join(", ")
            )
        }
    };
    Some(format!("`{pointer}`: an envelope of `{event}` has no `{first}`{hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_begins_at_a_field_of_the_event() {
        let at = |pointer: &str, optional, events: &[Event]| {
            pointer_problem(pointer, optional, events).unwrap_or_default()
        };
        let (before, after) = (Event::PreToolUse, Event::PostToolUse);
        for good in [
            "/tool_name",
            "/rejudge",
            "/turn",
            "/tool_input/command",
            "/cwd",
            "/host/team",
            "/safety",
        ] {
            assert_eq!(at(good, false, &[before, after]), "", "{good}");
        }
        assert!(at("/tool_inptu", false, &[before]).contains("did you mean `/tool_input`?"));
        assert!(at("/command", false, &[before]).contains("`/tool_input/command`"));
        assert!(at("/tool_response", false, &[before, after]).contains("\"/tool_response?\""));
        assert_eq!(at("/tool_response", true, &[before, after]), "");
        assert!(at("/tool_response", true, &[before]).contains("pre_tool_use"));
        assert_eq!(at("/anything", false, &[Event::Custom]), "");
        assert_eq!(at("/a~1b", false, &[]), "");
        assert!(at("/a~1b", false, &[before]).contains("has no `a/b`"));
    }
}
