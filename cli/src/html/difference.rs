//! What hooks have changed of a step, as lines.

use serde_json::{Map, Value};
use similar::{ChangeTag, TextDiff};

use super::view::{Lines, Sign};
use crate::terminal::sanitize::escape_json;

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 3;

/// Returns each field that was changed, as it was and as it became. A journal that keeps no more than what is left of a
/// step after its rewriters has only the latter.
pub(crate) fn rewritten(before: Option<&Value>, after: &Map<String, Value>) -> Vec<Lines> {
    let of = |(name, after): (&String, &Value)| {
        let before = before.and_then(|step| step.get(name));
        let (title, before) = match before == Some(after) {
            true => (format!("rewritten: {name} (the journal has it only as it became)"), None),
            false => (format!("rewritten: {name}"), before),
        };
        Lines { title, lines: lines(&before.map(text).unwrap_or_default(), &text(after)) }
    };
    after.iter().map(of).collect()
}

/// Returns a text as it is, and anything else as JSON.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => {
            let json = serde_json::to_string_pretty(other).unwrap_or_default();
            json.lines().map(escape_json).collect::<Vec<_>>().join("\n")
        }
    }
}

fn lines(before: &str, after: &str) -> Vec<(Sign, String)> {
    let difference = TextDiff::from_lines(before, after);
    let groups = difference.grouped_ops(CONTEXT);
    let changes = groups.iter().flatten().flat_map(|op| difference.iter_changes(op));
    let line = |change: similar::Change<&str>| {
        let sign = match change.tag() {
            ChangeTag::Equal => Sign::Same,
            ChangeTag::Insert => Sign::Added,
            ChangeTag::Delete => Sign::Removed,
        };
        (sign, change.value().trim_end_matches(['\r', '\n']).to_owned())
    };
    changes.map(line).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_field_is_shown_as_it_was_and_as_it_became() {
        let before = json!({"tool_input": {"command": "make deploy", "timeout": 3}});
        let after = json!({"tool_input": {"command": "make -n deploy", "timeout": 3}});
        let shown = rewritten(Some(&before), after.as_object().unwrap());
        let lines: Vec<_> =
            shown[0].lines.iter().map(|(sign, line)| (*sign, line.trim())).collect();
        assert_eq!(
            lines,
            [
                (Sign::Same, "{"),
                (Sign::Removed, "\"command\": \"make deploy\","),
                (Sign::Added, "\"command\": \"make -n deploy\","),
                (Sign::Same, "\"timeout\": 3"),
                (Sign::Same, "}")
            ]
        );
        let shown = rewritten(Some(&after), after.as_object().unwrap());
        assert!(shown[0].title.contains("only as it became"), "{shown:?}");
        assert!(shown[0].lines.iter().all(|(sign, _)| *sign == Sign::Added), "{shown:?}");
    }
}
