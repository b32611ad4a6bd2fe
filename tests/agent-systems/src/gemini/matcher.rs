//! The matchers of Gemini CLI: an expression for tools, a whole word for what happens to a session.

use serde_json::{Map, Value};

use super::event::Event;

/// Tells whether a matcher means an envelope.
pub(super) fn matches(event: Event, matcher: Option<&str>, input: &Map<String, Value>) -> bool {
    let matcher = matcher.map(str::trim).unwrap_or_default();
    if matches!(matcher, "" | "*") {
        return true;
    }
    // An empty field is no field, and then there is nothing to compare with.
    let field =
        |name: &str| input.get(name).and_then(Value::as_str).filter(|value| !value.is_empty());
    match event {
        Event::BeforeTool | Event::AfterTool => {
            field("tool_name").is_none_or(|tool| is_tool(matcher, tool))
        }
        Event::SessionStart => field("source").is_none_or(|source| source == matcher),
        Event::SessionEnd => field("reason").is_none_or(|reason| reason == matcher),
        Event::PreCompress => field("trigger").is_none_or(|trigger| trigger == matcher),
        _ => true,
    }
}

/// A matcher that is no expression is a name.
fn is_tool(matcher: &str, tool: &str) -> bool {
    match regress::Regex::new(matcher) {
        Ok(pattern) => pattern.find(tool).is_some(),
        Err(_) => matcher == tool,
    }
}

#[cfg(test)]
mod tests {
    use super::matches;
    use crate::gemini::event::Event;
    use serde_json::{Map, Value};

    fn on(event: Event, matcher: &str, field: &str, value: &str) -> bool {
        let input = Map::from_iter([(field.to_owned(), Value::from(value))]);
        matches(event, Some(matcher), &input)
    }

    #[test]
    fn a_tool_is_matched_anywhere_and_with_its_case() {
        let tool = |matcher, tool| on(Event::BeforeTool, matcher, "tool_name", tool);
        for matcher in ["", "  ", "*", "shell", " run_shell ", "^run_.*", "write|shell", "(?=run)"]
        {
            assert!(tool(matcher, "run_shell_command"), "{matcher}");
        }
        for matcher in ["Run_Shell", "Bash", "[", "^shell", "run_shell_command,x"] {
            assert!(!tool(matcher, "run_shell_command"), "{matcher}");
        }
        assert!(tool("write(", "write("), "what is no expression is a name");
        assert!(tool("a{", "a{"), "an old expression of JavaScript");
    }

    #[test]
    fn a_session_is_matched_by_a_whole_word() {
        assert!(on(Event::SessionStart, "startup", "source", "startup"));
        assert!(!on(Event::SessionStart, "startup|resume", "source", "startup"));
        assert!(!on(Event::SessionEnd, ".*", "reason", "exit"));
        assert!(on(Event::PreCompress, " auto ", "trigger", "auto"));
        assert!(on(Event::BeforeModel, "nothing", "model", "x"), "it has no matcher");
    }
}
